"""Telling the two formats apart, by content: a file's name proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from submissions.bundle.archive import read_zip
from submissions.bundle.collector import BundleReading
from submissions.bundle.jsonl import read_jsonl
from submissions.bundle.reading import Limits

_CHUNK = 65_536
_ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")


def _chunks(fileobj: BinaryIO) -> Iterator[bytes]:
    while chunk := fileobj.read(_CHUNK):
        yield chunk


def read_bundle(fileobj: BinaryIO, limits: Limits) -> BundleReading:
    """Read a zip if it begins like one, JSON lines otherwise. ``fileobj`` is seekable and stands anywhere."""
    fileobj.seek(0)
    head = fileobj.read(4)
    fileobj.seek(0)
    return read_zip(fileobj, limits) if head in _ZIP_MARKS else read_jsonl(_chunks(fileobj), limits)
