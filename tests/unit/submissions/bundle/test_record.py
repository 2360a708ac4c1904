"""A record's fields, alike for a line of a bundle and the body of a PUT."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from submissions.bundle import AnswerIn, FieldFault, read_record
from tests.unit.submissions.bundle.parts import LIMITS


def read(**fields: Any) -> AnswerIn | list[tuple[str, str]]:
    """The record, or (field, code) of its faults."""
    result = read_record({"task": "t", "run": 1, "answer": "x", **fields}, LIMITS)
    return [(f.field, str(f.code)) for f in result] if isinstance(result, list) else result


def test_a_full_record_is_read() -> None:
    answer = read(
        run=3,
        started_at="2026-05-04T12:00:00+02:00",
        finished_at="2026-05-04t10:00:01.5z",
        cost_usd=1,
        tokens=2**53 - 1,
        trace_url="https://traces.example/run?id=1#step",
    )
    assert answer == AnswerIn(
        "t",
        3,
        "x",
        started_at=dt.datetime(2026, 5, 4, 10, 0, tzinfo=dt.UTC),
        finished_at=dt.datetime(2026, 5, 4, 10, 0, 1, 500_000, tzinfo=dt.UTC),
        cost_usd=1.0,
        tokens=2**53 - 1,
        trace_url="https://traces.example/run?id=1#step",
    )


@pytest.mark.parametrize("name", ["started_at", "finished_at", "cost_usd", "tokens", "trace_url"])
def test_null_is_as_good_as_absent(name: str) -> None:
    assert read(**{name: None}) == read()


def test_a_missing_run_is_the_first() -> None:
    answer = read_record({"task": "t", "answer": "x"}, LIMITS, where="line 1")
    assert isinstance(answer, AnswerIn)
    assert (answer.run, answer.where) == (1, "line 1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task", ""), ("task", 5), ("task", "x" * 301), ("task", None),
        ("run", 0), ("run", -1), ("run", 1001), ("run", 1.0), ("run", True), ("run", "1"), ("run", 10**30),
        ("answer", None), ("answer", 5), ("answer", ["x"]),
        ("started_at", 5), ("started_at", "yesterday"), ("started_at", "2026-05-04"),
        ("started_at", "2026-05-04T12:00:00"), ("started_at", "2026-13-04T12:00:00Z"),
        ("started_at", "2026-02-29T12:00:00Z"), ("started_at", "0001-01-01T00:00:00+14:00"),
        ("started_at", "9999-12-31T23:59:59-14:00"), ("started_at", "2026-05-04T12:00:00+25:00"),
        ("started_at", "２026-05-04T12:00:00Z"), ("started_at", "2026-W01-1"),
        ("cost_usd", -0.01), ("cost_usd", "1"), ("cost_usd", True), ("cost_usd", float("nan")),
        ("cost_usd", float("inf")), ("cost_usd", 10**400),
        ("tokens", -1), ("tokens", 1.5), ("tokens", 2**53), ("tokens", False),
        ("trace_url", "ftp://x"), ("trace_url", "javascript:alert(1)"), ("trace_url", 5),
        ("trace_url", "https://x y"), ("trace_url", "https://x\0"), ("trace_url", "https://\ud800"),
        ("trace_url", "https://" + "x" * 1000),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_its_field(name: str, value: Any) -> None:
    assert read(**{name: value}) == [(name, "field_invalid")]


def test_every_fault_is_named() -> None:
    result = read_record({"run": 0, "finished_At": 1, "answer": "x" * 1001, "tokens": "many"}, LIMITS)
    assert isinstance(result, list)
    assert [(f.field, f.code) for f in result] == [
        ("task", "field_required"),
        ("finished_At", "field_unknown"),
        ("run", "field_invalid"),
        ("tokens", "field_invalid"),
        ("answer", "answer_too_large"),
    ]


def test_the_end_may_be_the_start_but_not_before() -> None:
    moment = "2026-05-04T12:00:00Z"
    assert isinstance(read(started_at=moment, finished_at=moment), AnswerIn)
    earlier = "2026-05-04T11:59:59Z"
    assert read(started_at=moment, finished_at=earlier) == [("finished_at", "field_invalid")]


def test_an_answer_is_measured_in_bytes() -> None:
    assert isinstance(read(answer="é" * 500), AnswerIn)
    assert read(answer="é" * 501) == [("answer", "answer_too_large")]


def test_a_place_from_the_address_may_not_be_named_again() -> None:
    answer = read_record({"answer": "x"}, LIMITS, place=("t9", 4))
    assert isinstance(answer, AnswerIn)
    assert (answer.task, answer.run) == ("t9", 4)
    again = read_record({"answer": "x", "task": "other"}, LIMITS, place=("t9", 4))
    assert again == [
        FieldFault(
            "task",
            "field_unknown",  # type: ignore[arg-type]  # a StrEnum equals its text
            "Known fields: answer, started_at, finished_at, cost_usd, tokens, trace_url.",
        )
    ]


def test_replaced_characters_are_flagged_and_the_bytes_kept() -> None:
    answer = read(answer="a\0\ud800")
    assert isinstance(answer, AnswerIn)
    assert answer.text == "a\ufffd\ufffd"
    assert answer.flags == ("nul", "surrogate")
    assert answer.raw == b"a\0\xed\xa0\x80"
