"""Packing answers for the upload."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# A zip remembers when files were changed; ours does not, so that the same answers make the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)
IN_MEMORY = 8 * 2**20


class NothingToSubmit(Exception):
    """The path does not exist, or holds no answer."""


@contextmanager
def packed(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and open content of a bundle; a folder is zipped on the way, in a temporary file if it is large.

    :raises NothingToSubmit: there is nothing at ``path``.
    """
    if path.is_file():
        with path.open("rb") as content:
            yield path.name, content
        return
    files = answers_in(path)
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as spool:
        with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                entry = zipfile.ZipInfo(file.relative_to(path).as_posix(), EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes())
        spool.seek(0)
        yield f"{path.resolve().name}.zip", spool


def answers_in(folder: Path) -> list[Path]:
    """The answer files below a folder, sorted.

    :raises NothingToSubmit: there is none.
    """
    if not folder.exists():
        raise NothingToSubmit(f"{folder} does not exist")
    files = sorted(path for path in folder.rglob("answer_*.md") if path.is_file())
    if not files:
        raise NothingToSubmit(f"{folder} holds no <task>/answer_<run>.md")
    return files
