"""Bytes of a page to text, as browsers would read them. Pure."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes
from resiliparse.parse.encoding import map_encoding_to_html5

__all__ = ["decoded"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^<>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^<>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_META_WITHIN = 1024
_GUESSED_FROM = 32 * 1024  # guessing is slow: 32 kB tell as much as a megabyte
_LAST_RESORT = "cp1252"
# Browsers read these names as the larger sets that grew out of them.
_LARGER = {
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}


def decoded(body: bytes, content_type: str, *, has_markup: bool) -> str:
    """The text of a body; what no encoding explains becomes U+FFFD.

    In this order: a byte order mark (nothing else is one), the header, ``<meta>`` in the first 1,024 bytes,
    UTF-8 if it is valid, a guess. Only encodings of the web count: a page cannot ask for ``unicode_escape``.
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return _read(body[len(mark) :], encoding)
    encoding = _declared(body, content_type, has_markup=has_markup) or _fitting(body)
    return _read(body, encoding)


def _declared(body: bytes, content_type: str, *, has_markup: bool) -> str | None:
    if (header := _HEADER.search(content_type)) and (encoding := _known(header[1])):
        return encoding
    start = body[:_META_WITHIN]
    if has_markup and (meta := _META.search(start) or _XML.match(start)):
        encoding = _known(meta[1].decode("ascii", "replace"))
        # A meta that could be read as ASCII was not UTF-16 (HTML standard, prescan).
        return "utf-8" if encoding and encoding.startswith("utf-16") else encoding
    return None


def _known(label: str) -> str | None:
    encoding = map_encoding_to_html5(label, fallback_utf8=False)
    return _LARGER.get(encoding, encoding) if encoding else None


def _fitting(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(body[:_GUESSED_FROM]).best()
        return best.encoding if best is not None else _LAST_RESORT
    return "utf-8"


def _read(body: bytes, encoding: str) -> str:
    text = body.decode(encoding, "replace")
    # PostgreSQL stores no NUL, UTF-8 no lone surrogate.
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
