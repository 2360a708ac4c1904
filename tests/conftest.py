"""What every test relies on: demo settings, a private working folder, no socket but to this machine."""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings

# Before Django reads its settings: pytest-django does so right after this module is imported.
os.environ["EVALSERVICE_DEMO"] = "1"
os.environ.setdefault("EVALSERVICE_VAR", tempfile.mkdtemp(prefix="evalservice-tests-"))

# A deadline per example fails on a busy machine and says nothing about the code.
settings.register_profile("evalservice", deadline=None)
settings.load_profile("evalservice")
