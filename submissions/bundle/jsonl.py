"""A bundle of JSON lines: one answer a line."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from submissions.bundle.reading import BundleReading, Collector, FaultCode, Limits
from submissions.bundle.record import read_record
from submissions.bundle.strict import MalformedJson, load_json
from submissions.bundle.text import encoding_of

# A byte of an answer may take six in a JSON text (\u0001); the rest of a record is small.
_ESCAPE_FACTOR = 6
_RECORD_SLACK = 16_384


class _TooLarge(Exception):
    """More bytes than a bundle may have."""


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
            yield None if overlong or len(pending) > longest else bytes(pending)
            pending, overlong = bytearray(), False
        pending += rest
        if len(pending) > longest:
            pending, overlong = bytearray(), True
    if overlong or pending:
        yield None if overlong else bytes(pending)


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


def _take_lines(chunks: Iterable[bytes], limits: Limits, into: Collector) -> None:
    longest = limits.answer_bytes * _ESCAPE_FACTOR + _RECORD_SLACK
    records = 0
    for number, line in enumerate(_lines(_as_utf8(chunks), longest), start=1):
        if line is not None and not line.strip():
            continue
        records += 1
        if records > limits.bundle_files:
            detail = f"More than {limits.bundle_files} answers."
            into.refuse(f"line {number}", FaultCode.BUNDLE_TOO_MANY, detail)
            return
        if line is None:
            into.refuse(f"line {number}", FaultCode.LINE_TOO_LONG, f"More than {longest} bytes.")
        else:
            _take_line(line, f"line {number}", limits, into)


def read_jsonl(chunks: Iterable[bytes], limits: Limits) -> BundleReading:
    """Read JSON lines in UTF-8, or in UTF-16 with a byte order mark; blank lines count but say nothing.

    :param chunks: the file's bytes, cut anywhere (an open binary file gives lines, which is as good).
    """
    into = Collector()
    try:
        _take_lines(_counted(chunks, limits.bundle_bytes), limits, into)
    except _TooLarge:
        detail = f"More than {limits.bundle_bytes} bytes."
        into.refuse("bundle", FaultCode.BUNDLE_TOO_LARGE, detail)
    return into.reading()
