"""Unrolling a rubric tree over one answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.rubric import Assertion, Claim, expand
from judging.tree import Mode, Node, tree_faults
from tests.unit.judging.rubric.people import ADA, BOB, GIVEN, HOLE, SOURCED, ids
from tests.unit.judging.rubric.sets import LEAF, plan, tree, tree_task, with_people


def test_a_tree_keeps_gates_modes_ids_and_descriptions() -> None:
    task = tree_task(
        {
            "mode": "sequential",
            "description": "All of {{ task }}",
            "children": [LEAF, {"id": "two", "children": [{"id": "three", "assert": "'x' in answer"}]}],
        }
    )
    assert plan(task, answer="x").root == Node(
        "root",
        mode=Mode.SEQUENTIAL,
        description="All of Who?",
        children=(
            Node("leaf", critical=True, description="Water is wet"),
            Node("two", children=(Node("three", description="'x' in answer"),)),
        ),
    )


def test_slots_are_padded_so_that_a_short_list_fails_them() -> None:
    one = plan(with_people(GIVEN, SOURCED, count=3), found={"people": [ADA, BOB]})
    assert ids(one.root) == ["root"] + [
        f"{kind}_{n}" for n in (1, 2, 3) for kind in ("person", "given", "sourced")
    ]
    assert [one.checks[f"given_{n}"].holds for n in (1, 2, 3)] == [True, False, False]  # type: ignore[union-attr]  # checks of one kind
    assert one.checks["sourced_1"] == Claim(
        "sourced_1", "Ada came after nobody", ("https://a.org/1", "https://a.org/2")
    )
    assert one.checks["sourced_2"] == Claim("sourced_2", "Bob came after Ada", ())
    assert one.checks["sourced_3"] == Assertion(
        "sourced_3", False, None, SOURCED["claim"], HOLE.format("a.name"), misfit=True
    )


@pytest.mark.parametrize(
    ("given", "urls"),
    [
        ("Smallville", ()),
        (["Smallville", "the town's own page", "1712", "a.b", ""], ()),
        (["[Smallville](http://x.org/a)", "see https://x.org/b.", "www.x.org", "x.org/c"],
         ("http://x.org/a", "https://x.org/b", "https://www.x.org", "https://x.org/c")),
        ([" HTTPS://x.org/a b", "https://", "http://[::1/"], ("HTTPS://x.org/a b", "https://", "http://[::1/")),
        ([5, None, {"url": "https://x.org"}], ()),
        ({"url": "https://x.org"}, ()),
    ],
)  # fmt: skip
def test_what_is_no_url_is_no_source(given: Any, urls: tuple[str, ...]) -> None:
    one = plan(with_people(SOURCED, count=1), found={"people": [{"name": "Ada", "sources": given}]})
    assert one.checks["sourced_1"] == Claim("sourced_1", "Ada came after nobody", urls)


def test_surplus_items_are_left_out_and_no_neighbours() -> None:
    leaf = {
        "id": "n{{ loop.index }}",
        "claim": "{{ a.name }}|{{ a.previous.name or '-' }}|{{ a.next.name or '-' }}",
        "evidence": "none",
    }
    one = plan(with_people(leaf), found={"people": [{"name": "A"}, {"name": "B"}, {"name": "C"}]})
    assert [check.statement for check in one.checks.values()] == ["A|-|B", "B|A|-"]  # type: ignore[union-attr]  # checks of one kind


@pytest.mark.parametrize(
    "found", [None, {}, {"people": None}, {"people": "Ada"}, {"people": {"name": "Ada"}}, [], "x"]
)
def test_odd_data_is_no_items(found: Any) -> None:
    one = plan(with_people(GIVEN), found=found)
    assert [check.holds for check in one.checks.values()] == [False, False]  # type: ignore[union-attr]  # checks of one kind


def test_a_list_that_does_not_fit_is_no_items() -> None:
    task = with_people(GIVEN)
    task["tree"]["for_each"]["in"] = "[found] + found.people"
    one = plan(task, found={"people": "nobody"})
    assert [check.holds for check in one.checks.values()] == [False, False]  # type: ignore[union-attr]  # checks of one kind


def test_a_loop_over_texts_has_neighbours_too() -> None:
    task = tree_task(
        {
            "for_each": {"in": "urls", "as": "url", "count": 2},
            "node": {
                "id": "u{{ loop.index }}",
                "claim": "{{ url }} after {{ url.previous }}",
                "sources": "url",
            },
        },
        extract={"urls": {"instruction": "URLs", "schema": {"type": "array", "items": {"type": "string"}}}},
    )
    one = plan(task, urls=["https://a.org", "https://b.org"])
    assert one.checks["u2"] == Claim("u2", "https://b.org after https://a.org", ("https://b.org",))


def test_loops_nest_and_know_the_loop_around_them() -> None:
    task = with_people(
        {
            "id": "works_{{ loop.index }}",
            "for_each": {"in": "a.sources", "as": "source", "count": 2},
            "node": {
                "id": "w_{{ loop.parent.index }}_{{ loop.index }}",
                "claim": "{{ source or 'nothing' }} by {{ a.name or 'nobody' }}, {{ loop.first }}{{ loop.last }}{{ loop.length }}",
                "evidence": "none",
            },
        }
    )
    one = plan(task, found={"people": [{"name": "Ada", "sources": ["x"]}]})
    assert [(name, check.statement) for name, check in one.checks.items()] == [  # type: ignore[union-attr]  # checks of one kind
        ("w_1_1", "x by Ada, truefalse2"),
        ("w_1_2", "nothing by Ada, falsetrue2"),
        ("w_2_1", "nothing by nobody, truefalse2"),
        ("w_2_2", "nothing by nobody, falsetrue2"),
    ]


def test_an_id_without_a_template_stands_below_its_slot() -> None:
    inner = {"id": "works", "for_each": {"in": "a.sources", "as": "s", "count": 1}, "node": {"id": "work_{{ loop.parent.index }}", "children": [
        {"id": "title", "assert": "s"}]}}  # fmt: skip
    task = with_people(
        {"id": "given", "assert": "a.name"},
        {"id": "own_{{ loop.index }}", "assert": "a.name"},
        inner,
        count=2,
    )
    assert ids(plan(task).root) == ["root"] + [
        name.format(n)
        for n in (1, 2)
        for name in ("person_{}", "person_{}/given", "own_{}", "person_{}/works", "work_{}", "work_{}/title")
    ]


def test_the_authors_own_list_sets_the_number_of_slots() -> None:
    task = tree_task(
        {
            "for_each": {"in": "truth.towns", "as": "town"},
            "node": {
                "id": "town_{{ town.key }}",
                "for_each": {"in": "town.sights", "as": "sight"},
                "node": {
                    "id": "{{ town.key }}_{{ sight }}",
                    "claim": "{{ town.key }} has {{ sight }}",
                    "evidence": "none",
                },
            },
        },
        truth={
            "towns": [{"key": "ulm", "sights": ["minster"]}, {"key": "bonn", "sights": ["rhine", "hall"]}]
        },
    )
    assert list(plan(task).checks) == ["ulm_minster", "bonn_rhine", "bonn_hall"]


def test_an_answers_braces_are_never_evaluated() -> None:
    leaf = {
        "id": "b_{{ loop.index }}",
        "claim": "It is {{ a.name }}",
        "sources": "a.sources",
        "additional": "{{ a.name }}",
    }
    evil = "https://x.org/{{ truth }} {% for x in truth %}{{ x }}{% endfor %} {{ ''.__class__ }}"
    one = plan(
        with_people(leaf, count=1, truth=["secret"]), found={"people": [{"name": evil, "sources": [evil]}]}
    )
    assert one.checks["b_1"] == Claim("b_1", f"It is {evil}", (evil,), evil)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["people", "name", "born", "sources", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON, st.text(max_size=40))
def test_any_extraction_gives_the_same_nodes_and_the_same_plan_twice(found: Any, answer: str) -> None:
    rubric = tree(
        with_people(GIVEN, SOURCED, {"id": "b_{{ loop.index }}", "assert": "a.born * 2 > 3"}, count=3)
    )
    first, second = (
        expand(rubric, task="Who?", answer=answer, extracted={"found": found}, failed=frozenset())
        for _ in range(2)
    )
    assert first == second
    assert list(first.checks) == list(second.checks)
    assert ids(first.root) == ids(
        plan(with_people(GIVEN, SOURCED, {"id": "b_{{ loop.index }}", "assert": "a.born"}, count=3)).root
    )
    assert tree_faults(first.root) == []
