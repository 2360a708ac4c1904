"""Throttles count in the cache, which outlives a test's transaction."""

from __future__ import annotations

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _no_counts_of_other_tests() -> None:
    cache.clear()
