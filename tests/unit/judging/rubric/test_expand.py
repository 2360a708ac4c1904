"""Unrolling a rubric tree over one answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.rubric import Assertion, Claim, PageExtraction, Unknown, expand, extraction_url
from judging.tree import Mode, Node, tree_faults
from tests.unit.judging.rubric.sets import LEAF, plan, tree, tree_task, with_people

GIVEN: dict[str, Any] = {"id": "given_{{ loop.index }}", "critical": True, "assert": "a.name and a.sources",
                         "error": "incomplete.partial"}  # fmt: skip
SOURCED: dict[str, Any] = {
    "id": "sourced_{{ loop.index }}",
    "claim": "{{ a.name }} came after {{ a.previous.name or 'nobody' }}",
    "sources": "a.sources",
}
ADA = {"name": "Ada", "born": 1815, "sources": ["https://a.org/1 ", "https://a.org/2", "https://a.org/1", ""]}
BOB = {"name": "Bob", "sources": []}


def ids(node: Node) -> list[str]:
    return [node.id, *(name for child in node.children for name in ids(child))]


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


HOLE = "what was extracted does not fit the claim: a value that it names is missing ({})"


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
