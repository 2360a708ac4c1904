"""What the long runs share: their marker, their scale, the line each of them prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

Report = Callable[..., None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is long."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.soak)


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    """Prints one line of figures past pytest's capture."""

    def line(**figures: Any) -> None:
        with capsys.disabled():
            print("\nsoak:", *(f"{name}={value}" for name, value in figures.items()), flush=True)  # noqa: T201

    return line


@pytest.fixture(autouse=True)
def _fresh_counts() -> Iterator[None]:
    """Throttles count in the cache, which outlives a test's transaction."""
    cache.clear()
    yield
    cache.clear()
