"""The outside of these tests: the endpoint, one for all with a fresh script for each, the web, and a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from judging import collecting
from tests.endpoint import Endpoint
from tests.integration.judging.scenes import Scene, made_scene
from tests.integration.judging.web import Web
from tests.provider import SearchProvider
from tests.searched import law, switch_on


@pytest.fixture(scope="session")
def running_endpoint() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running_endpoint: Endpoint) -> Endpoint:
    running_endpoint.reset()
    return running_endpoint


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Web:
    """Live pages, without the pause between two pages of a host."""
    outside = Web()
    monkeypatch.setattr(collecting, "capture_many", outside)
    monkeypatch.setattr(collecting, "GAP_SECONDS", 0.0)
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PAGES": "live", "CONTACT": "us@eval.example"}
    return outside


@pytest.fixture
def _openai(endpoint: Endpoint, settings: Any) -> None:
    """The judge at the test endpoint, patient for a second only."""
    config = settings.EVALSERVICE
    settings.EVALSERVICE = {
        **config,
        "JUDGE": "openai",
        "JUDGE_MODEL": "judge-1",
        "OPENAI_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": "key-of-ours",
        "MODEL": {**config["MODEL"], "attempts": 1, "timeout_s": 2, "in_flight": 8},
    }


@pytest.fixture
def scene() -> Scene:
    """A held job of a round."""
    return made_scene()


@pytest.fixture
def provider(settings: Any) -> Iterator[SearchProvider]:
    """A search that is switched on, and knows the law."""
    with SearchProvider() as one:
        one.found = law
        switch_on(settings, one)
        yield one
