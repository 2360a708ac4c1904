"""Demo settings in a working folder of the run's own, before anything reads them.

pytest-django reads Django's settings before it imports any conftest, so this is a plugin: ``-p tests.environment``.
"""

from __future__ import annotations

import os
import shutil
import tempfile

os.environ["EVALSERVICE_DEMO"] = "1"
_own = "" if "EVALSERVICE_VAR" in os.environ else tempfile.mkdtemp(prefix="evalservice-tests-")
if _own:
    os.environ["EVALSERVICE_VAR"] = _own


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if _own:
        shutil.rmtree(_own, ignore_errors=True)
