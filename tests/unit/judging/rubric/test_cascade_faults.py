"""Every way a cascade rubric can be wrong, and what it becomes when it is right."""

from __future__ import annotations

from typing import Any

import pytest

from judging.cascade import Importance
from judging.rubric import CascadeRubric, Criterion, FactualitySpec, SubtaskSpec, parse_rubric
from tests.unit.judging.rubric.sets import faults, warnings

FILE = "tasks/t1.yaml: "
URL = "https://example.org/reference"


def found(*subtasks: Any) -> list[str]:
    lines = faults({"prompt": "Which?", "subtasks": list(subtasks)}, protocol="cascade")
    return [line.removeprefix(FILE) for line in lines]


def subtask(**keys: Any) -> dict[str, Any]:
    return {
        "id": "list",
        "importance": "P0",
        "instruction": [{"id": "all", "criterion": "Names all"}],
        **keys,
    }


def facts(**keys: Any) -> dict[str, Any]:
    return subtask(factuality=[{"id": "right", **keys}])


NO_RUBRIC = "a subtask needs at least one rubric under instruction, factuality or rationality"


@pytest.mark.parametrize(
    ("wrong", "lines"),
    [
        ({"id": "a", "importance": "P0"}, [f"subtasks[0]: {NO_RUBRIC}"]),
        (subtask(importance="P3"), ['subtasks[0].importance: must be one of P0, P1, P2, is the text "P3"']),
        ({"id": "a", "instruction": [{"id": "b", "criterion": "c"}]}, ["subtasks[0].importance: is missing; give one of P0, P1, P2"]),
        (subtask(instruction=[]), ["subtasks[0].instruction: is an empty list; leave the key out or give an entry"]),
        (subtask(instruction=[{"id": "a", "criterion": " "}]), ["subtasks[0].instruction[0].criterion: must not be blank"]),
        (subtask(instruction=[{"id": "a"}]), ["subtasks[0].instruction[0].criterion: is missing; give a criterion"]),
        (subtask(instruction=[{"id": "a/b", "criterion": "c"}]), ['subtasks[0].instruction[0].id: "a/b" is not an id of letters, digits, \'_\', \'-\' and \'.\' '
          "that begins with a letter or digit"]),
        (subtask(instruction=[{"id": "a", "criterion": "c", "weight": -1}]), ["subtasks[0].instruction[0].weight: nodes and rubrics carry no weights; weights "
          "belong to the scoring profile in taskset.yaml"]),
        (subtask(instruction=[{"id": "a", "criterion": "c", "votes": 4}]), ["subtasks[0].instruction[0].votes: must be an odd number of votes from 1 to 9, is 4"]),
        (subtask(rationale=[]), ['subtasks[0].rationale: unknown key (did you mean "rationality"?); known are id, title, importance, instruction, factuality, rationality']),
        (subtask(rationality=[{"id": "all", "criterion": "c"}]), ["subtasks[0].rationality[0].id: 'all' is the id of subtasks[0].instruction[0] already; "
          "ids are unique within a task"]),
        (facts(claims="some"), ["subtasks[0].factuality[0].claims: must be auto, or a list of claims"]),
        (facts(claims=[]), ["subtasks[0].factuality[0].claims: must be auto, or a list of claims"]),
        (facts(claims=[""]), ["subtasks[0].factuality[0].claims: must be auto, or a list of claims"]),
        (facts(evidence=["cited", "wiki"]), ['subtasks[0].factuality[0].evidence[1]: must be one of cited, reference, search, is the text "wiki"']),
        (facts(evidence=["cited", "cited"]), ["subtasks[0].factuality[0].evidence: repeats an entry"]),
        (facts(evidence="cited"), ['subtasks[0].factuality[0].evidence: must be a list, is the text "cited"']),
        (facts(evidence=["cited", "reference"]), ["subtasks[0].factuality[0].evidence: has reference, but no references are given; list their URLs"]),
        (facts(evidence=["cited"], references=[URL]), ["subtasks[0].factuality[0].references: are given but not used; add reference to evidence"]),
        (facts(references=["example.org"]), ['subtasks[0].factuality[0].references[0]: "example.org" is not a URL that begins with http:// or https://']),
        (facts(references=["https://a b"]), ['subtasks[0].factuality[0].references[0]: "https://a b" is not a URL that begins with http:// or https://']),
        ("list", ['subtasks[0]: must be a mapping, is the text "list"']),
    ],
)  # fmt: skip
def test_a_subtask_that_is_wrong_is_named_with_advice(wrong: Any, lines: list[str]) -> None:
    assert found(wrong) == lines


def test_ids_are_unique_within_a_task() -> None:
    assert found(subtask(), subtask()) == [
        "subtasks[1].id: 'list' is the id of subtasks[0] already; ids are unique within a task",
        "subtasks[1].instruction[0].id: 'all' is the id of subtasks[0].instruction[0] already; ids are unique within a task",
    ]


def test_ids_of_the_wrong_kind_are_told_by_the_shape() -> None:
    assert found(subtask(id=5, instruction=[5, {"id": 5, "criterion": "x"}])) == [
        "subtasks[0].id: must be text, is 5; write it in quotes",
        "subtasks[0].instruction[0]: must be a mapping, is 5",
        "subtasks[0].instruction[1].id: must be text, is 5; write it in quotes",
    ]


def test_a_cascade_task_needs_subtasks() -> None:
    assert found() == ["subtasks: is an empty list; leave the key out or give an entry"]
    assert faults({"prompt": "Which?"}, protocol="cascade") == [f"{FILE}subtasks: is missing; give a list"]


def test_keys_of_the_other_protocol_are_unknown() -> None:
    (tree, missing) = faults({"prompt": "x", "subtasks": [subtask()]}, protocol="rubric_tree")
    assert tree == f"{FILE}tree: is missing; give the tree of nodes"
    assert missing.startswith(f"{FILE}subtasks: unknown key; known are prompt, position")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({}, True),
        ({"evidence": ["cited"]}, True),
        ({"evidence": ["cited", "reference"], "references": [URL]}, False),
        ({"references": [URL]}, False),
        ({"evidence": ["cited", "search"]}, False),
        ({"evidence": ["search"]}, False),
    ],
)
def test_facts_without_reference_are_warned_of(keys: dict[str, Any], told: bool) -> None:
    reason = "has neither reference nor search: a claim its cited page repeats counts as supported"
    lines = warnings({"prompt": "x", "subtasks": [facts(**keys)]}, protocol="cascade")
    assert lines == ([f"{FILE}subtasks[0].factuality[0].evidence: {reason}"] if told else [])


@pytest.mark.parametrize(
    ("keys", "unused"),
    [
        ({}, []),
        ({"evidence": ["cited"]}, ["evidence"]),
        ({"references": [URL]}, ["references"]),
        ({"evidence": ["cited", "reference"], "references": [URL]}, ["evidence", "references"]),
    ],
)
def test_pages_are_no_matter_for_claims_that_are_given(keys: dict[str, Any], unused: list[str]) -> None:
    reason = "has no effect: claims of yours are looked for in the answer itself"
    lines = warnings({"prompt": "x", "subtasks": [facts(claims=["A is B"], **keys)]}, protocol="cascade")
    assert lines == [f"{FILE}subtasks[0].factuality[0].{key}: {reason}" for key in unused]


def test_a_right_rubric_becomes_frozen_data_with_its_defaults() -> None:
    source = {
        "subtasks": [
            {
                "id": "list",
                "title": "The list",
                "importance": "P0",
                "instruction": [
                    {"id": "all", "criterion": "Names all", "additional": "Spelling aside", "votes": 3}
                ],
                "factuality": [
                    {"id": "auto", "references": [URL]},
                    {
                        "id": "own",
                        "criterion": "Right",
                        "claims": ["A is B"],
                        "evidence": ["reference", "cited"],
                        "references": [URL],
                    },
                    {"id": "bare", "claims": "auto"},
                ],
            },
            {"id": "why", "importance": "P2", "rationality": [{"id": "sound", "criterion": "Follows"}]},
        ]
    }
    assert parse_rubric(source, "cascade") == CascadeRubric(
        (
            SubtaskSpec(
                "list",
                "The list",
                Importance.P0,
                instruction=(Criterion("all", "Names all", "Spelling aside", 3),),
                factuality=(
                    FactualitySpec("auto", evidence=("cited", "reference"), references=(URL,)),
                    FactualitySpec("own", "Right", ("A is B",), ("reference", "cited"), (URL,)),
                    FactualitySpec("bare"),
                ),
            ),
            SubtaskSpec("why", "why", Importance.P2, rationality=(Criterion("sound", "Follows"),)),
        )
    )
