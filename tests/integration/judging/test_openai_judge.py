"""The openai judge against a real endpoint: what it finds, and when it asks a second time. No mocks."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from judging.judges.base import (
    AnswerState,
    ExtractOutcome,
    Finding,
    Relevance,
    Usage,
    VerifyReply,
)
from judging.judges.openai import Ladder, OpenAIJudge, Price, PriceTable, Rung
from tests.endpoint import Endpoint
from tests.integration.judging.asking import (
    CLAIM,
    CLAIMS,
    CRITERION,
    EXTRACT,
    FALSE_CLAIM,
    PAGE,
    errors,
    judge_at,
    run,
    verify,
)

LONG = "word " * 300


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
