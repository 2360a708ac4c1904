"""Text as it can be stored on every database: no NUL, no lone surrogate, one kind of line end."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SURROGATE = re.compile("[\ud800-\udfff]")
# UTF-32's mark begins with UTF-16's, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class UndecodableText(ValueError):
    """The bytes are no text in UTF-8, nor in UTF-16 or UTF-32 with a byte order mark."""


@dataclass(frozen=True, slots=True)
class CleanText:
    """``text`` as it is stored and judged; ``flags`` name what was replaced: ``nul``, ``surrogate``, ``blank``."""

    text: str
    flags: tuple[str, ...] = ()


def encoding_of(head: bytes) -> tuple[str, int]:
    """The encoding a byte order mark announces, and the mark's length; UTF-8 without one."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    return "utf-8", 0


def _is_wide(data: bytes) -> bool:
    """Whether NUL is every second byte, as in English text in UTF-16, and never one of the others."""
    halves = sorted((data[0:1000:2].count(0), data[1:1000:2].count(0)))
    return len(data) >= 4 and halves[0] == 0 and halves[1] >= 0.9 * (min(len(data), 1000) // 2)


def decode(data: bytes) -> str:
    """Text of ``data``; lone surrogates pass, so that they can be replaced and flagged.

    :raises UndecodableText: the bytes are not in the encoding they claim.
    """
    encoding, skip = encoding_of(data[:4])
    if encoding == "utf-8" and _is_wide(data):
        raise UndecodableText("Looks like UTF-16 without a byte order mark.")
    try:
        return data[skip:].decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        raise UndecodableText(f"Not valid {encoding.upper()} at byte {error.start + skip}.") from error


def clean_text(source: bytes | str) -> CleanText:
    """What is stored of an answer: mark dropped, CRLF and CR made LF, NUL and lone surrogates replaced.

    White space alone is no answer: it becomes the empty text.

    :raises UndecodableText: ``source`` is bytes in no encoding that is accepted.
    """
    text = decode(source) if isinstance(source, bytes) else source
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    flags = []
    if "\0" in text:
        flags.append("nul")
        text = text.replace("\0", REPLACEMENT)
    replaced, count = _SURROGATE.subn(REPLACEMENT, text)
    if count:
        flags.append("surrogate")
    if replaced and not replaced.strip():
        flags.append("blank")
        replaced = ""
    return CleanText(replaced, tuple(flags))


def raw_if_different(source: bytes | str, text: str) -> bytes | None:
    """The bytes as received, if they are not simply ``text`` in UTF-8."""
    raw = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    return None if raw == text.encode() else raw
