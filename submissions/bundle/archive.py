"""A bundle as a zip of ``<task>/answer_<run>.md``, the layout of Mind2Web 2.

The agent's folder above may stay. Nothing is written under a name of the archive's; what a file claims about its size
is not believed.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from submissions.bundle.collector import BundleReading, Collector
from submissions.bundle.reading import AnswerIn, FaultCode, Limits
from submissions.bundle.text import UndecodableText, clean_text, raw_if_different

_ANSWER_FILE = re.compile(r"answer_([1-9][0-9]{0,2})\.md", re.ASCII)
_DRIVE = re.compile(r"[A-Za-z]:")
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".zst")
_IGNORED = frozenset({"__MACOSX", ".DS_Store"})
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MAX_NAME_BYTES = 255  # of one folder or file, what file systems allow
_MAX_SHOWN = 1_000  # characters of a name in a fault: more than any good name has
_RATIO_FROM = 100_000  # bytes: below this a high ratio harms nobody
_CHUNK = 65_536
# Of the archive's directory for each file, on average; in memory it takes up to five times that.
_ENTRY_BYTES = 512
_ENTRY_MARK = b"PK\x01\x02"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,  # a place in the file beyond any
    OSError,
)


class _TooManyEntries(Exception):
    """The directory of the archive lists more than a bundle may have."""


class _NoAnswer(Exception):
    """A file that holds no answer, or one that is not read; its arguments are a fault's code and detail."""


class _Bounded:
    """A file that refuses to hand a huge directory to :mod:`zipfile`, which would hold all of it at once."""

    def __init__(self, raw: BinaryIO, entries: int) -> None:
        self._raw = raw
        self._entries = entries
        self._most = entries * _ENTRY_BYTES + _CHUNK
        self.seek = raw.seek
        self.tell = raw.tell

    def seekable(self) -> bool:
        """A zip is read from its end."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Like a file's.

        :raises _TooManyEntries: what is read is an archive's directory beyond the limit.
        """
        data = self._raw.read(size if 0 <= size <= self._most else self._most + 1)
        if len(data) > self._most or data.count(_ENTRY_MARK) > self._entries:
            raise _TooManyEntries
        return data


def _name(info: zipfile.ZipInfo) -> str:
    """The name as its author wrote it: some packers write UTF-8 without saying so, or backslashes."""
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = info.orig_filename
    return name.replace("\\", "/")


def _is_ignored(name: str) -> bool:
    """Folders, and what macOS adds."""
    parts = name.split("/")
    return name.endswith("/") or not _IGNORED.isdisjoint(parts) or parts[-1].startswith("._")


def _name_fault(name: str) -> tuple[FaultCode, str] | None:
    parts = name.split("/")
    if "\0" in name or name.startswith("/") or _DRIVE.match(name) or ".." in parts:
        return FaultCode.PATH_UNSAFE, "A path inside the archive, without '..', is needed."
    if any(len(part.encode("utf-8", "replace")) > _MAX_NAME_BYTES for part in parts):
        return FaultCode.NAME_TOO_LONG, f"A name has more than {_MAX_NAME_BYTES} bytes."
    return None


def _kind_fault(info: zipfile.ZipInfo) -> tuple[FaultCode, str] | None:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return FaultCode.FILE_NOT_REGULAR, "Links and devices are not accepted."
    if info.flag_bits & 0x1:
        return FaultCode.FILE_ENCRYPTED, "Encrypted files cannot be read."
    if info.compress_type not in _METHODS:
        return FaultCode.FILE_COMPRESSION, "Use stored or deflated files."
    return None


def _size_fault(info: zipfile.ZipInfo, limits: Limits) -> tuple[FaultCode, str] | None:
    if info.file_size > limits.answer_bytes:
        return FaultCode.ANSWER_TOO_LARGE, f"{info.file_size} bytes; {limits.answer_bytes} are allowed."
    if info.file_size > _RATIO_FROM and info.file_size > limits.bundle_ratio * info.compress_size:
        return FaultCode.FILE_RATIO, f"Unpacks to more than {limits.bundle_ratio} times its size."
    return None


@dataclass(frozen=True, slots=True)
class _File:
    """A file that holds an answer, as its name says."""

    name: str
    agent: str  # or nothing
    task: str
    run: int


def _file(name: str) -> _File:
    """What a name says.

    :raises _NoAnswer: nothing that could be understood.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    match = _ANSWER_FILE.fullmatch(parts[-1]) if len(parts) in (2, 3) else None
    if match is None:
        raise _NoAnswer(FaultCode.FILE_UNEXPECTED, "Files are named <task>/answer_<run>.md.")
    return _File(name, parts[0] if len(parts) == 3 else "", parts[-2], int(match[1]))


def _checked(info: zipfile.ZipInfo, name: str, limits: Limits) -> _File:
    """The answer a file announces.

    :raises _NoAnswer: it may not be read, or is none.
    """
    fault = _name_fault(name) or _kind_fault(info) or _size_fault(info, limits)
    if fault:
        raise _NoAnswer(*fault)
    if name.lower().endswith(_ARCHIVES):
        raise _NoAnswer(FaultCode.ARCHIVE_NESTED, "An archive inside the archive.")
    return _file(name)


def _usable(
    archive: zipfile.ZipFile, limits: Limits, into: Collector
) -> Iterator[tuple[zipfile.ZipInfo, _File]]:
    for info in archive.infolist():
        name = _name(info)
        if _is_ignored(name) and _name_fault(name) is None:
            continue
        try:
            yield info, _checked(info, name, limits)
        except _NoAnswer as fault:
            into.refuse(name[:_MAX_SHOWN], *fault.args)


def _chosen(archive: zipfile.ZipFile, limits: Limits, into: Collector) -> list[zipfile.ZipInfo]:
    """The files with answers. What their names say is read again when it is needed: thousands of names are large.

    :raises _TooManyEntries: as named.
    """
    chosen = []
    agents: set[str] = set()
    for info, file in _usable(archive, limits, into):
        chosen.append(info)
        if len(agents) < 2:
            agents.add(file.agent)
    if len(agents) > 1:
        detail = "Answers of one agent: either no folder above the tasks, or the same one for all."
        into.refuse("bundle", FaultCode.BUNDLE_LAYOUT, detail)
    if len(chosen) > limits.bundle_files:
        raise _TooManyEntries
    return chosen


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """At most ``most`` bytes and one chunk of a file, whatever it claims.

    :raises zipfile.BadZipFile: it ends before the size it claims.
    """
    data = bytearray()
    with archive.open(info) as member:
        while len(data) <= most and (chunk := member.read(_CHUNK)):
            data += chunk
    if len(data) <= most and len(data) != info.file_size:
        raise zipfile.BadZipFile
    return bytes(data)


def _take_file(file: _File, data: bytes, into: Collector) -> None:
    try:
        clean = clean_text(data)
    except UndecodableText as error:
        into.refuse(file.name, FaultCode.ENCODING_INVALID, str(error))
        return
    raw = raw_if_different(data, clean.text)
    into.accept(AnswerIn(file.task, file.run, clean.text, raw=raw, flags=clean.flags, where=file.name))


def _take_files(archive: zipfile.ZipFile, limits: Limits, into: Collector) -> None:
    left = limits.bundle_bytes
    for info in _chosen(archive, limits, into):
        file = _file(_name(info))
        try:
            data = _content(archive, info, min(limits.answer_bytes, left))
        except _DAMAGED:
            into.refuse(file.name, FaultCode.FILE_DAMAGED, "Does not unpack to what the archive promises.")
            continue
        left -= len(data)
        if left < 0:
            detail = f"More than {limits.bundle_bytes} bytes unpacked."
            into.refuse("bundle", FaultCode.BUNDLE_TOO_LARGE, detail)
            return
        _take_file(file, data, into)


def _opened(fileobj: BinaryIO, most: int) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(_Bounded(fileobj, most))
    except _DAMAGED:
        return None


def read_zip(fileobj: BinaryIO, limits: Limits) -> BundleReading:
    """Read a zip of Markdown files; ``__MACOSX``, ``.DS_Store`` and folders are passed over.

    :param fileobj: seekable; is left open.
    """
    into = Collector()
    most = limits.bundle_files * 2 + 1000  # folders and what macOS adds count too
    try:
        archive = _opened(fileobj, most)
        if archive is None:
            into.refuse("bundle", FaultCode.ARCHIVE_DAMAGED, "Not a readable zip archive.")
        else:
            _take_files(archive, limits, into)
    except _TooManyEntries:
        into.refuse("bundle", FaultCode.BUNDLE_TOO_MANY, f"More than {limits.bundle_files} files.")
    return into.reading()
