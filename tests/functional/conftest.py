"""What every test over HTTP needs: no counts of other tests, and static files that nobody has collected."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _no_counts_of_other_tests() -> None:
    """Throttles count in the cache, which outlives a test's transaction."""
    cache.clear()


@pytest.fixture
def _no_rates(settings: Any) -> None:
    """For tests that ask more often than a team may."""
    rates = dict.fromkeys(settings.EVALSERVICE["PER_MINUTE"], 1_000_000)
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PER_MINUTE": rates}


@pytest.fixture(autouse=True)
def _static_files_as_they_lie(settings: Any) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
