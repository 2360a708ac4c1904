"""A bundle of JSON lines: one answer a line."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from submissions.bundle.collector import BundleReading, Collector
from submissions.bundle.reading import FaultCode, Limits
from submissions.bundle.record import read_record
from submissions.bundle.strict import MalformedJson, load_json
from submissions.bundle.text import encoding_of

# A byte of an answer may take six in a JSON text (\u0001); the rest of a record is small.
_ESCAPE_FACTOR = 6
_RECORD_SLACK = 16_384


class _TooLarge(Exception):
    """More bytes than a bundle may have."""


class _TooMany(Exception):
    """More lines than a bundle may have; the first argument is where, the second what they are."""


def _counted(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limit:
            raise _TooLarge
        yield chunk


def _as_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same text in UTF-8, without its mark. Broken UTF-16 gives bytes that are broken in UTF-8 too."""
    stream = iter(chunks)
    head = b""
    for chunk in stream:
        head += chunk
        if len(head) >= 4:
            break
    encoding, skip = encoding_of(head)
    if encoding == "utf-8":
        yield head[skip:]
        yield from stream
        return
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    try:
        yield decoder.decode(head[skip:]).encode("utf-8", "surrogatepass")
        for chunk in stream:
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        yield b"\xff"  # in no UTF-8 text: the line that ends here is refused by name


def _lines(chunks: Iterable[bytes], longest: int) -> Iterator[bytes | None]:
    """The lines, split at LF alone (U+2028 may stand in a JSON text); None for one that is too long.

    A line is never held beyond ``longest`` bytes and one chunk.
    """
    pending, overlong = bytearray(), False
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            pending += part
            line = None if overlong or len(pending) > longest else bytes(pending)
            pending, overlong = bytearray(), False  # before the line is looked at: one copy of it is enough
            yield line
        pending += rest
        if len(pending) > longest:
            pending, overlong = bytearray(), True
    if overlong or pending:
        line = None if overlong else bytes(pending)
        del pending
        yield line


def _is_too_long(line: bytes, limits: Limits) -> bool:
    """Whether a line says far more than an answer may, however it is escaped.

    Its text, held only to be measured, would take up to four bytes for each of the line's.
    """
    least = len(line) - (_ESCAPE_FACTOR - 1) * line.count(b"\\")
    return least > 2 * limits.answer_bytes + _RECORD_SLACK


def _take_line(line: bytes, where: str, limits: Limits, into: Collector) -> None:
    try:
        record = load_json(line)
    except MalformedJson as error:
        into.refuse(where, error.code, error.detail)
        return
    if not isinstance(record, dict):
        into.refuse(where, FaultCode.JSON_NOT_AN_OBJECT, "A line holds one JSON object.")
        return
    answer = read_record(record, limits, where=where)
    if isinstance(answer, list):
        for fault in answer:
            into.refuse(where, fault.code, f"{fault.field}: {fault.detail}")
    else:
        into.accept(answer)


def _records(lines: Iterable[bytes | None], most: int) -> Iterator[tuple[str, bytes | None]]:
    """The lines that are not blank, each with its place.

    :raises _TooMany: more than ``most`` of them, or of the blank ones.
    """
    blank = records = 0
    for number, line in enumerate(lines, start=1):
        is_blank = line is not None and not line.strip()
        blank, records = blank + is_blank, records + (not is_blank)
        if max(blank, records) > most:
            raise _TooMany(f"line {number}", "blank lines" if is_blank else "answers")
        if not is_blank:
            yield f"line {number}", line


def _take_lines(chunks: Iterable[bytes], limits: Limits, into: Collector) -> None:
    longest = limits.answer_bytes * _ESCAPE_FACTOR + _RECORD_SLACK
    for where, line in _records(_lines(_as_utf8(chunks), longest), limits.bundle_files):
        if line is None or _is_too_long(line, limits):
            detail = f"More than an answer of {limits.answer_bytes} bytes can need."
            into.refuse(where, FaultCode.LINE_TOO_LONG, detail)
        else:
            _take_line(line, where, limits, into)


def read_jsonl(chunks: Iterable[bytes], limits: Limits) -> BundleReading:
    """Read JSON lines in UTF-8, or in UTF-16 with a byte order mark.

    Blank lines are passed over, as many as there may be answers.

    :param chunks: the file's bytes, cut anywhere (an open binary file gives lines, which is as good).
    """
    into = Collector()
    try:
        _take_lines(_counted(chunks, limits.bundle_bytes), limits, into)
    except _TooLarge:
        detail = f"More than {limits.bundle_bytes} bytes."
        into.refuse("bundle", FaultCode.BUNDLE_TOO_LARGE, detail)
    except _TooMany as error:
        where, what = error.args
        into.refuse(where, FaultCode.BUNDLE_TOO_MANY, f"More than {limits.bundle_files} {what}.")
    return into.reading()
