"""Blobs: bytes by their hash, whole or not at all, never changed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile, File
from django.core.files.storage import storages

from submissions import blobs
from submissions.blobs import AtomicFileSystemStorage

DATA = b"Lake Brume is 212 metres deep."
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AtomicFileSystemStorage:
    made = AtomicFileSystemStorage(location=str(tmp_path))
    monkeypatch.setattr(blobs, "default_storage", made)
    return made


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_the_default_storage_is_the_atomic_one() -> None:
    assert isinstance(storages["default"], AtomicFileSystemStorage)


def test_bytes_are_kept_by_their_hash(storage: AtomicFileSystemStorage, tmp_path: Path) -> None:
    assert blobs.put(DATA) == SHA
    assert blobs.get(SHA) == DATA
    assert files(tmp_path) == [f"blobs/{SHA[:2]}/{SHA}"]


def test_the_same_bytes_again_cost_nothing(
    storage: AtomicFileSystemStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs.put(DATA)

    def refuse(*anything: Any) -> str:
        raise AssertionError("nothing may be written")

    monkeypatch.setattr(storage, "save", refuse)
    assert blobs.put(DATA) == SHA


def test_nothing_is_a_blob_too(storage: AtomicFileSystemStorage) -> None:
    assert blobs.get(blobs.put(b"")) == b""


def test_what_was_never_kept_is_not_found(storage: AtomicFileSystemStorage) -> None:
    with pytest.raises(FileNotFoundError):
        blobs.get(SHA)


class Torn(File[bytes]):
    """A file whose disk is full in the middle."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        yield DATA[:7]
        raise OSError(28, "No space left on device")


def test_a_write_that_fails_leaves_nothing(storage: AtomicFileSystemStorage, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        storage.save(blobs.blob_name(SHA), Torn(None))
    assert files(tmp_path) == []
    assert blobs.put(DATA) == SHA
    assert blobs.get(SHA) == DATA


def test_a_rename_that_fails_leaves_nothing(
    storage: AtomicFileSystemStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: str, target: Path) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        blobs.put(DATA)
    assert files(tmp_path) == []


def test_a_half_written_file_is_never_seen_under_its_name(
    storage: AtomicFileSystemStorage, tmp_path: Path
) -> None:
    seen: list[list[str]] = []

    class Watched(ContentFile[bytes]):
        def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
            yield DATA[:7]
            seen.append([Path(name).name for name in files(tmp_path)])
            yield DATA[7:]

    storage.save(blobs.blob_name(SHA), Watched(DATA))
    ((only,),) = seen
    assert only.startswith(".part-")
    assert blobs.get(SHA) == DATA


def test_other_processes_of_the_service_may_read_it(storage: AtomicFileSystemStorage, tmp_path: Path) -> None:
    blobs.put(DATA)
    mode = stat.S_IMODE(os.stat(tmp_path / blobs.blob_name(SHA)).st_mode)
    assert mode == storage.file_permissions_mode


def test_a_storage_may_leave_the_mode_to_the_system(tmp_path: Path, settings: Any) -> None:
    settings.FILE_UPLOAD_PERMISSIONS = None
    storage = AtomicFileSystemStorage(location=str(tmp_path))
    storage.save("a", ContentFile(DATA))
    assert (tmp_path / "a").read_bytes() == DATA
