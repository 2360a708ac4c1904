"""Where the answers of a bundle wait while the rest of it is read."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from collections.abc import Iterator

from submissions.bundle.reading import AnswerIn

_IN_MEMORY = 1_048_576  # bytes: a bundle no larger than this never touches the disk


class Spool:
    """Answers in the order they came, read back one at a time and as often as needed.

    They lie in a file without a name in the system's temporary folder. It is gone when the spool is closed, or nobody
    has it any more, or the process ends, however it does.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # see below
        weakref.finalize(self, self._file.close)  # reading may end with an exception
        self._count = 0

    def add(self, answer: AnswerIn) -> None:
        """Put one at the end; not while others are being read."""
        pickle.dump(answer, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        self._count += 1

    def __iter__(self) -> Iterator[AnswerIn]:
        self._file.seek(0)
        for _ in range(self._count):
            answer: AnswerIn = pickle.load(self._file)  # noqa: S301  # our own bytes, which nobody else can reach
            yield answer

    def close(self) -> None:
        """Give the space back."""
        self._file.close()
