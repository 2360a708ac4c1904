"""Claims that a judge should list: read strictly, asked once, and missed where it says nothing like them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from judging.calibration.asking import Answered
from judging.calibration.labels import InvalidLabels, read_labels
from judging.calibration.listings import Listed, Listing, list_all, misses
from judging.calibration.report import make_report
from judging.calibration.telling import told
from judging.desk import Desk, Memory
from judging.judges.base import CallRecord
from judging.judges.lexical import LexicalJudge

RECORD = CallRecord("test")
LINE: dict[str, Any] = {
    "id": "l", "subtask": "The departure", "answer": "At 20:10, from Skerry.", "claims": ["It leaves at 20:10"],
}  # fmt: skip
LABEL = {"id": "a", "criterion": "Gives a time", "answer": "At 20:10.", "verdict": "met"}


def read(*lines: Any) -> Any:
    return read_labels({"f": "\n".join(json.dumps(line) for line in lines).encode()})


def faults(*lines: Any) -> list[str]:
    with pytest.raises(InvalidLabels) as caught:
        read(*lines)
    return [fault.reason for fault in caught.value.faults]


def listing(*claims: str) -> Listing:
    return Listing("l", "s", "a", claims)


def missed(claim: str, *listed: str) -> bool:
    found = misses([listing(claim)], [Listed(listed, "ok", RECORD)])
    assert found is not None
    return bool(found["count"])


def test_answers_with_claims_stand_beside_labels() -> None:
    found = read(LABEL, LINE | {"task": "When?"})
    assert found.listings == (
        Listing("l", "The departure", "At 20:10, from Skerry.", ("It leaves at 20:10",), "When?"),
    )
    assert [item.id for item in found.items] == ["a"]
    assert found.protocol == "rubric_tree"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (LINE | {"claims": []}, "claims: must be a list of 1 to 200 texts"),
        (LINE | {"claims": "x"}, "claims: must be a list of 1 to 200 texts"),
        (LINE | {"claims": ["x"] * 201}, "claims: must be a list of 1 to 200 texts"),
        (LINE | {"claims": [""]}, "claims: must be a list of 1 texts"),
        (LINE | {"subtask": ""}, "subtask: must be a text that says something"),
        (LINE | {"verdict": "met"}, "verdict: is not known here"),
        (LINE | {"id": "a"}, "id: 'a' is given twice"),
    ],
)
def test_what_is_wrong_with_a_line_is_told(line: Any, told: str) -> None:
    assert faults(LABEL, line) == [told]


def test_a_file_of_answers_alone_says_nothing_of_verdicts() -> None:
    assert faults(LINE) == ["holds no label"]


@pytest.mark.parametrize(
    ("claim", "listed", "is_missed"),
    [
        ("It leaves at 20:10", ["It leaves Skerry at 20:10"], False),
        ("It leaves at 20:10", ["It leaves Skerry at 20:15"], True),
        ("It leaves at 20:10", ["20:10"], True),
        ("It carries 1,200 people", ["Nothing.", "it CARRIES 1200 people"], False),
        ("It leaves at 20:10", [], True),
    ],
)
def test_a_claim_is_listed_if_its_numbers_and_most_of_its_words_are(
    claim: str, listed: list[str], is_missed: bool
) -> None:
    assert missed(claim, *listed) is is_missed


def test_the_judge_is_asked_once_and_the_report_says_what_it_missed() -> None:
    labels = read(
        LABEL,
        LINE
        | {
            "subtask": "When the ferry leaves Skerry",
            "answer": "The ferry leaves Skerry at 20:10.",
            "claims": ["The ferry leaves at 20:10", "It rains"],
        },
    )
    ticks: list[int] = []
    desk = Desk(Memory(), LexicalJudge())
    listed = asyncio.run(list_all(labels.listings, desk=desk, tell=lambda: ticks.append(1)))
    report = make_report(labels, [(Answered("supported", "", ()),)], listed=listed)
    assert ticks == [1]
    assert report["extraction"]["missed"] == {"l": [2]}
    assert (report["extraction"]["count"], report["extraction"]["of"], report["extraction"]["failed"]) == (
        1,
        2,
        0,
    )
    assert "claims missed                  0.500 (1 of 2;" in told({"profile": "p/1", **report})
    assert misses((), ()) is None
