"""Packing answers for the upload."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

# A zip remembers when files were changed; ours does not, so that the same answers make the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)
IN_MEMORY = 8 * 2**20


class NothingToSubmit(Exception):
    """The path does not exist, cannot be read, or holds no answer."""


@contextmanager
def packed(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and open content of a bundle; a folder is zipped on the way, in a temporary file if it is large.

    :raises NothingToSubmit: there is nothing at ``path`` that can be read.
    """
    with ExitStack() as opened:
        yield _opened(path, opened)


def look_at(path: Path) -> None:
    """Make sure that there is something at ``path``, without reading it.

    :raises NothingToSubmit: there is nothing.
    """
    if not path.is_file():
        answers_in(path)


def _opened(path: Path, opened: ExitStack) -> tuple[str, IO[bytes]]:
    if path.is_file():
        with _naming(path):
            return path.name, opened.enter_context(path.open("rb"))
    files = answers_in(path)
    spool = opened.enter_context(tempfile.SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115  # a stack closes it
    with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(_name(file.relative_to(path)), EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with _naming(file):
                answer = file.read_bytes()
            archive.writestr(entry, answer)
    spool.seek(0)
    return f"{path.resolve().name}.zip", spool


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Says which file cannot be read; errors while reading do not."""
    try:
        yield
    except OSError as error:
        raise NothingToSubmit(f"{path} cannot be read: {error.strerror}") from error


def _name(path: Path) -> str:
    name = path.as_posix()
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise NothingToSubmit(f"{name!r} is not named in UTF-8; rename it") from error
    return name


def answers_in(folder: Path) -> list[Path]:
    """The answer files below a folder, sorted; other files stay where they are.

    :raises NothingToSubmit: there is none.
    """
    if not folder.exists():
        raise NothingToSubmit(f"{folder} does not exist")
    files = sorted(path for path in folder.rglob("answer_*.md") if path.is_file())
    if not files:
        raise NothingToSubmit(f"{folder} holds no <task>/answer_<run>.md")
    return files
