"""The test endpoint, one for all tests of this folder, with a fresh script for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.endpoint import Endpoint


@pytest.fixture(scope="session")
def running_endpoint() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running_endpoint: Endpoint) -> Endpoint:
    running_endpoint.reset()
    return running_endpoint
