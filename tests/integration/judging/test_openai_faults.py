"""The openai judge against a real endpoint that fails on order: every class of fault. No mocks."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from judging.judges.base import (
    ExtractOutcome,
    Finding,
    JudgeUnavailable,
    VerifyReply,
)
from judging.judges.openai import Limits, OpenAIJudge, Pace
from tests.endpoint import Endpoint
from tests.integration.judging.asking import (
    CLAIM,
    CLAIMS,
    EXTRACT,
    LIMITS,
    errors,
    judge_at,
    run,
    verify,
)

# Transient faults: asked again


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("rate_limit", "rate_limited"),
        ("rate_limit_after", "rate_limited"),
        ("rate_limit_after_ms", "rate_limited"),
        ("server_error", "server_error"),
        ("bad_gateway", "server_error"),
        ("overloaded", "server_error"),
        ("error_in_200", "server_error"),
        ("cut", "connection"),
        ("close", "connection"),
        ("html", "bad_body"),
        ("not_a_completion", "bad_body"),
    ],
)
def test_a_transient_fault_is_asked_again(endpoint: Endpoint, fault: str, code: str) -> None:
    endpoint.reset(next=[fault, fault])
    reply = verify(judge_at(endpoint))
    assert (reply.finding, errors(reply)) == (Finding.SUPPORTED, [code, code, ""])


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_a_call_ends_at_its_deadline_however_slowly_it_drips(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(next=[fault], drip_s=0.1)  # the whole reply would take a minute
    reply = verify(judge_at(endpoint, limits=replace(LIMITS, timeout_s=1.0, budget_s=600)))
    assert (reply.finding, errors(reply)) == (Finding.SUPPORTED, ["timeout", ""])


def test_an_endpoint_that_is_not_there_is_our_error(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint, base_url="http://127.0.0.1:9/v1"))
    assert (reply.finding, reply.code, errors(reply)) == (Finding.ERROR, "connection", ["connection"] * 4)


@pytest.mark.parametrize("fault", ["rate_limit", "server_error", "html"])
def test_a_persistent_fault_costs_exactly_n_calls_and_is_our_error(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(always=fault)
    reply = verify(judge_at(endpoint))
    assert reply.finding is Finding.ERROR
    assert endpoint.calls == len(reply.record.attempts) == LIMITS.attempts


@pytest.mark.parametrize(("timeout_s", "most"), [(0.2, 3), (3_600, 1)])
def test_a_persistent_hang_ends_within_the_budget(endpoint: Endpoint, timeout_s: float, most: int) -> None:
    """No call begins after half a second, and none lasts longer than what is left of it."""
    endpoint.reset(always="hang")
    limits = replace(LIMITS, timeout_s=timeout_s, budget_s=0.5, attempts=99)
    reply = verify(judge_at(endpoint, limits=limits))
    assert (reply.finding, reply.code) == (Finding.ERROR, "timeout")
    assert 1 <= len(reply.record.attempts) <= most


class Times:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    @property
    def pace(self) -> Pace:
        return Pace(clock=lambda: self.now, sleep=self.sleep)


def test_a_wait_that_took_longer_than_the_budget_is_followed_by_no_call(endpoint: Endpoint) -> None:
    endpoint.reset(always="overloaded")
    times = Times()

    async def oversleep(seconds: float) -> None:
        await times.sleep(seconds + 1000)

    pace = replace(times.pace, sleep=oversleep)
    reply = verify(judge_at(endpoint, pace=pace, limits=Limits(budget_s=60)))
    assert (reply.finding, reply.code, endpoint.calls) == (Finding.ERROR, "server_error", 1)


def test_tokens_per_minute_are_kept(endpoint: Endpoint) -> None:
    times = Times()
    judge = judge_at(endpoint, pace=times.pace, limits=Limits(tokens_per_minute=1200))

    async def work(asked: OpenAIJudge) -> int:
        tokens = 0
        for n in range(5):
            tokens += (await asked.verify(replace(CLAIM, additional=str(n)))).record.usage.prompt
        asked.set_share(in_flight=8, tokens_per_minute=0)
        await asked.verify(CLAIM)
        return tokens

    assert run(judge, work) - 1200 < times.now * 20 + 1200
    assert times.slept


@pytest.mark.parametrize(("fault", "least"), [("rate_limit_after", 7.0), ("rate_limit_after_date", 1.0)])
def test_retry_after_is_honoured(endpoint: Endpoint, fault: str, least: float) -> None:
    endpoint.reset(next=[fault], retry_after="7")
    times = Times()
    reply = verify(judge_at(endpoint, pace=times.pace, limits=Limits()))
    assert reply.finding is Finding.SUPPORTED
    assert least <= times.slept[0] < least + 0.1


def test_no_wait_goes_beyond_the_budget(endpoint: Endpoint) -> None:
    endpoint.reset(always="rate_limit_after", retry_after="3600")
    times = Times()
    reply = verify(judge_at(endpoint, pace=times.pace, limits=Limits(budget_s=60)))
    assert (reply.finding, reply.code, endpoint.calls, times.slept) == (Finding.ERROR, "rate_limited", 1, [])


def test_waits_add_up_to_less_than_the_budget(endpoint: Endpoint) -> None:
    endpoint.reset(always="overloaded")
    times = Times()
    verify(judge_at(endpoint, pace=times.pace, limits=Limits(attempts=99, budget_s=60, backoff_s=1)))
    assert 4 < endpoint.calls < 20
    assert 30 < sum(times.slept) < 60


def test_extractions_meet_our_faults_as_errors(endpoint: Endpoint) -> None:
    endpoint.reset(always="server_error")
    reply = run(judge_at(endpoint), lambda judge: judge.extract(EXTRACT))
    assert (reply.outcome, reply.data, reply.reason) == (ExtractOutcome.ERROR, None, "server_error")
    listed = run(judge_at(endpoint), lambda judge: judge.claims(CLAIMS))
    assert (listed.outcome, listed.claims, listed.reason) == (ExtractOutcome.ERROR, (), "server_error")


# Terminal faults: the run pauses after one call


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("insufficient_quota", "quota"),
        ("payment_required", "quota"),
        ("quota_in_200", "quota"),
        ("auth", "auth"),
        ("forbidden", "auth"),
        ("no_model", "no_such_model"),
        ("bad_request", "bad_request"),
        ("other_model", "wrong_model"),
    ],
)
def test_a_terminal_fault_pauses_the_run_after_one_call(endpoint: Endpoint, fault: str, reason: str) -> None:
    endpoint.reset(always=fault)
    for work in (
        lambda judge: judge.verify(CLAIM),
        lambda judge: judge.extract(EXTRACT),
        lambda judge: judge.claims(CLAIMS),
    ):
        endpoint.reset(always=fault)
        with pytest.raises(JudgeUnavailable) as caught:
            run(judge_at(endpoint), work)
        assert (caught.value.reason, endpoint.calls) == (reason, 1)


def test_our_key_is_in_no_detail(endpoint: Endpoint) -> None:
    endpoint.reset(api_key="another")
    with pytest.raises(JudgeUnavailable) as caught:
        verify(judge_at(endpoint, api_key="another-secret"))
    assert caught.value.reason == "auth"
    endpoint.reset(api_key="key-of-ours", always="auth")
    with pytest.raises(JudgeUnavailable) as caught:
        verify(judge_at(endpoint))
    assert "key-of-ours" not in caught.value.detail
    assert "[key]" in caught.value.detail


def test_a_server_without_keys_is_asked_without_one(endpoint: Endpoint) -> None:
    assert verify(judge_at(endpoint, api_key="")).finding is Finding.SUPPORTED


def test_a_key_read_from_a_file_may_end_in_a_line(endpoint: Endpoint) -> None:
    endpoint.reset(api_key="key-of-ours")
    assert verify(judge_at(endpoint, api_key="key-of-ours\n")).finding is Finding.SUPPORTED


@pytest.mark.parametrize(
    ("pinned", "served", "fits"),
    [
        ("", "judge-1-2026-05-01", True),
        ("", "judge-1-mini", False),
        ("judge-1-2026-05-01", "judge-1-2026-05-01", True),
        ("judge-1-2026-05-01", "judge-1-2026-06-01", False),
        ("llama.gguf", "llama.gguf", True),
    ],
)
def test_the_model_served_must_be_the_one_pinned(
    endpoint: Endpoint, pinned: str, served: str, fits: bool
) -> None:
    endpoint.reset(served=served)
    judge = judge_at(endpoint, pinned=pinned)
    if fits:
        assert verify(judge).record.model_served == served
        return
    with pytest.raises(JudgeUnavailable, match=f"served {served}"):
        verify(judge)


def test_an_alias_that_moves_during_a_run_stops_it(endpoint: Endpoint) -> None:
    endpoint.reset(served="judge-1-2026-05-01")
    judge = judge_at(endpoint)
    verify(judge)
    endpoint.reset(served="judge-1-2026-06-01")
    with pytest.raises(JudgeUnavailable, match="pinned judge-1-2026-05-01, served judge-1-2026-06-01"):
        verify(judge)


def test_an_endpoint_that_names_no_model_is_taken_at_its_word_unless_one_is_pinned(
    endpoint: Endpoint,
) -> None:
    endpoint.reset(always="unnamed_model")
    assert verify(judge_at(endpoint)).record.model_served == ""
    with pytest.raises(JudgeUnavailable, match="served unnamed"):
        verify(judge_at(endpoint, pinned="judge-1"))


# Content faults: this check alone


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("refusal", "refusal"),
        ("content_filter", "content_filter"),
        ("filter_400", "content_filter"),
        ("empty", "empty"),
        ("null", "empty"),
        ("context_length", "context_length"),
        ("garbage", "unparsable"),
        ("bad_json", "unparsable"),
        ("two_objects", "unparsable"),
        ("array", "unparsable"),
        ("think_unclosed", "unparsable"),
        ("nan", "not_finite"),
        ("infinity", "not_finite"),
        ("huge", "not_finite"),
        ("no_list", "schema_mismatch"),
        ("wrong_ids", "missing_id"),
        ("double_id", "double_id"),
        ("empty_verdict", "unparsable"),
    ],
)
def test_an_unusable_reply_is_not_assessed_after_one_call(endpoint: Endpoint, fault: str, code: str) -> None:
    endpoint.reset(always=fault)
    reply = verify(judge_at(endpoint))
    assert (reply.finding, reply.code, endpoint.calls) == (Finding.NOT_ASSESSED, code, 1)
    assert len(reply.record.attempts) == 1


@pytest.mark.parametrize("fault", ["refusal", "empty", "garbage", "context_length", "nan", "no_list"])
def test_an_unusable_extraction_has_failed(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(always=fault)
    reply = run(judge_at(endpoint), lambda judge: judge.extract(EXTRACT))
    assert (reply.outcome, reply.data, endpoint.calls) == (ExtractOutcome.FAILED, None, 1)
    assert reply.reason


@pytest.mark.parametrize(
    "fault", ["fenced", "fenced_in_prose", "prose", "think", "think_fenced", "extra_id", "broken_text"]
)
def test_wrapped_replies_are_read(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(always=fault)
    reply = verify(judge_at(endpoint))
    assert (reply.finding, endpoint.calls) == (Finding.SUPPORTED, 1)


def test_what_cannot_be_stored_is_replaced_in_reasons(endpoint: Endpoint) -> None:
    endpoint.reset(always="surrogate")
    assert verify(judge_at(endpoint)).reason == "a\ufffdb\ufffdc"


def test_one_garbage_reply_in_a_hundred_spoils_one(endpoint: Endpoint) -> None:
    endpoint.reset(containing={"claim number 42 ": "garbage"}, delay_s=0.03)
    requests = [replace(CLAIM, additional=f"claim number {n} ") for n in range(100)]

    async def work(judge: OpenAIJudge) -> list[VerifyReply]:
        return list(await asyncio.gather(*(judge.verify(request) for request in requests)))

    replies = run(judge_at(endpoint), work)
    assert [n for n, reply in enumerate(replies) if reply.finding is not Finding.SUPPORTED] == [42]
    assert endpoint.max_in_flight == LIMITS.in_flight


# Everything at once


def test_in_a_storm_every_check_gets_its_reply_and_every_call_is_on_a_record(endpoint: Endpoint) -> None:
    transient = ("rate_limit_after_ms", "overloaded", "cut", "close", "html", "error_in_200")
    content = ("refusal", "garbage", "empty", "length", "wrong_quote", "double_id", "nan", "think")
    endpoint.reset(rates=dict.fromkeys((*transient, *content), 0.05), seed=11, delay_s=0.002)
    requests = [replace(CLAIM, additional=str(n)) for n in range(300)]

    async def work(judge: OpenAIJudge) -> list[VerifyReply]:
        return list(await asyncio.gather(*(judge.verify(request) for request in requests)))

    replies = run(judge_at(endpoint, limits=replace(LIMITS, in_flight=32, attempts=6, budget_s=60)), work)
    attempts = Counter(attempt.error for reply in replies for attempt in reply.record.attempts)
    dropped = Counter(call.fault for call in endpoint.log)
    # An attempt on a connection that was just closed never gets there, nor one that a busy machine keeps too long.
    strays = attempts["connection"] + attempts["timeout"] - dropped["cut"] - dropped["close"]
    assert 0 <= attempts.total() - endpoint.calls <= strays
    assert endpoint.max_in_flight <= 32
    decided = [reply for reply in replies if reply.finding is Finding.SUPPORTED]
    assert 150 < len(decided) < 250
    assert {reply.code for reply in replies} >= {
        "",
        "refusal",
        "unparsable",
        "empty",
        "double_id",
        "not_finite",
    }
    assert all(reply.finding in (Finding.NOT_ASSESSED, Finding.ERROR) for reply in replies if reply.code)
