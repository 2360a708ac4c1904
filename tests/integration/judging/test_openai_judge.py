"""The openai judge against a real endpoint that fails on order. No mocks."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from judging.judges.base import (
    AnswerState,
    ClaimsRequest,
    ExtractOutcome,
    ExtractRequest,
    Finding,
    JudgeUnavailable,
    Relevance,
    Usage,
    VerifyReply,
)
from judging.judges.openai import Ladder, Limits, OpenAIJudge, Pace, Price, PriceTable, Rung
from tests.endpoint import Endpoint
from tests.integration.judging.asking import (
    CLAIM,
    CRITERION,
    FALSE_CLAIM,
    LIMITS,
    PAGE,
    judge_at,
    run,
    verify,
)

SCHEMA = {"type": "object", "properties": {"height": {"type": "number", "x-labels": ["Height"]}}}
EXTRACT = ExtractRequest("hut", "The hut's height", SCHEMA, "Find a hut.", "- Height: 2,410 m\n")
CLAIMS = ClaimsRequest(
    "The hut", "Find a hut.", "The hut stands at 2,410 metres [map](https://a.example/hut)."
)
LONG = "word " * 300


def errors(reply: VerifyReply) -> list[str]:
    return [attempt.error for attempt in reply.record.attempts]


# What it is for


def test_a_claim_is_supported_by_its_page_with_the_quote(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint))
    assert (reply.finding, reply.code, reply.relevance) == (Finding.SUPPORTED, "", Relevance.RELEVANT)
    assert reply.quote in PAGE.text
    assert endpoint.calls == 1


def test_a_claim_with_another_number_is_refuted(endpoint: Endpoint) -> None:
    assert verify(judge_at(endpoint), FALSE_CLAIM).finding is Finding.REFUTED


def test_a_criterion_is_judged_by_the_answer(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint), CRITERION)
    assert (reply.finding, reply.answer_state) == (Finding.SUPPORTED, AnswerState.GIVES)


def test_data_is_extracted_by_the_authors_schema(endpoint: Endpoint) -> None:
    reply = run(judge_at(endpoint), lambda judge: judge.extract(EXTRACT))
    assert (reply.outcome, reply.data, reply.reason) == (ExtractOutcome.OK, {"height": 2410}, "")


def test_data_is_extracted_from_a_page(endpoint: Endpoint) -> None:
    page = replace(PAGE, text="- Height: 2,999 m\n", truncated=True)
    reply = run(judge_at(endpoint), lambda judge: judge.extract(replace(EXTRACT, page=page)))
    assert (reply.data, reply.record.truncated) == ({"height": 2999}, True)


def test_claims_are_listed_with_what_they_cite(endpoint: Endpoint) -> None:
    reply = run(judge_at(endpoint), lambda judge: judge.claims(CLAIMS))
    assert reply.outcome is ExtractOutcome.OK
    assert [claim.urls for claim in reply.claims] == [("https://a.example/hut",)]


def test_the_record_tells_how_a_verdict_came_about(endpoint: Endpoint) -> None:
    endpoint.reset(next=["rate_limit"], served="judge-1-2026-05-01")
    prices = PriceTable("2026-05", {"judge-1": Price(prompt=1.0, completion=1.0)})
    record = verify(judge_at(endpoint, prices=prices)).record
    assert (record.judge, record.model_asked, record.model_served) == (
        "openai",
        "judge-1",
        "judge-1-2026-05-01",
    )
    assert (record.prompt_version, len(record.prompt_hash)) == ("claim-by-page/1", 64)
    assert record.parameters == {
        "temperature": 0,
        "max_tokens": 500,
        "response_format": "json_schema",
        "price_table": "2026-05",
    }
    assert (record.finish_reason, record.cached, record.truncated) == ("stop", False, False)
    assert [(attempt.error, attempt.status) for attempt in record.attempts] == [
        ("rate_limited", 429),
        ("", 200),
    ]
    assert record.attempts[1].latency_s > 0
    assert (record.usage.cached, record.usage.reasoning) == (1, 1)
    assert record.cost_usd == pytest.approx((record.usage.prompt + record.usage.completion) / 1e6)


def test_without_a_price_there_is_no_cost(endpoint: Endpoint) -> None:
    assert verify(judge_at(endpoint)).record.cost_usd is None


def test_an_empty_page_is_not_assessed_without_a_call(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint), replace(CLAIM, page=replace(PAGE, text=" \n")))
    assert (reply.finding, reply.code, endpoint.calls) == (Finding.NOT_ASSESSED, "empty_page", 0)
    assert (reply.record.attempts, reply.record.cost_usd, reply.record.cached) == ((), 0.0, False)


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
    endpoint.reset(next=[fault], drip_s=0.02)
    began = time.monotonic()
    reply = verify(judge_at(endpoint, limits=replace(LIMITS, timeout_s=0.3)))
    assert (reply.finding, errors(reply)) == (Finding.SUPPORTED, ["timeout", ""])
    assert time.monotonic() - began < 2


def test_an_endpoint_that_is_not_there_is_our_error(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint, base_url="http://127.0.0.1:9/v1"))
    assert (reply.finding, reply.code, errors(reply)) == (Finding.ERROR, "connection", ["connection"] * 4)


@pytest.mark.parametrize("fault", ["rate_limit", "server_error", "html"])
def test_a_persistent_fault_costs_exactly_n_calls_and_is_our_error(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(always=fault)
    reply = verify(judge_at(endpoint))
    assert reply.finding is Finding.ERROR
    assert endpoint.calls == len(reply.record.attempts) == LIMITS.attempts


def test_a_persistent_hang_ends_within_the_budget(endpoint: Endpoint) -> None:
    endpoint.reset(always="hang")
    began = time.monotonic()
    reply = verify(judge_at(endpoint, limits=replace(LIMITS, timeout_s=0.2, budget_s=0.5, attempts=99)))
    assert (reply.finding, reply.code) == (Finding.ERROR, "timeout")
    assert time.monotonic() - began < 1.5


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
        asked.set_share(in_flight=8)
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


# Length


@pytest.mark.parametrize("fault", ["length", "length_empty"])
def test_a_cut_reply_is_asked_again_once_with_a_larger_cap(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(next=[fault])
    reply = verify(judge_at(endpoint))
    assert (reply.finding, errors(reply)) == (Finding.SUPPORTED, ["truncated", ""])
    assert [call.body["max_tokens"] for call in endpoint.log] == [500, 2000]
    assert reply.record.parameters["max_tokens"] == 2000


def test_a_reply_cut_twice_is_truncated(endpoint: Endpoint) -> None:
    endpoint.reset(needs_tokens=10_000)
    reply = verify(judge_at(endpoint))
    assert (reply.finding, reply.code, endpoint.calls) == (Finding.NOT_ASSESSED, "truncated", 2)
    assert reply.record.truncated
    assert reply.record.usage == sum((attempt.usage for attempt in reply.record.attempts), Usage())
    extracted = run(judge_at(endpoint), lambda judge: judge.extract(EXTRACT))
    assert (extracted.outcome, extracted.data) == (ExtractOutcome.TRUNCATED, None)


def test_an_endpoint_that_refuses_the_larger_cap_leaves_a_truncation_not_a_pause(endpoint: Endpoint) -> None:
    endpoint.reset(needs_tokens=10_000, max_cap=1000)
    judge = judge_at(endpoint)
    reply = verify(judge)
    assert (reply.finding, reply.code, endpoint.calls) == (Finding.NOT_ASSESSED, "truncated", 2)
    endpoint.reset(refuses=["max_completion_tokens"])
    assert verify(judge).finding is Finding.SUPPORTED


# Quotes and empty extractions: asked again once


def test_a_wrong_quote_is_asked_again_once(endpoint: Endpoint) -> None:
    endpoint.reset(next=["wrong_quote"])
    reply = verify(judge_at(endpoint))
    assert (reply.finding, endpoint.calls) == (Finding.SUPPORTED, 2)
    assert reply.quote in PAGE.text
    assert "made up" in endpoint.log[1].prompt


def test_a_quote_wrong_twice_is_not_assessed(endpoint: Endpoint) -> None:
    endpoint.reset(always="wrong_quote")
    reply = verify(judge_at(endpoint))
    assert (reply.finding, reply.code, endpoint.calls) == (Finding.NOT_ASSESSED, "quote_mismatch", 2)
    assert len(reply.record.attempts) == 2


def test_a_second_asking_can_show_what_cannot_be_sent(endpoint: Endpoint) -> None:
    endpoint.reset(next=["broken_quote"])
    reply = verify(judge_at(endpoint))
    assert (reply.finding, endpoint.calls) == (Finding.SUPPORTED, 2)


def test_our_fault_at_the_second_asking_is_an_error(endpoint: Endpoint) -> None:
    endpoint.reset(next=["wrong_quote"], always="server_error")
    assert verify(judge_at(endpoint)).finding is Finding.ERROR


@pytest.mark.parametrize(("answer", "calls"), [(LONG, 2), ("word " * 100, 1)])
def test_nothing_from_a_long_answer_is_asked_again_once(endpoint: Endpoint, answer: str, calls: int) -> None:
    reply = run(judge_at(endpoint), lambda judge: judge.extract(replace(EXTRACT, answer=answer)))
    assert (reply.outcome, reply.data, endpoint.calls) == (ExtractOutcome.OK, {}, calls)
    endpoint.reset()
    listed = run(judge_at(endpoint), lambda judge: judge.claims(replace(CLAIMS, answer=answer)))
    assert (listed.outcome, listed.claims, endpoint.calls) == (ExtractOutcome.OK, (), calls)


def test_what_the_second_asking_finds_counts(endpoint: Endpoint) -> None:
    endpoint.reset(next=["emptied"])
    answer = f"{LONG}\n\n- Height: 2,410 m\n"
    reply = run(judge_at(endpoint), lambda judge: judge.extract(replace(EXTRACT, answer=answer)))
    assert (reply.data, len(reply.record.attempts)) == ({"height": 2410}, 2)


def test_nothing_on_a_page_is_nothing(endpoint: Endpoint) -> None:
    page = replace(PAGE, text=LONG)
    run(judge_at(endpoint), lambda judge: judge.extract(replace(EXTRACT, page=page, answer=LONG)))
    assert endpoint.calls == 1


# The ladder


@pytest.mark.parametrize(
    ("refuses", "steps", "sent"),
    [
        (["temperature"], ["temperature"], {"max_tokens": 500, "response_format": "json_schema"}),
        (["max_tokens"], ["max_tokens"], {"temperature": 0, "max_completion_tokens": 500, "response_format": "json_schema"}),
        (["json_schema"], ["response_format"], {"temperature": 0, "max_tokens": 500, "response_format": "json_object"}),
        (["json_schema", "json_object"], ["response_format"] * 2, {"temperature": 0, "max_tokens": 500, "response_format": "text"}),
        (["response_format"], ["response_format"] * 2, {"temperature": 0, "max_tokens": 500, "response_format": "text"}),
        (["temperature", "max_tokens", "json_schema"], ["temperature", "max_tokens", "response_format"], {"max_completion_tokens": 500, "response_format": "json_object"}),
    ],
)  # fmt: skip
def test_what_an_endpoint_refuses_is_left_out_remembered_and_recorded(
    endpoint: Endpoint, refuses: list[str], steps: list[str], sent: dict[str, Any]
) -> None:
    endpoint.reset(refuses=refuses)
    judge = judge_at(endpoint)
    reply = verify(judge)
    assert (reply.finding, errors(reply)) == (Finding.SUPPORTED, ["unsupported"] * len(steps) + [""])
    assert reply.record.parameters == {**sent, "stepped_down": steps, "price_table": ""}
    before = endpoint.calls
    extracted = run(judge, lambda asked: asked.extract(EXTRACT))
    assert (extracted.outcome, extracted.data, endpoint.calls) == (
        ExtractOutcome.OK,
        {"height": 2410},
        before + 1,
    )


def test_a_ladder_may_be_shared_by_judges_of_one_endpoint(endpoint: Endpoint) -> None:
    endpoint.reset(refuses=["json_schema"])
    ladder = Ladder()
    verify(judge_at(endpoint, ladder=ladder))
    verify(judge_at(endpoint, ladder=ladder), FALSE_CLAIM)
    assert (endpoint.calls, ladder.rung) == (3, Rung.JSON_OBJECT)


def test_many_calls_at_once_take_one_step(endpoint: Endpoint) -> None:
    endpoint.reset(refuses=["json_schema"])
    requests = [replace(CLAIM, additional=str(n)) for n in range(20)]

    async def work(judge: OpenAIJudge) -> list[VerifyReply]:
        return list(await asyncio.gather(*(judge.verify(request) for request in requests)))

    ladder = Ladder()
    replies = run(judge_at(endpoint, ladder=ladder), work)
    assert {reply.finding for reply in replies} == {Finding.SUPPORTED}
    assert len(ladder.steps) == 1
