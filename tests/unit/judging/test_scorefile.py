"""Score files, line by line: what is scored and what is refused, with its place."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.scorefile import Fault, Refused, Scored, score_lines


def leaf(name: str, verdict: str | None, *, critical: bool = False) -> dict[str, Any]:
    return {"id": name, "critical": critical, "verdict": verdict}


def tree_line(tree: object, **more: object) -> bytes:
    return json.dumps({"key": "t", "protocol": "rubric_tree", "tree": tree, **more}).encode()


def cascade_line(*subtasks: object, **more: object) -> bytes:
    return json.dumps({"key": "c", "protocol": "cascade", "subtasks": list(subtasks), **more}).encode()


def subtask(name: str, importance: str, **dimensions: object) -> dict[str, object]:
    return {"id": name, "importance": importance, **dimensions}


def scored(line: bytes) -> dict[str, Any]:
    [outcome] = score_lines([line])
    assert isinstance(outcome, Scored), outcome
    return outcome.result


def faults(line: bytes) -> list[tuple[str, str]]:
    [outcome] = score_lines([line])
    assert isinstance(outcome, Refused), outcome
    return [(fault.path, fault.reason) for fault in outcome.faults]


MET = {"verdict": "met"}
UNMET = {"verdict": "unmet"}
SOFT = leaf("a", "met")


# Lines that are scored


def test_a_tree_is_scored() -> None:
    tree = {
        "id": "root",
        "description": "Everything",
        "critical": False,
        "mode": "sequential",
        "children": [leaf("a", "met"), leaf("b", "unmet"), leaf("c", "met")],
    }
    assert scored(tree_line(tree)) == {"key": "t", "score": 1 / 3, "status": "partial"}


@pytest.mark.parametrize("verdict", ["not_assessed", "error", None])
def test_an_unknown_verdict_leaves_a_root_null(verdict: str | None) -> None:
    tree = {"id": "r", "children": [leaf("a", "met"), leaf("b", verdict)]}
    assert scored(tree_line(tree)) == {"key": "t", "score": None, "status": None}


def test_a_leaf_is_a_tree_and_its_mode_and_flags_may_be_left_out() -> None:
    assert scored(tree_line({"id": "r", "verdict": "met"}))["status"] == "passed"
    assert (
        scored(tree_line({"id": "r", "verdict": "unmet", "children": [], "mode": None}))["status"] == "failed"
    )


def test_a_node_may_carry_null_for_what_it_does_not_have() -> None:
    tree = {"id": "r", "verdict": None, "children": [{**SOFT, "children": None}]}
    assert scored(tree_line(tree))["score"] == 1.0


def test_a_cascade_is_scored() -> None:
    half = subtask(
        "a",
        "P0",
        instruction=[MET],
        factuality=[{"claims": ["supported"] * 3 + ["refuted"] * 3}],
        rationality=[MET],
    )
    good = subtask("b", "P1", instruction=[MET], factuality=[{"verdict": "met"}], rationality=[MET])
    fine = subtask("c", "P2", instruction=[MET], rationality=[MET])
    result = scored(cascade_line(half, good, fine))
    assert list(result) == ["key", "instruction", "factuality", "rationality", "overall", "user_pref"]
    assert result == {
        "key": "c",
        "instruction": 1.0,
        "factuality": 2 / 3,
        "rationality": 1.0,
        "overall": 1.5 / 1.75,
        "user_pref": 2,
    }


def test_unknown_verdicts_and_claims_are_null() -> None:
    unknown = subtask("a", "P0", instruction=[{"verdict": None}], factuality=[{"claims": [None]}])
    assert scored(cascade_line(unknown)) == {
        "key": "c",
        "instruction": None,
        "factuality": None,
        "rationality": None,
        "overall": None,
        "user_pref": None,
    }


@pytest.mark.parametrize(
    ("rubric", "overall"),
    [
        ({"claims": []}, 0.0),
        ({"claims": None}, None),
        ({"verdict": None}, None),
        ({"claims": None, "verdict": "met"}, 1.0),
        ({"claims": ["supported"], "verdict": None}, 1.0),
        ({"claims": ["supported", "undecided"]}, 0.5),
        ({"claims": ["supported", "not_assessed"]}, None),
    ],
)
def test_a_factuality_rubric_holds_claims_or_a_verdict(rubric: object, overall: float | None) -> None:
    assert scored(cascade_line(subtask("a", "P0", factuality=[rubric])))["overall"] == overall


def test_a_profile_changes_the_constants() -> None:
    halves = subtask("a", "P0", instruction=[MET, UNMET], rationality=[MET])
    assert scored(cascade_line(halves))["overall"] == 0.0
    assert scored(cascade_line(halves, profile={"gate_threshold": 0.5}))["overall"] == 0.5


def test_keys_come_back_as_they_were_and_descriptions_are_passed_over() -> None:
    line = tree_line({**SOFT, "title": "x", "comment": [1]}, key=7, name="seven")
    assert scored(line)["key"] == 7
    assert scored(tree_line(SOFT, key="Zürich 中"))["key"] == "Zürich 中"


def test_blank_lines_line_ends_and_a_byte_order_mark_are_passed_over() -> None:
    lines = [b"\xef\xbb\xbf" + tree_line(SOFT) + b"\r\n", b"\n", b"  \r\n", tree_line(SOFT)]
    assert [outcome.line for outcome in score_lines(lines) if isinstance(outcome, Scored)] == [1, 4]


def test_a_bad_line_does_not_keep_the_others_from_being_scored() -> None:
    outcomes = list(score_lines([tree_line(SOFT), b"{\n", tree_line(SOFT)]))
    assert [type(outcome) for outcome in outcomes] == [Scored, Refused, Scored]
    assert outcomes[1].line == 2


# Lines that are refused

NO_TREES: Mapping[str, tuple[object, list[tuple[str, str]]]] = {
    "no object": (["r"], [("tree", "must be an object")]),
    "nothing": (None, [("tree", "must be an object")]),
    "no id": ({"verdict": "met"}, [("tree.id", "must be a text")]),
    "an empty id": (leaf("", "met"), [("tree:", "has no id")]),
    "neither children nor a verdict": (
        {"id": "r", "children": []},
        [("tree", "has neither children nor a verdict")],
    ),
    "children and a verdict": (
        {"id": "r", "children": [SOFT], "verdict": "met"},
        [("tree:r", "has children and a verdict")],
    ),
    "an unknown verdict": (
        {"id": "r", "children": [leaf("a", "failed")]},
        [("tree.children[0].verdict", "must be one of met, unmet, not_assessed, error, or null")],
    ),
    "an unknown mode": (
        {"id": "r", "mode": "zigzag", "children": [SOFT]},
        [("tree.mode", "must be one of parallel, sequential, or null")],
    ),
    "a flag that is none": (
        {"id": "r", "children": [{**SOFT, "critical": "yes"}]},
        [("tree.children[0].critical", "must be true or false")],
    ),
    "a misspelt key": ({**SOFT, "critcal": True}, [("tree.critcal", "is not known here")]),
    "children that are no list": (
        {"id": "r", "children": {"a": SOFT}},
        [("tree.children", "must be a list"), ("tree", "has neither children nor a verdict")],
    ),
    "a child that is no object": (
        {"id": "r", "children": [SOFT, 3]},
        [("tree.children[1]", "must be an object")],
    ),
    "an id used twice": (
        {"id": "r", "children": [SOFT, {"id": "b", "children": [SOFT]}]},
        [("tree:r/b/a", "id is used twice")],
    ),
    "a soft child of a critical node": (
        {"id": "r", "children": [{"id": "b", "critical": True, "children": [SOFT]}]},
        [("tree:r/b", "critical, but its child 'a' is not")],
    ),
}


@pytest.mark.parametrize(("tree", "expected"), NO_TREES.values(), ids=NO_TREES.keys())
def test_a_faulty_tree_is_refused_with_its_place(tree: object, expected: list[tuple[str, str]]) -> None:
    assert faults(tree_line(tree)) == expected


NO_CASCADES: Mapping[str, tuple[bytes, list[tuple[str, str]]]] = {
    "no subtask": (cascade_line(), [("subtasks:", "has no subtask")]),
    "subtasks that are no list": (
        cascade_line(subtasks={}),
        [("subtasks", "must be a list")],
    ),
    "no rubric": (cascade_line(subtask("a", "P0")), [("subtasks:a", "has no rubric")]),
    "an id used twice": (
        cascade_line(subtask("a", "P0", instruction=[MET]), subtask("a", "P1", instruction=[MET])),
        [("subtasks:a", "id is used twice")],
    ),
    "an unknown importance": (
        cascade_line(subtask("a", "P3", instruction=[MET])),
        [("subtasks[0].importance", "must be one of P0, P1, P2")],
    ),
    "no importance": (
        cascade_line({"id": "a", "instruction": [MET]}),
        [("subtasks[0].importance", "must be one of P0, P1, P2")],
    ),
    "a rubric without a verdict": (
        cascade_line(subtask("a", "P0", instruction=[{}], factuality=[{}], rationality=[MET])),
        [("subtasks[0].instruction[0]", "has no verdict"), ("subtasks[0].factuality[0]", "has no verdict")],
    ),
    "a bare verdict": (
        cascade_line(subtask("a", "P0", rationality=["met"])),
        [("subtasks[0].rationality[0]", "must be an object")],
    ),
    "an unknown claim": (
        cascade_line(subtask("a", "P0", factuality=[{"claims": ["supported", "true"]}])),
        [
            (
                "subtasks[0].factuality[0].claims[1]",
                "must be one of supported, refuted, undecided, not_assessed, error, or null",
            )
        ],
    ),
    "claims and a verdict": (
        cascade_line(subtask("a", "P0", factuality=[{"claims": [], "verdict": "met"}])),
        [("subtasks[0].factuality[0]", "has claims and a verdict")],
    ),
    "a weight": (
        cascade_line(subtask("a", "P0", instruction=[{**MET, "weight": 2}])),
        [("subtasks[0].instruction[0].weight", "is not known here")],
    ),
    "a profile that is no object": (
        cascade_line(subtask("a", "P0", instruction=[MET]), profile="cascade/1"),
        [("profile", "must be an object")],
    ),
    "an unknown constant": (
        cascade_line(subtask("a", "P0", instruction=[MET]), profile={"gate": 1}),
        [("profile.gate", "is no constant of a scoring profile")],
    ),
    "a constant that makes no sense": (
        cascade_line(subtask("a", "P0", instruction=[MET]), profile={"weights": {"P1": 0}}),
        [("profile.weights.P1", "must be 1e-06 to 1e+06")],
    ),
}


@pytest.mark.parametrize(("line", "expected"), NO_CASCADES.values(), ids=NO_CASCADES.keys())
def test_a_faulty_cascade_is_refused_with_its_place(line: bytes, expected: list[tuple[str, str]]) -> None:
    assert faults(line) == expected


NO_LINES: Mapping[str, tuple[bytes, list[tuple[str, str]]]] = {
    "no JSON": (
        b"{",
        [("", "is not JSON: Expecting property name enclosed in double quotes at character 2")],
    ),
    "no UTF-8": (b'{"key": "\xff"}', [("", "is not UTF-8 at byte 10")]),
    "UTF-16": ('{"key": "a"}'.encode("utf-16"), [("", "is not UTF-8 at byte 1")]),
    "no object": (
        b"[]",
        [("key", "must be a text or a whole number"), ("protocol", "must be one of rubric_tree, cascade")],
    ),
    "no key": (
        b'{"protocol": "cascade"}',
        [("key", "must be a text or a whole number")],
    ),
    "a key that is none": (
        b'{"key": true, "protocol": "rubrics"}',
        [("key", "must be a text or a whole number"), ("protocol", "must be one of rubric_tree, cascade")],
    ),
    "NaN": (b'{"key": "a", "x": [NaN]}', [("x[0]", "NaN is no number of JSON")]),
    "infinities": (
        b'{"a": Infinity, "b": {"c": -Infinity}}',
        [("a", "Infinity is no number of JSON"), ("b.c", "-Infinity is no number of JSON")],
    ),
    "1e999": (b'{"key": "a", "profile": {"pass_at": 1e999}}', [("profile.pass_at", "1e999 is too large")]),
    "a number without end": (
        b'{"a": ' + b"9" * 5_000 + b"}",
        [("a", "99999999999999999999… is too large")],
    ),
    "a key given twice": (b'{"key": "a", "tree": {"id": "a", "id": "b"}}', [("tree.id", "is given twice")]),
    "nesting without end": (b"[" * 100_000, [("", "is nested too deeply")]),
    "subtasks in a tree": (tree_line(SOFT, subtasks=[]), [("subtasks", "is not known here")]),
    "a tree in a cascade": (
        cascade_line(subtask("a", "P0", instruction=[MET]), tree=SOFT),
        [("tree", "is not known here")],
    ),
}


@pytest.mark.parametrize(("line", "expected"), NO_LINES.values(), ids=NO_LINES.keys())
def test_a_faulty_line_is_refused_with_its_place(line: bytes, expected: list[tuple[str, str]]) -> None:
    assert faults(line) == expected


def test_every_fault_of_a_line_is_reported_at_once() -> None:
    tree = {"id": "r", "mode": "up", "children": [{"id": 3, "verdict": "yes"}, {"verdict": "met"}]}
    assert [path for path, _ in faults(tree_line(tree))] == [
        "tree.mode",
        "tree.children[0].id",
        "tree.children[0].verdict",
        "tree.children[1].id",
    ]


def test_a_tree_as_deep_as_the_parser_can_follow_is_scored() -> None:
    line = '{"id": "leaf", "verdict": "met"}'
    for level in range(300):
        line = f'{{"id": "{level}", "children": [{line}]}}'
    assert scored(f'{{"key": "deep", "protocol": "rubric_tree", "tree": {line}}}'.encode())["score"] == 1.0


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_line_breaks_the_reader(raw: bytes) -> None:
    assert all(isinstance(outcome, Refused) for outcome in score_lines([raw]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["met", "P0", "a", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "verdict", "children", "critical", "mode", "claims", "factuality", "importance"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["rubric_tree", "cascade"]))
def test_whatever_stands_on_a_line_is_scored_or_refused(inner: object, protocol: str) -> None:
    body = {"key": "k", "protocol": protocol, "tree" if protocol == "rubric_tree" else "subtasks": inner}
    [outcome] = score_lines([json.dumps(body).encode()])
    if isinstance(outcome, Scored):
        json.dumps(outcome.result, allow_nan=False)
    else:
        assert all(isinstance(fault, Fault) and fault.reason for fault in outcome.faults)
        assert outcome.faults


def test_scoring_needs_no_django() -> None:
    modules = "judging.tree, judging.cascade, judging.scoring, judging.scorefile"
    code = f"import sys, {modules}; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
