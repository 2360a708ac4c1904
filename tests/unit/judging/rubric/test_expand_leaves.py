"""What becomes of a leaf: claims, assertions and pages over data that fits, or does not."""

from __future__ import annotations

from typing import Any

import pytest

from judging.rubric import Assertion, Claim, PageExtraction, Unknown
from tests.unit.judging.rubric.people import ADA, BOB, HOLE
from tests.unit.judging.rubric.sets import plan, tree_task, with_people


def test_every_kind_of_leaf_becomes_its_check() -> None:
    one = plan(
        tree_task(
            {
                "id": "top",
                "children": [
                    {"id": "holds", "assert": "task == 'Who?'", "error": "criteria_violation"},
                    {
                        "id": "alone",
                        "claim": "It is so",
                        "evidence": "none",
                        "votes": 3,
                        "additional": "Be strict",
                    },
                    {
                        "id": "shown",
                        "claim": "It is so",
                        "sources": "'https://x.org'",
                        "screenshot": "always",
                    },
                ],
            }
        )
    )
    assert one.checks == {
        "holds": Assertion("holds", True, "criteria_violation", "task == 'Who?'"),
        "alone": Claim("alone", "It is so", None, "Be strict", 3),
        "shown": Claim("shown", "It is so", ("https://x.org",), screenshot="always"),
    }


def test_data_that_does_not_fit_an_expression_makes_it_false_with_the_reason() -> None:
    one = plan(
        with_people(
            {"id": "born_{{ loop.index }}", "assert": "a.born + 1 > 1800"},
            {"id": "age_{{ loop.index }}", "claim": "Is {{ 2000 - a.born }} years old", "evidence": "none"},
            count=1,
        ),
        found={"people": [{"born": "about 1815"}]},
    )
    reason = "+ joins two texts, lists or numbers, not 'about 1815' and '1'"
    assert one.checks["born_1"] == Assertion(
        "born_1",
        False,
        None,
        "a.born + 1 > 1800",
        f"what was extracted does not fit the expression: {reason}",
        misfit=True,
    )
    age = one.checks["age_1"]
    assert isinstance(age, Assertion)
    assert not age.holds
    assert age.reason.startswith("what was extracted does not fit the claim: a number is needed")


def test_a_claim_without_a_word_is_not_put_before_a_judge() -> None:
    leaf = {"id": "c_{{ loop.index }}", "claim": "{{ a.name }}", "evidence": "none"}
    assert plan(with_people(leaf, count=1)).checks["c_1"] == Assertion(
        "c_1", False, None, "{{ a.name }}", HOLE.format("a.name"), misfit=True
    )


@pytest.mark.parametrize("year", [None, "", "  "])
def test_a_claim_with_a_hole_is_unmet_and_not_put_before_a_judge(year: str | None) -> None:
    """ "Ada was born in" would be met by any page about Ada."""
    leaf = {
        "id": "c_{{ loop.index }}",
        "claim": "{{ a.name }} was born in {{ a.born }}",
        "sources": "a.sources",
    }
    person = {"name": "Ada", "born": year, "sources": ["https://a.org"]}
    one = plan(with_people(leaf, count=1), found={"people": [person]})
    assert one.checks["c_1"] == Assertion(
        "c_1", False, None, leaf["claim"], HOLE.format("a.born"), misfit=True
    )


def test_a_claim_that_says_nothing_is_not_put_before_a_judge() -> None:
    leaf = {"id": "c", "claim": "{% if found.people %}There are some.{% endif %}", "evidence": "none"}
    task = with_people(leaf)
    task["tree"] = {"children": [leaf]}
    reason = "nothing was extracted that the claim is made of"
    assert plan(task, found={"people": []}).checks["c"] == Assertion(
        "c", False, None, leaf["claim"], reason, misfit=True
    )


def test_a_claim_may_say_what_stands_in_for_a_missing_value() -> None:
    leaf = {
        "id": "c_{{ loop.index }}",
        "claim": "{{ a.name }}{% if a.born %} was born in {{ a.born }}{% endif %}",
        "evidence": "none",
    }
    one = plan(with_people(leaf, count=1), found={"people": [{"name": "Ada"}]})
    assert one.checks["c_1"] == Claim("c_1", "Ada", None)


def page_task(**more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"year": {"type": "integer"}}}
    return with_people(
        {
            "id": "page_{{ loop.index }}",
            "extract": {"as": "page", "instruction": "The year", "schema": schema},
            "from_url": "a.sources | first",
            "assert": "page.year == a.born and page.year == truth[loop.index0]",
            "error": "unsupported.synthesis",
            **more,
        },
        truth=[1815, 1816],
    )


def test_a_page_leaf_reads_a_page_and_decides_over_what_it_gave() -> None:
    one = plan(page_task(), found={"people": [ADA, BOB]})
    first, second = one.checks["page_1"], one.checks["page_2"]
    assert isinstance(first, PageExtraction)
    assert isinstance(second, PageExtraction)
    assert (first.url, first.name, first.instruction) == ("https://a.org/1", "page", "The year")
    assert (first.error_class, second.url) == ("unsupported.synthesis", None)
    assert first.decide({"year": 1815})
    assert not first.decide({"year": 1816})
    assert not first.decide(None)
    assert not second.decide({"year": 1816})


def test_what_a_page_gave_may_not_fit_either() -> None:
    check = plan(page_task(**{"assert": "page.year - 1 < 2000"}), found={"people": [ADA]}).checks["page_1"]
    assert isinstance(check, PageExtraction)
    assert check.decision({"year": "?"}).reason.startswith("what was extracted does not fit the expression")
    one = plan(page_task(), failed=frozenset({"found"}))
    assert isinstance(one.checks["page_1"], Unknown)


def test_a_gap_in_truth_that_only_data_shows_is_not_held_against_the_team() -> None:
    task = with_people(
        {"id": "t_{{ loop.index }}", "assert": "a.born and truth[a.born] == a.name"}, truth=["x"]
    )
    one = plan(task, found={"people": [{"born": 7}, {"born": 0, "name": "x"}]})
    assert one.checks["t_1"] == Unknown(
        "t_1", "the rubric has a fault: truth has no item 7 here; truth is the rubric's own, so give it all"
    )
    page = plan(page_task(**{"assert": "page.year and truth[page.year]"}), found={"people": [ADA]}).checks[
        "page_1"
    ]
    assert isinstance(page, PageExtraction)
    assert page.decision({"year": 9}).reason.startswith("the rubric has a fault")


def test_descriptions_never_break_a_plan() -> None:
    leaf = {"id": "d_{{ loop.index }}", "assert": "a.name", "description": "{{ a.name + 1 }}"}
    one = plan(with_people(leaf, count=1), found={"people": [ADA]})
    assert one.root.children[0].children[0].description == "{{ a.name + 1 }}"
