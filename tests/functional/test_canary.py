"""No hidden word reaches anyone who may not see it, whatever address they call (protection, rule 8)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from submissions.models import Answer
from tests.functional.canaries import ACTORS, addresses, crawl, leaks, plant

# A crawl that is told to slow down sees nothing.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600), pytest.mark.usefixtures("_no_rates")]


@pytest.fixture(autouse=True)
def _no_logs() -> Iterator[None]:
    """Ten thousand refusals need not be logged."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


def _kinds(words: set[str]) -> set[str]:
    return {re.sub("[0-9a-f]{12}$", "", word) for word in words if word.startswith("canary")}


def test_nobody_finds_what_is_not_theirs_and_everybody_finds_the_rest() -> None:
    plan = plant()
    assert set(plan.clients) == set(ACTORS)
    found = crawl(plan)
    assert leaks(plan, found) == []
    for actor in ACTORS:  # a crawl that finds nothing would prove nothing
        allowed = {word for word, actors in plan.seen_by.items() if actor in actors}
        assert _kinds({sighting.word for sighting in found if sighting.actor == actor}) == _kinds(allowed)


def test_the_crawl_finds_leaks(settings: Any) -> None:
    plan = plant()
    settings.ROOT_URLCONF = "tests.functional.leaky_urls"
    found: dict[str, set[str]] = {"rubric": set(), "reason": set(), "answer": set()}
    for sighting in leaks(plan, crawl(plan, below="/leaks/")):
        address = sighting.request
        kind = next((kind for kind in ("rubric", "reason") if address.endswith(f"/leaks/{kind}")), "answer")
        found[kind].add(f"{sighting.actor} {address.split()[0]}")
    assert {one.split()[0] for one in found["rubric"]} == set(ACTORS)
    assert {one.split()[0] for one in found["reason"]} == {"owner", "other", "viewer"}
    assert found["answer"] == {f"{actor} PUT" for actor in ACTORS}


def test_the_crawl_knows_every_route() -> None:
    found = addresses(plant())
    for start in (
        "/api/v1/me",
        "/api/v1/submissions/",
        f"/admin/submissions/answer/{Answer.objects.earliest('pk').pk}/change/",
        "/api/v1/schema",
    ):
        assert any(address.startswith(start) for address in found), start
    assert not [address for address in found if "<" in address or "(" in address]
