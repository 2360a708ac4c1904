"""The error class of an assertion: one about a citation needs a citation."""

from __future__ import annotations

from typing import Any

import pytest

from judging.rubric import Assertion, expand
from tests.unit.judging.rubric.sets import faults, plan, tree, tree_task, with_people

UNSUPPORTED = ("unsupported.retrieval", "unsupported.synthesis")
PAPER = {"type": "object", "properties": {"title": {"type": "string"}, "names": {"type": "array"}}}
URL = "https://a.example/paper"


def over_answer(error: str, expression: str = "a.name == 'Ada'") -> dict[str, Any]:
    return with_people({"id": "leaf_{{ loop.index }}", "assert": expression, "error": error})


def over_page(error: str | None, expression: str = "paper.title == found.name") -> dict[str, Any]:
    record = {"type": "object", "properties": {"name": {"type": "string"}, "url": {"type": "string"}}}
    return tree_task(
        {"id": "root", "children": [{"id": "leaf", "assert": expression} | ({"error": error} if error else {})]},
        extract={
            "found": {"instruction": "A paper", "schema": record},
            "paper": {"instruction": "The title", "schema": PAPER, "from_url": "found.url"},
        },
    )  # fmt: skip


def only(checks: Any) -> Assertion:
    (check,) = checks.values()
    assert isinstance(check, Assertion)
    return check


# ------------------------------------------------------------------ at import
@pytest.mark.parametrize("error", UNSUPPORTED)
def test_a_class_about_a_page_is_refused_where_no_page_is_looked_at(error: str) -> None:
    (fault,) = faults(over_answer(error))
    assert fault.startswith(
        f"tasks/t1.yaml: tree.node.children[0].error: {error!r} is about what a cited page"
    )


@pytest.mark.parametrize("error", UNSUPPORTED)
def test_it_is_taken_where_the_assertion_looks_at_a_page(error: str) -> None:
    assert faults(over_page(error)) == []
    looped = over_page(None)
    looped["tree"] = {
        "for_each": {"in": "paper.names", "as": "name", "count": 2},
        "node": {"id": "slot_{{ loop.index }}", "assert": "name == 'Ada'", "error": error},
    }
    assert faults(looped) == []


@pytest.mark.parametrize("error", ["attribution.invalid", "attribution.missing", "criteria_violation"])
def test_other_classes_are_taken_everywhere(error: str) -> None:
    assert faults(over_answer(error)) == []


# ------------------------------------------------------------------ over the answer
@pytest.mark.parametrize(
    ("person", "kind"),
    [
        ({"name": "Ada", "sources": [URL]}, "attribution.invalid"),
        ({"name": "Ada", "sources": ["see the library"]}, "attribution.missing"),
        ({"name": "Ada", "sources": []}, "attribution.missing"),
        ({}, "attribution.missing"),
    ],
)
def test_an_invalid_citation_must_be_there(person: dict[str, Any], kind: str) -> None:
    """A list that is too short would otherwise count as made-up citations."""
    task = over_answer("attribution.invalid", "a.sources and a.sources | first | host == 'b.example'")
    check = plan(task, found={"people": [person]}).checks["leaf_1"]
    assert isinstance(check, Assertion)
    assert (check.holds, check.error_class) == (False, kind)


@pytest.mark.parametrize(
    ("expression", "answer", "kind"),
    [
        ("'b.example' in answer", f"See {URL}.", "attribution.invalid"),
        ("'b.example' in answer", "See the library.", "attribution.missing"),
        ("truth.url in answer", "See the library.", "attribution.missing"),
        ("found == 1", "", "attribution.invalid"),
    ],
)
def test_the_whole_answer_may_hold_it_and_what_the_author_wrote_does_not(
    expression: str, answer: str, kind: str
) -> None:
    task = with_people(
        {"id": "leaf", "assert": expression, "error": "attribution.invalid"}, truth={"url": URL}
    )
    task["tree"] = {"children": [task["tree"]["node"]["children"][0]]}
    check = only(plan(task, answer=answer, found={"people": [{"sources": {"deep": [URL]}}, 7]}).checks)
    assert (check.holds, check.error_class) == (False, kind)


# ------------------------------------------------------------------ over a page
@pytest.mark.parametrize("error", [*UNSUPPORTED, "attribution.invalid"])
@pytest.mark.parametrize(
    ("unread", "kind"),
    [
        ({}, None),
        ({"found": "attribution.missing"}, None),
        ({"paper": "attribution.missing"}, "attribution.missing"),
        ({"paper": "attribution.invalid"}, "attribution.invalid"),
        ({"paper": ""}, ""),
    ],
)
def test_a_page_that_was_not_there_gives_the_class(
    error: str, unread: dict[str, str], kind: str | None
) -> None:
    rubric = tree(over_page(error))
    extracted = {"found": {"name": "Ada", "url": URL}, "paper": None if unread else {"title": "Bob"}}
    one = expand(rubric, task="", answer="", extracted=extracted, failed=frozenset(), unread=unread)
    check = only(one.checks)
    assert (check.holds, check.error_class) == (False, error if kind is None else kind)


def test_any_other_class_stays_whatever_was_not_there() -> None:
    for error in (None, "criteria_violation"):
        one = expand(
            tree(over_page(error)), task="", answer="", extracted={}, failed=frozenset(),
            unread={"paper": "attribution.invalid"},
        )  # fmt: skip
        assert only(one.checks).error_class == error
