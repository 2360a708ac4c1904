"""The blob store: bytes by their SHA-256, on any Django storage. What is stored never changes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, default_storage


class AtomicFileSystemStorage(FileSystemStorage):
    """Files appear whole or not at all: temporary file, fsync, rename.

    Django's own writes in place, so that a kill or a full disk leaves half a file under its final name.
    """

    def _save(self, name: str, content: File[bytes]) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as out:
                for chunk in content.chunks():
                    out.write(chunk)
                out.flush()
                os.fsync(out.fileno())
            if self.file_permissions_mode is not None:  # a temporary file is its owner's alone
                os.chmod(temporary, self.file_permissions_mode)
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return name


def blob_name(sha256: str) -> str:
    """Where a blob lies in the storage."""
    return f"blobs/{sha256[:2]}/{sha256}"


def put(data: bytes) -> str:
    """Keep ``data``; its SHA-256. Keeping the same bytes again costs nothing."""
    sha256 = hashlib.sha256(data).hexdigest()
    name = blob_name(sha256)
    if not default_storage.exists(name):
        default_storage.save(name, ContentFile(data))
    return sha256


def size(sha256: str) -> int:
    """Bytes of a blob, which is not read for that.

    :raises FileNotFoundError: nothing is stored under that hash.
    """
    return int(default_storage.size(blob_name(sha256)))


def get(sha256: str) -> bytes:
    """The bytes of a blob.

    :raises FileNotFoundError: nothing is stored under that hash.
    """
    with default_storage.open(blob_name(sha256), "rb") as blob:
        data: bytes = blob.read()
    return data
