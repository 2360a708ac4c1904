"""Every way a rubric tree can be wrong, and the place and advice its author gets."""

from __future__ import annotations

from typing import Any

import pytest

from judging.rubric import InvalidRubric, parse_rubric
from tests.unit.judging.rubric.faulty import CHILD, FILE, SOFT, found, node
from tests.unit.judging.rubric.sets import LEAF, PEOPLE, read, tree_task, warnings, with_people


def test_a_critical_node_has_critical_children_only() -> None:
    task = tree_task({"children": [{"id": "gate", "critical": True, "children": [LEAF, SOFT]}]})
    reason = "is not critical though its parent is; make it critical too, or the parent non-critical"
    assert found(task) == [f"tree.children[0].children[1]: {reason}"]


def test_a_critical_loop_repeats_a_critical_node() -> None:
    task = with_people({"id": "x_{{ loop.index }}", "critical": True, "assert": "a.name"})
    task["tree"]["critical"] = True
    reason = "is not critical though its parent is; make it critical too, or the parent non-critical"
    assert found(task) == [f"tree.node: {reason}"]


NEEDS_EVIDENCE = (
    'needs either "sources" (an expression for the pages that must support it) or "evidence: none", not both'
)


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ({"children": []}, [f"{CHILD}.children: is an empty list; leave the key out or give an entry"]),
        ({}, [f"{CHILD}: a node needs one of children, for_each with node, claim, assert, or extract with from_url and assert"]),
        ({"claim": "x", "evidence": "none", "assert": "task"}, [f"{CHILD}: a node is of one kind, this one has claim and assert; split it"]),
        ({"children": [SOFT], "assert": "task"}, [f"{CHILD}: a node is of one kind, this one has children and assert; split it"]),
        ({"claim": "x"}, [f"{CHILD}: {NEEDS_EVIDENCE}"]),
        ({"claim": "x", "evidence": "none", "sources": "task"}, [f"{CHILD}: {NEEDS_EVIDENCE}"]),
        ({"claim": "x", "evidence": "some"}, [f'{CHILD}.evidence: must be one of none, is the text "some"']),
        ({"assert": "task", "mode": "parallel"}, [f'{CHILD}: a leaf has no "mode"; it belongs to a node with children']),
        ({"children": [SOFT], "mode": "random"}, [f'{CHILD}.mode: must be one of parallel, sequential, is the text "random"']),
        ({"assert": "task", "sources": "task"}, [f'{CHILD}.sources: needs "claim" beside it']),
        ({"claim": "x", "evidence": "none", "error": "incomplete.partial"}, [f'{CHILD}.error: needs "assert" beside it']),
        ({"assert": "task", "error": "incomplete"}, [f'{CHILD}.error: must be one of incomplete.not_found, incomplete.partial, criteria_violation, '
          'attribution.invalid, attribution.missing, unsupported.retrieval, unsupported.synthesis, is the text "incomplete" (did you mean "incomplete.partial"?)']),
        ({"assert": "task", "weight": 0}, [f"{CHILD}.weight: nodes and rubrics carry no weights; weights belong to the scoring profile in taskset.yaml"]),
        ({"assert": "task", "critcal": True}, [f'{CHILD}.critcal: unknown key (did you mean "critical"?); known are id, description, critical, mode, children, '
          "for_each, node, assert, error, claim, evidence, sources, additional, votes, screenshot, extract, from_url"]),
        ({"claim": "x", "evidence": "none", "votes": 2}, [f"{CHILD}.votes: must be an odd number of votes from 1 to 9, is 2"]),
        ({"claim": "x", "evidence": "none", "votes": 11}, [f"{CHILD}.votes: must be an odd number of votes from 1 to 9, is 11"]),
        ({"claim": "x", "evidence": "none", "screenshot": "maybe"}, [f'{CHILD}.screenshot: must be one of auto, never, always, is the text "maybe"']),
        ({"claim": " ", "evidence": "none"}, [f"{CHILD}.claim: must not be blank"]),
        ({"claim": 5, "evidence": "none"}, [f"{CHILD}.claim: must be text, is 5; write it in quotes"]),
        ({"claim": "x" * 4001, "evidence": "none"}, [f"{CHILD}.claim: has 4,001 characters, at most 4,000 are allowed"]),
        ({"assert": "task", "critical": "yes"}, [f'{CHILD}.critical: must be true or false, is the text "yes"']),
        ({"assert": True}, [f"{CHILD}.assert: must be text, is true; write it in quotes"]),
        ({"assert": None}, [f"{CHILD}.assert: must be text, is empty"]),
        ({"for_each": {"in": "task", "as": "t", "count": 1}}, [f'{CHILD}.for_each: needs "node" beside it', f"{CHILD}.for_each.in: must give a list"]),
        ({"node": SOFT, "assert": "task"}, [f'{CHILD}.node: needs "for_each" beside it']),
        ({"from_url": "task", "assert": "task"}, [f'{CHILD}.from_url: needs "extract" beside it']),
        ({"assert": "nothing"}, [f"{CHILD}.assert: unknown name 'nothing'; known are answer, task"]),
        ({"assert": "truth.x"}, [f"{CHILD}.assert: unknown name 'truth'; known are answer, task"]),
        ({"assert": "task ==\n  (answer"}, [f"{CHILD}.assert: line 2: unexpected end of template, expected ')'."]),
        ({"claim": "one\ntwo {{ task }", "evidence": "none"}, [f"{CHILD}.claim: line 2: unexpected '}}'"]),
        ({"claim": "x", "sources": "5 + task | length"}, []),
        ({"claim": "x", "sources": "{{ task }}"}, [f"{CHILD}.sources: an expression is written without {{{{ }}}}, as in a.name and a.sources"]),
        ({"claim": "x", "evidence": "none", "additional": "{{ y }}"}, [f"{CHILD}.additional: unknown name 'y'; known are answer, task"]),
        ({"assert": "task", "description": "{{ y }}"}, [f"{CHILD}.description: unknown name 'y'; known are answer, task"]),
        ({"id": "{{ task }}", "assert": "task"}, [f"{CHILD}.id: unknown name 'task'; known are none (an id is the same for every answer: it may use loop, truth "
          "and lists out of truth)"]),
        ({"id": "a b", "assert": "task"}, [f'{CHILD}.id: gives "a b": letters, digits and _ . : - only, at most 100 of them']),
        ({"id": "x" * 101, "assert": "task"}, [f'{CHILD}.id: gives "{"x" * 59}…: letters, digits and _ . : - only, at most 100 of them']),
        ({"id": "leaf", "assert": "task"}, [f'{CHILD}.id: gives "leaf", the id of tree.children[0] already']),
        ({"id": "root", "assert": "task"}, [f'{CHILD}.id: gives "root", the id of tree already']),
    ],
)  # fmt: skip
def test_a_node_that_is_wrong_is_named_with_advice(keys: dict[str, Any], lines: list[str]) -> None:
    assert found(node(**keys)) == lines


def test_only_the_root_may_go_without_an_id() -> None:
    task = tree_task({"children": [{"claim": "x", "evidence": "none"}]})
    assert found(task) == ["tree.children[0].id: is missing; give an id"]


def test_a_tree_is_a_mapping_and_there_has_to_be_one() -> None:
    assert found(tree_task([LEAF])) == ["tree: must be a mapping, is a list"]
    assert found(tree_task({"children": [5]})) == ["tree.children[0]: must be a mapping, is 5"]
    assert found({"prompt": "Who?"}) == ["tree: is missing; give the tree of nodes"]


@pytest.mark.parametrize(
    ("loop", "lines"),
    [
        ({"in": "found.people", "as": "a"}, ["count: is missing: how many items does the task ask for? A list out of the answer must not set "
          "the denominator"]),
        ({"in": "found.people", "as": "a", "count": 0}, ["count: must be at least 1, is 0"]),
        ({"in": "found.people", "as": "a", "count": 101}, ["count: must be at most 100, is 101"]),
        ({"in": "found.people", "as": "task", "count": 1}, ["as: 'task' has a meaning of its own; choose another name"]),
        ({"in": "found.people", "as": "if", "count": 1}, ["as: 'if' has a meaning of its own; choose another name"]),
        ({"in": "found.people", "as": "found", "count": 1}, ["as: 'found' is the name of something else here; choose another"]),
        ({"in": "found.people", "as": "_a", "count": 1}, ['as: "_a" is not a name of letters, digits and underscores that begins with a letter']),
        ({"in": "found", "as": "a", "count": 1}, ["in: must give a list"]),
        ({"in": "found.persons", "as": "a", "count": 1}, ["in: the schema declares no property 'persons'; declared are people"]),
        ({"in": "found.", "as": "a", "count": 1}, ["in: line 1: expected name or number"]),
        ({"as": "a", "count": 1}, ["in: is missing; give an expression"]),
        ({"in": "found.people", "as": 5, "count": 1}, ["as: must be text, is 5; write it in quotes"]),
    ],
)  # fmt: skip
def test_a_loop_that_is_wrong_is_named_with_advice(loop: dict[str, Any], lines: list[str]) -> None:
    task = with_people({"id": "x_{{ loop.index }}", "assert": "task"})
    task["tree"]["for_each"] = loop
    assert found(task) == [f"tree.for_each.{line}" for line in lines]


def test_a_field_of_a_loops_item_must_be_declared() -> None:
    task = with_people({"id": "x_{{ loop.index }}", "assert": "a.nmae or a.previous.surname or loop.indx"})
    assert found(task) == [
        "tree.node.children[0].assert: the schema declares no property 'nmae' (did you mean \"name\"?); "
        "declared are name, born, sources",
        "tree.node.children[0].assert: the schema declares no property 'surname' (did you mean \"name\"?); "
        "declared are name, born, sources",
        "tree.node.children[0].assert: the schema declares no property 'indx' (did you mean \"index\"?); "
        "declared are index, index0, first, last, length",
    ]


def test_items_with_a_field_called_previous_are_refused() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"next": {"type": "string"}}}}
    task = tree_task(
        {"for_each": {"in": "pages", "as": "p", "count": 1}, "node": {"id": "x", "assert": "p.next"}},
        extract={"pages": {"instruction": "x", "schema": schema}},
    )
    assert found(task) == [
        "tree.for_each.in: its items have a property 'next', which means the neighbour here; rename it in the schema"
    ]


def test_ids_are_unique_after_unrolling() -> None:
    leaf = {"id": "x_{{ loop.length }}", "assert": "task"}
    reason = "in more than one slot of a loop; put {{ loop.index }} into it"
    assert found(with_people(leaf)) == [f'tree.node.children[0].id: gives "x_2" {reason}']
    task = with_people({"id": "same", "assert": "task"}, {"id": "same", "assert": "task"}, count=1)
    assert found(task) == [
        'tree.node.children[1].id: gives "person_1/same", the id of tree.node.children[0] already'
    ]
    task["tree"]["node"] = {"id": "same", "assert": "task"}
    task["tree"]["for_each"]["count"] = 2
    assert found(task) == [f'tree.node.id: gives "same" {reason}']


def test_ids_of_slots_do_not_grow_without_end() -> None:
    inner = {"id": "y" * 100, "children": [{"id": "z" * 100, "assert": "task"}]}
    loop = {"id": "loop", "for_each": {"in": "a.sources", "as": "s", "count": 1}, "node": inner}
    task = with_people(loop, count=1)
    task["tree"]["node"]["id"] = "x" * 100
    assert found(task) == [
        "tree.node.children[0].node.children[0].id: gives an id of 302 characters with the loop's; 250 are allowed"
    ]
    assert found(tree_task({"id": "a/b", "assert": "task"})) == [
        'tree.id: gives "a/b": letters, digits and _ . : - only, at most 100 of them'
    ]


def test_an_id_never_depends_on_the_answer() -> None:
    task = with_people({"id": "{{ a.name }}", "assert": "task"})
    (line,) = found(task)
    assert line.startswith("tree.node.children[0].id: unknown name 'a'; known are loop (an id is the same")


def test_truth_must_hold_what_is_asked_of_it() -> None:
    task = with_people(
        {"id": "a_{{ loop.index }}", "claim": "{{ truth.names[loop.index0] }}", "evidence": "none"},
        {"id": "b_{{ loop.index }}", "assert": "a.name and truth.nmaes"},
        {"id": "c_{{ truth.keys[loop.index0] }}", "assert": "a.name"},
        {"id": "d_{{ loop.index }}", "assert": "a.name", "description": "{{ truth.names[loop.index] }}"},
        count=2,
        truth={"names": ["Ada"], "keys": ["k1"]},
    )
    assert found(task) == [
        "tree.node.children[1].assert: the schema declares no property 'nmaes' (did you mean \"names\"?); "
        "declared are names, keys"
    ]
    del task["tree"]["node"]["children"][1]
    gap = "truth has no item {} here; truth is the rubric's own, so give it all"
    assert found(task) == [
        f"tree.node.children[2].description: {gap.format(1)}",
        f"tree.node.children[0]: {gap.format(1)}",
        f"tree.node.children[1].id: {gap.format(1)}",
        f"tree.node.children[2].description: {gap.format(2)}",
        'tree.node.children[1].id: gives "": letters, digits and _ . : - only, at most 100 of them',
    ]


def test_a_list_of_the_authors_own_may_not_be_empty() -> None:
    task = tree_task(
        {"children": [LEAF, {"id": "n", "for_each": {"in": "truth", "as": "t"}, "node": SOFT}]}, truth=[]
    )
    assert found(task) == ["tree.children[1].for_each.in: is an empty list; a node needs children"]
    task["truth"] = {"a": {"b": ["x"]}}
    task["tree"]["children"][1]["for_each"]["in"] = "truth.a['b'][3]"
    assert found(task)[0] == "tree.children[1].for_each.in: must give a list"


def test_a_loop_over_a_gap_in_truth_is_told() -> None:
    task = tree_task(
        {"children": [LEAF, {"id": "n", "for_each": {"in": "truth[3]", "as": "t"}, "node": SOFT}]},
        truth=[["x"], 5],
    )
    assert found(task)[0] == (
        "tree.children[1].for_each.in: truth has no item 3 here; truth is the rubric's own, so give it all"
    )


def test_loops_do_not_multiply_without_end() -> None:
    deep: dict[str, Any] = {
        "id": "l_{{ loop.parent.parent.index }}_{{ loop.parent.index }}_{{ loop.index }}",
        "assert": "task",
    }
    for name in ("c", "b", "a"):
        deep = {"id": f"{name}_x", "for_each": {"in": "found", "as": name, "count": 100}, "node": deep}
    task = tree_task(deep, extract={"found": {"instruction": "x", "schema": {"type": "array"}}})
    assert found(task) == ["tree: the loops multiply to more than 5,000 nodes; ask for fewer items"]


def test_one_reading_tells_the_faults_of_shape_and_meaning_together() -> None:
    task = tree_task(
        {
            "children": [
                {"id": "x", "assert": "nope", "votes": 1},
                {"id": 5, "claim": "{{ nope }}", "evidence": "none"},
            ]
        },
        extract={"unused": 5},
        domain="",
    )
    paths = [line.split(": ")[0] for line in found(task)]
    assert paths == ["domain", "extract.unused", "tree.children[0].votes", "tree.children[1].id",
                     "tree.children[0].assert", "tree.children[1].claim"]  # fmt: skip


@pytest.mark.parametrize(
    ("leaf", "line"),
    [
        ({"assert": "truth.year + 'x' == 1"}, "a number is needed, this is 'x'; the filters int and float read text"),
        ({"assert": "truth.year / (truth.none | length)"}, "what was extracted does not fit the expression: division by zero"),
        ({"claim": "{{ truth.year / (truth.none | length) }}", "evidence": "none"}, "division by zero"),
        ({"assert": "a.born / (truth.none | length)"}, None),
        ({"assert": "truth.year / (answer | length)"}, None),
        ({"assert": "truth.year / (a.sources | length)"}, None),
        ({"assert": "truth.year > 1900"}, None),
    ],
)  # fmt: skip
def test_what_fails_by_its_own_truth_is_a_fault(leaf: dict[str, Any], line: str | None) -> None:
    task = with_people({"id": "x", **leaf}, truth={"year": 1900, "none": []})
    lines = found(task)
    assert len(lines) == (line is not None)
    if line is not None:
        assert lines[0].startswith("tree.node.children[0]")
        assert lines[0].endswith(line)


def test_warnings_come_without_faults() -> None:
    gift = {"id": "g_{{ loop.index }}", "assert": "a.born != 1900"}
    task = with_people(gift)
    task["extract"] = {
        "found": {"instruction": "{{ task }}", "schema": PEOPLE},
        "idle": {"instruction": "x", "schema": {}},
    }
    assert warnings(task) == [
        f"{FILE}extract.found.instruction: an instruction is no template; the judge sees {{{{ }}}} as it stands",
        f"{FILE}extract.idle: is extracted and never used; it costs a call for every answer",
        f"{FILE}tree: no node is critical: an answer that misses the point can still earn points",
        f"{FILE}tree.node.children[0].assert: is true for an answer that gives nothing; ask for the field as well: "
        "a.year and a.year != 1999",
    ]


@pytest.mark.parametrize(
    ("mode", "first"),
    [
        ("parallel", {"id": "f", "critical": True, "assert": "answer"}),
        ("parallel", {"id": "f", "critical": True, "children": [{"id": "ff", "critical": True, "assert": "answer"}]}),
        ("parallel", {"id": "f", "critical": True, "claim": "x", "sources": "found.people[0].sources"}),
        ("sequential", {"id": "f", "assert": "answer"}),
    ],
)  # fmt: skip
def test_an_assertion_behind_a_gate_is_no_gift(mode: str, first: dict[str, Any]) -> None:
    children = [first, {"id": "gift", "assert": "not found.people"}, LEAF]
    task = tree_task(
        {"mode": mode, "children": children}, extract={"found": {"instruction": "x", "schema": PEOPLE}}
    )
    assert warnings(task) == []
    children[0] = {**first, "critical": False}
    task["tree"]["mode"] = "parallel"
    assert len(warnings(task)) == 1 or "children" in first


def test_a_stored_rubric_is_checked_again() -> None:
    with pytest.raises(InvalidRubric) as caught:
        parse_rubric({"tree": {"children": [LEAF, LEAF], "x": 1}}, "rubric_tree")
    assert [fault.path for fault in caught.value.faults] == ["tree.x"]
    assert str(caught.value).startswith("tree.x: unknown key")
    with pytest.raises(InvalidRubric, match=r"^tree\.children\[1\]\.id: gives"):
        parse_rubric({"tree": {"children": [LEAF, LEAF]}}, "rubric_tree")
    with pytest.raises(InvalidRubric, match=r"^protocol: must be one of rubric_tree, cascade, is 'tree'"):
        parse_rubric({}, "tree")
    with pytest.raises(InvalidRubric, match=r"^x: unknown key; known are subtasks; subtasks\[0\]: must be"):
        parse_rubric({"subtasks": [5], "x": 1}, "cascade")


def test_a_stored_rubric_gives_the_same_plan() -> None:
    reading = read(with_people({"id": "x_{{ loop.index }}", "critical": True, "assert": "a.name"}))
    assert reading.bundle
    rubric = parse_rubric(reading.bundle.tasks[0].rubric, "rubric_tree")
    assert rubric == parse_rubric(dict(reversed(reading.bundle.tasks[0].rubric.items())), "rubric_tree")
