"""Files that appear whole or not at all, readable by their owner alone: they hold what is hidden."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.management.base import CommandError

__all__ = ["write_whole"]


def write_whole(output: Path, lines: Iterable[bytes], *, force: bool) -> int:
    """Write a file; how many bytes it has.

    :param force: replace one that is there.
    :raises CommandError: there is one, or it cannot be written.
    """
    try:
        if output.exists() and not force:
            raise FileExistsError
        with _appearing(output, force=force) as out:
            out.writelines(lines)
        return output.stat().st_size
    except FileExistsError:
        raise CommandError(f"{output} is there already; --force replaces it.") from None
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror or error}") from error


@contextmanager
def _appearing(output: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """A file that takes its name once it is whole."""
    handle, temporary = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name[:100]}-")
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if force:
            os.replace(temporary, output)
        else:
            os.link(temporary, output)  # refuses what somebody made meanwhile
    finally:
        Path(temporary).unlink(missing_ok=True)
