"""Demo settings in a working folder of the run's own, before anything reads them.

pytest-django reads Django's settings before it imports any conftest, so this is a plugin: ``-p tests.environment``. With
``-n`` every process of pytest has a folder, a database and a Redis database of its own.
"""

from __future__ import annotations

import os
import shutil
import tempfile

REDIS_DATABASES = 16
"""How many a Redis server has unless it is told otherwise; two for each process: its own, and one for a program it starts."""


def _redis_of(worker: str, url: str) -> str:
    server, _, number = url.rpartition("/")
    own = int(number) + 2 * int(worker.removeprefix("gw"))
    if own + 1 >= REDIS_DATABASES:
        raise ValueError(f"{url}: no Redis database is left for process {worker}; use fewer processes (-n)")
    return f"{server}/{own}"


os.environ["EVALSERVICE_DEMO"] = "1"
_worker = os.environ.get("PYTEST_XDIST_WORKER", "")
_own = (
    "" if "EVALSERVICE_VAR" in os.environ and not _worker else tempfile.mkdtemp(prefix="evalservice-tests-")
)
if _own:
    os.environ["EVALSERVICE_VAR"] = _own
if _worker and os.environ.get("REDIS_URL"):
    os.environ["REDIS_URL"] = _redis_of(_worker, os.environ["REDIS_URL"])


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if _own:
        shutil.rmtree(_own, ignore_errors=True)
