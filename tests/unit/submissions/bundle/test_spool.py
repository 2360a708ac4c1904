"""Where answers wait: in memory while they are few, in a file nobody can find when they are many."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.bundle import AnswerIn, Collector, FaultCode, Spool

FULL = AnswerIn(
    task="t\ud800",
    run=3,
    text="é 😀\n",
    raw=b"\xff\0",
    started_at=dt.datetime(2026, 5, 4, 12, tzinfo=dt.UTC),
    finished_at=dt.datetime(2026, 5, 4, 12, 0, 1, 7, tzinfo=dt.UTC),
    cost_usd=0.1,
    tokens=2**53 - 1,
    trace_url="https://x.example",
    flags=("nul", "surrogate"),
    where="line 7",
)


@pytest.fixture
def spool() -> Iterator[Spool]:
    made = Spool()
    yield made
    made.close()


def test_answers_come_back_as_they_were_and_again(spool: Spool) -> None:
    answers = [FULL, AnswerIn("a", 1, ""), AnswerIn("a", 2, "x")]
    for answer in answers:
        spool.add(answer)
    assert list(spool) == answers
    assert list(spool) == answers


def test_an_empty_spool_has_nothing(spool: Spool) -> None:
    assert list(spool) == []


def test_many_answers_lie_in_a_file_without_a_name(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    answers = [AnswerIn(f"t{number}", 1, str(number) * 500_000) for number in range(5)]
    for answer in answers:
        spool.add(answer)
    assert list(spool) == answers
    assert list(tmp_path.iterdir()) == []


def test_after_a_fault_answers_are_counted_and_not_kept() -> None:
    into = Collector()
    into.accept(AnswerIn("a", 1, "x", where="line 1"))
    into.refuse("line 2", FaultCode.JSON_MALFORMED, "no")
    into.accept(AnswerIn("b", 1, "x", where="line 3"))
    into.accept(AnswerIn("b", 1, "x", where="line 4"))
    reading = into.reading()
    assert [answer.task for answer in reading.answers] == ["a"]
    assert list(reading.slots) == [("a", 1), ("b", 1)]
    assert [fault.where for fault in reading.faults] == ["line 2", "line 4"]
