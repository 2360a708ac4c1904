"""The real ``manage.py worker`` in processes of its own, on the database of the running test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from django.db import connection

ROOT = Path(__file__).parent.parent


def until(holds: Callable[[], Any], *, seconds: float = 30.0, what: Callable[[], str] = str) -> Any:
    """Wait until something holds; what it gave.

    :raises TimeoutError: it did not; ``what`` tells more.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(0.02)
    raise TimeoutError(f"{holds} did not hold within {seconds} s\n{what()}")


def children(pid: int) -> list[int]:
    """The process ids of all descendants, the nearest first."""
    try:
        direct = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return direct + [below for one in direct for below in children(one)]


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class WorkerProcess:
    """One worker with its cluster; ends with the ``with`` block whatever happens in it."""

    def __init__(self, log: Path, **environment: str) -> None:
        self._log = log
        self._environment = {**os.environ, "DATABASE_URL": database_url(), **environment}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except TimeoutError:  # whoever does not come into the block does not leave it either
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The parent's."""
        assert self._process is not None
        return self._process.pid

    def log(self) -> str:
        """What all its lives wrote."""
        return self._log.read_text()

    def start(self) -> None:
        """Begin a life, and wait until its cluster is up."""
        with self._log.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "manage.py", "worker"],
                cwd=ROOT,
                env=self._environment,
                stdout=out,
                stderr=out,
            )
        # The sentinel with two workers, a monitor and a pusher.
        until(lambda: len(self.tree()) >= 5, seconds=60, what=self.log)

    def tree(self) -> list[int]:
        """All processes but the parent."""
        return children(self.pid)

    def kill(self) -> None:
        """End the parent without warning; the others are to follow it."""
        if self._process is None:
            return
        below = self.tree()
        self._process.kill()
        self._process.wait()
        until(lambda: not any(map(is_alive, below)), what=self.log)
        self._process = None

    def stop(self, *, seconds: float = 30.0) -> int:
        """Ask it to end, as an operator would; the exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(seconds)


def database_url() -> str:
    """The test's own database, which is not the one the environment names."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return f"{os.environ['DATABASE_URL'].rsplit('/', 1)[0]}/{name}"
