"""The files of a task set, out of a folder or a zip, without trusting either.

Nothing is written to disk. Paths come out relative to the set's root, with forward slashes; what
:func:`judging.rubric.read_bundle` makes of them is its business.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from judging.rubric import MANIFEST, Fault

__all__ = ["FilesReading", "Limits", "read_archive", "read_files", "read_folder"]

_IGNORED = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY_MARK = b"PK\x01\x02"
_RATIO_FROM = 1_000_000  # bytes: below this a high ratio harms nobody
_CHUNK = 1_000_000
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a task set may have: files, bytes of one file, bytes of all, unpacked size over packed."""

    files: int = 20_000
    file_bytes: int = 25_000_000
    total_bytes: int = 500_000_000
    ratio: int = 200


@dataclass(frozen=True, slots=True)
class FilesReading:
    """Contents by path, and what could not be read; with a fault the contents are not complete."""

    files: dict[str, bytes]
    faults: tuple[Fault, ...] = ()


class _Overfull(Exception):
    """There is more than the limits allow; the text says of what."""


class _Intake:
    """Collects files and faults within the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.files: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.total = 0

    def refuse(self, name: str, reason: str) -> None:
        self.faults.append(Fault(name.encode("utf-8", "backslashreplace").decode(), "", reason))

    def take(self, name: str, source: IO[bytes]) -> None:
        """Read a file to its end or to its limit, whichever comes first."""
        if name in self.files:
            self.refuse(name, "is in the archive twice")
            return
        if not name.isprintable():
            self.refuse(name, "has a name that cannot be printed; rename it")
            return
        if len(self.files) >= self.limits.files:
            raise _Overfull(f"has more than {self.limits.files:,} files")
        data = source.read(self.limits.file_bytes + 1)
        if len(data) > self.limits.file_bytes:
            self.refuse(name, f"has more than {self.limits.file_bytes:,} bytes")
            return
        self.total += len(data)
        if self.total > self.limits.total_bytes:
            raise _Overfull(f"unpacks to more than {self.limits.total_bytes:,} bytes")
        self.files[name] = data

    def reading(self) -> FilesReading:
        return FilesReading(self.files, tuple(self.faults))


def read_files(path: Path, limits: Limits | None = None) -> FilesReading:
    """Read a folder or a zip file."""
    if path.is_dir():
        return read_folder(path, limits)
    try:
        with path.open("rb") as file:
            return read_archive(file, limits)
    except OSError as error:
        return FilesReading({}, (Fault(str(path), "", f"cannot be opened: {error.strerror}"),))


def read_folder(root: Path, limits: Limits | None = None) -> FilesReading:
    """Read every file below a folder; hidden files and folders are left alone, links are refused."""
    intake = _Intake(limits or Limits())
    try:
        for path in _files_below(root):
            _take_path(path.relative_to(root).as_posix(), path, intake)
    except _Overfull as problem:
        intake.refuse(str(root), str(problem))
    return intake.reading()


def _files_below(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root, followlinks=False):
        links = [name for name in below if (Path(folder) / name).is_symlink()]
        below[:] = sorted(name for name in below if not _is_ignored(name) and name not in links)
        for name in sorted([*names, *links]):
            if not _is_ignored(name):
                yield Path(folder) / name


def _is_ignored(name: str) -> bool:
    return name in _IGNORED or name.startswith(".")


def _take_path(name: str, path: Path, intake: _Intake) -> None:
    if path.is_symlink() or not path.is_file():
        intake.refuse(name, "is a link or a device; put the file itself there")
        return
    try:
        with path.open("rb") as source:
            intake.take(name, source)
    except OSError as error:
        intake.refuse(name, f"cannot be read: {error.strerror}")


def read_archive(file: BinaryIO, limits: Limits | None = None) -> FilesReading:
    """Read a zip; one folder above everything (``my-set/taskset.yaml``) is taken off."""
    intake = _Intake(limits or Limits())
    try:
        _refuse_huge_directory(file, intake.limits)
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                _take_member(archive, info, intake)
    except _Overfull as problem:
        intake.refuse("(archive)", str(problem))
    except _DAMAGED:
        intake.refuse("(archive)", "is neither a folder nor a zip that can be read")
    intake.files = _without_top_folder(intake.files)
    return intake.reading()


def _refuse_huge_directory(file: BinaryIO, limits: Limits) -> None:
    """Before :mod:`zipfile` holds all of it in memory."""
    marks = 0
    while chunk := file.read(_CHUNK):
        marks += chunk.count(_ENTRY_MARK)
    if marks > 2 * limits.files:
        raise _Overfull(f"lists more than {limits.files:,} files")
    file.seek(0)


def _take_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, intake: _Intake) -> None:
    name = info.orig_filename.replace("\\", "/")
    reason = _member_fault(name, info, intake.limits)
    if reason:
        intake.refuse(name, reason)
        return
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if name.endswith("/") or any(_is_ignored(part) for part in parts):
        return
    try:
        with archive.open(info) as source:
            intake.take("/".join(parts), source)
    except _DAMAGED:
        intake.refuse(name, "does not unpack to what the archive promises")


def _member_fault(name: str, info: zipfile.ZipInfo, limits: Limits) -> str:
    if "\0" in name or name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        return "is a path out of the archive"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device; put the file itself there"
    if info.flag_bits & 0x1 or info.compress_type not in _METHODS:
        return "is encrypted or packed in a rare way; use stored or deflated files"
    if info.file_size > _RATIO_FROM and info.file_size > limits.ratio * info.compress_size:
        return f"unpacks to more than {limits.ratio} times its size"
    return ""


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    tops = {name.split("/")[0] for name in files}
    top = f"{tops.pop()}/" if len(tops) == 1 else ""
    if not top or f"{top}{MANIFEST}" not in files:
        return files
    return {name.removeprefix(top): data for name, data in files.items()}
