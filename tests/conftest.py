"""What every test relies on; the settings come from ``tests/environment.py``."""

from __future__ import annotations

from hypothesis import settings

# A deadline per example fails on a busy machine and says nothing about the code.
settings.register_profile("evalservice", deadline=None)
settings.load_profile("evalservice")
