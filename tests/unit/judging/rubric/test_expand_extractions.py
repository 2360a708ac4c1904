"""Extractions: their order, their pages, and what waits for one that failed."""

from __future__ import annotations

from typing import Any

import pytest

from judging.rubric import Assertion, Unknown, extraction_url
from tests.unit.judging.rubric.people import GIVEN, SOURCED, ids
from tests.unit.judging.rubric.sets import plan, tree, tree_task, with_people


def test_a_failed_extraction_makes_what_needs_it_unknown_and_nothing_else() -> None:
    task = with_people(
        GIVEN,
        SOURCED,
        {"id": "else_{{ loop.index }}", "assert": "task"},
        {"id": "next_{{ loop.index }}", "assert": "a.next.name"},
    )
    one = plan(task, failed=frozenset({"found"}))
    needy = {name for name, check in one.checks.items() if isinstance(check, Unknown)}
    assert needy == {f"{kind}_{n}" for kind in ("given", "sourced", "next") for n in (1, 2)}
    assert one.checks["given_1"] == Unknown("given_1", "what it needs could not be extracted: found")
    assert one.checks["else_1"] == Assertion("else_1", True, None, "task")
    assert ids(one.root) == ids(plan(task).root)


def chain_task() -> dict[str, Any]:
    record = {"type": "object", "properties": {"url": {"type": "string"}, "name": {"type": "string"}}}
    return tree_task(
        {
            "id": "top",
            "children": [{"id": "deep", "assert": "third.name"}, {"id": "free", "assert": "answer"}],
        },
        extract={
            "third": {"instruction": "3", "schema": record, "from_url": "second.url"},
            "second": {"instruction": "2", "schema": record, "from_url": "first.url"},
            "first": {"instruction": "1", "schema": record},
        },
    )


def test_extractions_stand_in_the_order_they_can_be_made() -> None:
    rubric = tree(chain_task())
    assert [spec.name for spec in rubric.extractions] == ["first", "second", "third"]


def test_the_page_of_an_extraction_follows_from_what_was_extracted_before() -> None:
    rubric = tree(chain_task())

    def url(name: str, **extracted: Any) -> str | None:
        return extraction_url(rubric, name, task="", answer="", extracted=extracted)

    assert url("second", first={"url": " https://x.org "}) == "https://x.org"
    assert url("second", first={"url": ""}) is None
    assert url("second", first={}) is None
    assert url("second") is None
    assert url("second", first={"url": ["https://x.org"]}) is None
    with pytest.raises(KeyError):
        url("first")


def test_a_page_whose_address_does_not_fit_is_no_page() -> None:
    task = tree_task(
        {"id": "top", "assert": "second.x"},
        extract={"first": {"instruction": "1", "schema": {}}, "second": {"instruction": "2", "schema": {}, "from_url": "first + '/a'"}},
    )  # fmt: skip
    assert extraction_url(tree(task), "second", task="", answer="", extracted={"first": 3}) is None


def test_what_waits_for_a_failed_extraction_has_failed() -> None:
    one = plan(chain_task(), failed=frozenset({"first"}), answer="x")
    assert isinstance(one.checks["deep"], Unknown)
    assert one.checks["free"] == Assertion("free", True, None, "answer")
