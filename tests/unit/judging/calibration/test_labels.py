"""Files of labels: what is read, and that everything wrong with them is told by line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judging.calibration.labels import InvalidLabels, Item, LabelSet, Page, read_labels

EXAMPLES = Path(__file__).parents[4] / "examples" / "calibration"
CLAIM: dict[str, Any] = {"id": "a", "claim": "It is deep", "page": {"text": "Deep."}, "verdict": "supported"}
ANSWER: dict[str, Any] = {"id": "b", "criterion": "Says how deep", "answer": "Deep.", "verdict": "unmet"}
GRADED: dict[str, Any] = {
    "id": "g", "task": "Tell", "criteria": ["some", "most", "all"], "answer": "All.", "verdict": 3,
}  # fmt: skip


def lines(*records: Any) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def read(*records: Any) -> LabelSet:
    return read_labels({"x": lines(*records)})


def refused(*records: Any) -> list[str]:
    with pytest.raises(InvalidLabels) as caught:
        read(*records)
    assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
    return [str(fault).removeprefix("x: ") for fault in caught.value.faults]


def test_a_claim_is_read_with_its_page() -> None:
    page = {"text": " ", "url": "https://a.example/", "title": "A"}
    (item,) = read(CLAIM | {"page": page, "group": "empty", "adjudicated": "not_assessed"}).items
    assert item == Item(
        "a", "claim", ("It is deep",), "supported", page=Page(" ", "https://a.example/", "A"), group="empty",
        adjudicated="not_assessed",
    )  # fmt: skip
    assert (item.truth, item.graded) == ("not_assessed", False)


@pytest.mark.parametrize(
    ("record", "kind", "verdict"),
    [
        (ANSWER, "criterion", "refuted"),
        (ANSWER | {"kind": "rationality", "verdict": "met"}, "rationality", "supported"),
        ({"id": "c", "claim": "A is B", "answer": "", "verdict": "unclear"}, "claim", "undecided"),
    ],
)
def test_what_is_asked_of_an_answer_is_read_by_its_kind(
    record: dict[str, Any], kind: str, verdict: str
) -> None:
    (item,) = read(record).items
    assert (item.kind, item.verdict, item.truth, item.page) == (kind, verdict, verdict, None)


def test_a_graded_answer_has_three_criteria() -> None:
    (item,) = read(GRADED | {"adjudicated": 4}).items
    assert (item.statements, item.verdict, item.truth, item.graded) == (
        ("some", "most", "all"), "3", "4", True,
    )  # fmt: skip


def test_labels_of_several_files_are_one_set_named_by_their_bytes() -> None:
    files = {"x": b"\xef\xbb\xbf" + lines(CLAIM) + b"\n\n", "y": lines(ANSWER | {"clean_twin": "a"})}
    found = read_labels(files)
    assert [item.id for item in found.labels] == ["a"]
    assert [item.id for item in found.probes] == ["b"]
    assert found.sha256 == hashlib.sha256(files["x"] + files["y"]).hexdigest()


@pytest.mark.parametrize(
    ("records", "protocol"),
    [
        ([CLAIM, ANSWER | {"clean_twin": "a"}], "claims"),
        ([CLAIM, ANSWER], "rubric_tree"),
        ([ANSWER, ANSWER | {"id": "c", "kind": "rationality"}], "cascade"),
        ([GRADED], "cascade"),
    ],
)
def test_what_the_labels_are_about_is_told_by_them(records: list[Any], protocol: str) -> None:
    assert read(*records).protocol == protocol


@pytest.mark.parametrize(
    ("record", "reasons"),
    [
        ([], ["must be an object"]),
        (CLAIM | {"page": "Deep."}, ["page: must be an object"]),
        (CLAIM | {"page": {"url": 3, "more": 1}},
         ["page.more: is not known here", "page.text: must be a text", "page.url: must be a text"]),
        (CLAIM | {"id": " ", "claim": 5, "verdict": "true"},
         ["claim: must be a text that says something", "id: must be a text that says something",
          "verdict: must be one of supported, met, refuted, unmet, undecided, unclear, not_assessed"]),
        (CLAIM | {"answer": "x"}, ["answer: is not known here"]),
        ({"id": "a", "answer": "x", "verdict": "met"}, ["must have a page, or one of criterion, claim and criteria"]),
        (ANSWER | {"claim": "y"}, ["must have a page, or one of criterion, claim and criteria"]),
        (ANSWER | {"kind": "claim"}, ["kind: does not go with criterion"]),
        (ANSWER | {"kind": "other", "group": None},
         ["kind: must be one of claim, criterion, rationality", "kind: does not go with criterion",
          "group: must be a text"]),
        (GRADED | {"criteria": ["a", "b"]}, ["criteria: must be a list of 3 texts"]),
        (GRADED | {"criteria": ["a", "b", " "]}, ["criteria: must be a list of 3 texts"]),
        (GRADED | {"verdict": True}, ["verdict: must be one of 1, 2, 3, 4"]),
        (GRADED | {"verdict": "met"}, ["verdict: must be one of 1, 2, 3, 4"]),
    ],
)  # fmt: skip
def test_everything_wrong_with_a_line_is_told(record: Any, reasons: list[str]) -> None:
    assert refused(CLAIM | {"id": "first"}, record) == [f"line 2: {reason}" for reason in reasons]


def test_a_line_that_is_no_json_of_ours_is_named() -> None:
    raw = b'{"id": "a"\n\n{"id": "a", "id": "b", "verdict": NaN}\n\xff'
    with pytest.raises(InvalidLabels) as caught:
        read_labels({"x": raw})
    told = [(fault.line, fault.reason) for fault in caught.value.faults]
    assert told[0][0] == 1
    assert told[0][1].startswith("is not JSON")
    assert told[1:] == [
        (3, "id: is given twice"),
        (3, "verdict: NaN is no number of JSON"),
        (4, "is not UTF-8 at byte 1"),
    ]


def test_what_no_line_alone_shows_is_told_too() -> None:
    other = CLAIM | {"claim": "It is long"}
    told = refused(
        CLAIM, CLAIM | {"id": "twice"}, other, other | {"id": "p", "claim": "x", "clean_twin": "none"},
        other | {"id": "q", "claim": "y", "clean_twin": "p"}, GRADED,
    )  # fmt: skip
    assert told == [
        "line 2: asks the same as 'a'",
        "line 3: id: 'a' is given twice",
        "line 4: clean_twin: 'none' is no label without an attack",
        "line 5: clean_twin: 'p' is no label without an attack",
        "line 6: grades and verdicts do not go into one set",
    ]


def test_a_file_without_labels_is_refused() -> None:
    with pytest.raises(InvalidLabels, match=r"^x: holds no label$"):
        read_labels({"x": b"\n \n"})


# ------------------------------------------------------------------ the examples
GROUPS = {
    "exact", "paraphrase", "wrong number", "wrong date", "negation", "contradiction", "names exchanged", "quoted lie",
    "not on the page", "another subject's page", "denied by the page", "other language", "empty page", "pleading page",
}  # fmt: skip


def test_the_example_claims_are_many_and_of_every_kind() -> None:
    found = read_labels({"claims": (EXAMPLES / "claims.jsonl").read_bytes()})
    groups = Counter(item.group for item in found.labels)
    assert len(found.labels) >= 300
    assert set(groups) == GROUPS
    assert min(groups.values()) >= 3
    assert found.protocol == "claims"


def test_the_example_probes_hold_every_attack_and_ask_what_their_twins_ask() -> None:
    found = read_labels({"probes": (EXAMPLES / "probes.jsonl").read_bytes()})
    twins = {item.id: item for item in found.labels}
    assert len(found.probes) >= 15
    for probe in found.probes:
        twin = twins[probe.clean_twin]
        assert (probe.statements, probe.task, probe.verdict) == (twin.statements, twin.task, twin.verdict)
    text = "\n".join((item.page.text if item.page else item.answer) or "" for item in found.probes)
    attacks = (
        "<<<END",
        "\uff1c",
        "<|im_start|>",
        "\u200b",
        "\U000e0053",
        "\u202e",
        "gnore previous",
        '"verdicts"',
        "SYSTEM:",
    )
    assert [attack for attack in attacks if attack not in text] == []
    assert "supported " * 3_000 in text
