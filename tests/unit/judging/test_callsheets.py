"""What a stored record says, whatever its age and shape."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.callsheets import Failure, read_sheet
from judging.canonical import plain
from judging.judges.base import Attempt, CallRecord, Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["calls", "attempts", "usage", "prompt", "cost_usd", "sample", "error", "status"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def record(*calls: CallRecord) -> Any:
    """As a verdict keeps it."""
    return plain({"calls": [asdict(call) for call in calls]})


FAILED = Attempt("rate_limited", 429, 0.5, Usage(10, 0, 0, 0), "slow down")
GOOD = Attempt("", 200, 1.25, Usage(100, 20, 60, 5))
VOTE = CallRecord(
    judge="openai", prompt_hash="abc", prompt_version="claim/3", model_asked="judge-1", model_served="judge-1-2026",
    parameters={"temperature": 0, "price_table": "p1"}, finish_reason="stop", attempts=(FAILED, GOOD), cost_usd=0.25,
    truncated=True, sample=2, finding="refuted", code="", page="https://a.example/",
)  # fmt: skip


def test_a_vote_is_told_with_all_its_attempts() -> None:
    (call,) = read_sheet(record(VOTE)).calls
    assert (call.vote, call.finding, call.page, call.model) == (
        3,
        "refuted",
        "https://a.example/",
        "judge-1-2026",
    )
    assert (call.prompt, call.price_table, dict(call.parameters)) == ("claim/3", "p1", {"temperature": 0})
    assert (call.attempts, call.seconds, call.truncated, call.cached) == (2, 1.75, True, False)
    assert call.tokens == {"prompt": 110, "cached": 60, "completion": 20, "reasoning": 5}
    assert call.failures == (Failure("rate_limited", 429, 0.5, "slow down"),)


def test_sums_are_over_all_calls() -> None:
    hit = CallRecord(judge="openai", model_asked="judge-1", cached=True, cost_usd=0.0)
    sheet = read_sheet(record(VOTE, VOTE, hit))
    assert (sheet.attempts, sheet.seconds, sheet.cost_usd) == (4, 3.5, 0.5)
    assert (sheet.from_cache, sheet.failures, sheet.tokens["prompt"]) == (1, 2, 220)
    assert [call.model for call in sheet.calls] == ["judge-1-2026", "judge-1-2026", "judge-1"]


def test_a_cost_that_is_not_known_is_not_nought() -> None:
    unpriced = CallRecord(judge="openai", attempts=(GOOD,))
    assert read_sheet(record(VOTE, unpriced)).cost_usd is None
    assert read_sheet(record(CallRecord(judge="lexical"))).cost_usd == 0.0


@pytest.mark.parametrize(
    "old",
    [
        None, [], "x", {}, {"calls": None}, {"calls": {"a": 1}}, {"calls": [None]}, {"calls": [{"attempts": 3}]},
        {"calls": [{"judge": 1, "parameters": [], "attempts": ["x", {"usage": 4, "status": "y"}]}]},
        {"calls": [{"sample": True, "cost_usd": float("nan"), "attempts": [{"latency_s": float("inf")}]}]},
    ],
)  # fmt: skip
def test_an_odd_record_is_told_as_far_as_it_goes(old: Any) -> None:
    for call in read_sheet(old).calls:
        assert (call.vote, call.finding, call.model, call.cost_usd, call.seconds) == (1, "", "", None, 0)


@given(JSON)
def test_no_record_is_too_odd(value: Any) -> None:
    sheet = read_sheet({"calls": value})
    assert sheet.attempts >= 0
    assert set(sheet.tokens) == {"prompt", "cached", "completion", "reasoning"}


def test_numbers_that_no_sum_could_hold_are_none() -> None:
    huge = 10**400
    attempt = {"latency_s": 1e308, "status": huge, "error": "x", "usage": {"prompt": -huge}}
    call = {"sample": huge, "cost_usd": 1e308, "attempts": [attempt, attempt]}
    sheet = read_sheet({"calls": [call, call]})
    assert (sheet.seconds, sheet.cost_usd, sheet.tokens["prompt"]) == (0.0, None, 0)
    assert (sheet.calls[0].vote, sheet.calls[0].failures[0].status) == (1, None)
