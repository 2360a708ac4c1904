"""Checks that share a call at an endpoint: what one of them does to a call reaches none of the others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from judging.judges.base import Finding, JudgeUnavailable, VerifyReply
from judging.judges.openai import Price, PriceTable
from tests.endpoint import Endpoint
from tests.endpoint.parts import Parts
from tests.endpoint.sense import Sense
from tests.integration.judging.asking import CLAIM, LIMITS, Remembered, errors, judge_at, run

PRICES = PriceTable("1", {"judge-1": Price(1.0, 1.0)})
TRUE, FALSE = "The hut stands at 2,410 metres", "The hut stands at 2,999 metres"
BUILT, DINNER = "The hut was built in 1923", "Dinner is served at seven"
GROUP = [replace(CLAIM, check=text, statement=text) for text in (TRUE, FALSE, BUILT, DINNER)]
YES, NO = Finding.SUPPORTED, Finding.REFUTED
MEANT = [YES, NO, YES, YES]

Bend = Callable[[dict[str, Any], Parts], list[dict[str, Any]]]


class Bent:
    """A sensible endpoint that does to the verdict on one statement what a test says."""

    def __init__(self, bend: Bend, statement: str = BUILT) -> None:
        self.bend = bend
        self.statement = statement
        self.sense = Sense()

    async def __call__(self, parts: Parts) -> Mapping[str, Any]:
        """The object of the reply."""
        found = await self.sense(parts)
        told = {check.id: check.statement for check in parts.checks}
        return {
            "verdicts": [
                entry
                for verdict in found["verdicts"]
                for entry in (
                    self.bend(verdict, parts) if told[verdict["id"]] == self.statement else [verdict]
                )
            ]
        }


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


def asked_together(endpoint: Endpoint, **changes: Any) -> list[VerifyReply]:
    return run(judge_at(endpoint, prices=PRICES, **changes), lambda judge: judge.verify_group(GROUP))


def findings(replies: list[VerifyReply]) -> list[Finding]:
    return [reply.finding for reply in replies]


def checks_of(endpoint: Endpoint) -> list[int]:
    """How many checks each call was about."""
    return [call.prompt.count("Check id: ") for call in endpoint.log]


def paid(endpoint: Endpoint, replies: list[VerifyReply]) -> bool:
    """Whether the replies' records hold every call of the endpoint once, and their costs add up to its tokens."""
    attempts = [attempt for reply in replies for attempt in reply.record.attempts]
    usage = [attempt.usage for attempt in attempts]
    million = sum(reply.record.cost_usd or 0 for reply in replies) * 1e6
    return (
        len(attempts) == endpoint.calls
        and abs(million - sum(one.prompt + one.completion for one in usage)) < 1e-6
    )


MISQUOTED: Bend = lambda verdict, parts: [{**verdict, "quote": "made up"}]  # noqa: E731  # one line each
ODD: list[tuple[Bend, str]] = [
    (lambda verdict, parts: [], "missing_id"),
    (lambda verdict, parts: [verdict, verdict], "double_id"),
    (lambda verdict, parts: [verdict, {**verdict, "verdict": "refuted"}], "double_id"),
    (lambda verdict, parts: [{**verdict, "id": "c0000000000"}], "missing_id"),
    (lambda verdict, parts: [{**verdict, "id": ["c"]}], "missing_id"),
    (lambda verdict, parts: [{**verdict, "verdict": "maybe"}], "unparsable"),
    (lambda verdict, parts: [{**verdict, "verdict": 1.0}], "unparsable"),
    (lambda verdict, parts: [{**verdict, "verdict": "cannot_judge"}], "abstained"),
]


@pytest.mark.parametrize(("bend", "code"), ODD)
def test_an_odd_verdict_leaves_its_own_check_not_assessed(endpoint: Endpoint, bend: Bend, code: str) -> None:
    endpoint.brain = Bent(bend)
    replies = asked_together(endpoint)
    assert findings(replies) == [YES, NO, Finding.NOT_ASSESSED, YES]
    assert ([reply.code for reply in replies], endpoint.calls) == (["", "", code, ""], 1)


def test_a_wrong_quote_is_asked_for_again_without_the_others(endpoint: Endpoint) -> None:
    endpoint.brain = Bent(
        lambda verdict, parts: [{**verdict, "quote": "made up"}] if parts.rounds == 1 else [verdict]
    )
    replies = asked_together(endpoint)
    assert findings(replies) == MEANT
    assert checks_of(endpoint) == [4, 1]
    assert [reply.record.shared for reply in replies] == [4, 4, 1, 4]
    assert paid(endpoint, replies)


def test_what_was_said_of_a_check_is_shown_to_it_alone(endpoint: Endpoint) -> None:
    endpoint.brain = Bent(MISQUOTED)
    asked_together(endpoint)
    _, _, said, _ = endpoint.log[-1].body["messages"]
    (entry,) = json.loads(said["content"])["verdicts"]
    assert (said["role"], entry["quote"]) == ("assistant", "made up")
    assert f"Check id: {entry['id']}" in endpoint.log[-1].prompt


def test_a_quote_that_stays_wrong_is_not_assessed(endpoint: Endpoint) -> None:
    endpoint.brain = Bent(MISQUOTED)
    replies = asked_together(endpoint)
    assert [reply.code for reply in replies] == ["", "", "quote_mismatch", ""]
    assert (replies[2].finding, endpoint.calls) == (Finding.NOT_ASSESSED, 2)


def test_where_all_quotes_are_wrong_the_group_is_asked_again(endpoint: Endpoint) -> None:
    endpoint.reset(next=["wrong_quote"])
    replies = asked_together(endpoint)
    assert (findings(replies), checks_of(endpoint)) == (MEANT, [4, 4])
    assert paid(endpoint, replies)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("refusal", "refusal"),
        ("content_filter", "content_filter"),
        ("filter_400", "content_filter"),
        ("context_length", "context_length"),
        ("length", "truncated"),
        ("empty", "empty"),
        ("garbage", "unparsable"),
        ("nan", "not_finite"),
        ("no_list", "schema_mismatch"),
    ],
)
def test_what_is_wrong_with_one_check_does_not_take_down_the_others(
    endpoint: Endpoint, fault: str, code: str
) -> None:
    endpoint.reset(containing={BUILT: fault})
    # The page says so too; only the check itself may bring the fault.
    page = replace(
        GROUP[0].page or CLAIM.page, text="The hut stands at 2,410 metres. Dinner is served at seven."
    )  # type: ignore[type-var]
    group = [replace(one, page=page) for one in GROUP]
    replies = run(judge_at(endpoint, prices=PRICES), lambda judge: judge.verify_group(group))
    assert [reply.code for reply in replies] == ["", "", code, ""]
    assert findings(replies) == [YES, NO, Finding.NOT_ASSESSED, YES]
    larger = 2 if code == "truncated" else 1
    assert sorted(checks_of(endpoint)) == [1] * (3 + larger) + [4] * larger
    assert [reply.record.shared for reply in replies] == [1] * 4
    assert paid(endpoint, replies)
    assert errors(replies[0])[:larger] == [code] * larger


def test_a_group_that_fits_no_context_is_asked_one_by_one(endpoint: Endpoint) -> None:
    alone = run(judge_at(endpoint), lambda judge: judge.verify(GROUP[0]))
    chars = len(json.dumps(endpoint.log[0].body["messages"])) + 40
    endpoint.reset(context_chars=chars)
    replies = asked_together(endpoint)
    assert (findings(replies), alone.finding) == (MEANT, YES)
    assert endpoint.calls == 5
    assert paid(endpoint, replies)


def test_an_endpoint_that_is_away_fails_the_group_and_is_not_asked_one_by_one(endpoint: Endpoint) -> None:
    endpoint.reset(always="overloaded")
    replies = asked_together(endpoint)
    assert findings(replies) == [Finding.ERROR] * 4
    assert endpoint.calls == LIMITS.attempts
    assert paid(endpoint, replies)


def test_a_judge_that_is_gone_while_checks_are_asked_alone_pauses(endpoint: Endpoint) -> None:
    endpoint.reset(at={1: "refusal", 3: "insufficient_quota"})
    with pytest.raises(JudgeUnavailable) as caught:
        asked_together(endpoint)
    assert caught.value.reason == "quota"


def test_a_group_is_remembered_as_a_whole_and_costs_nothing_then(endpoint: Endpoint) -> None:
    cache = Remembered()
    first, second = (asked_together(endpoint, cache=cache) for _ in range(2))
    assert (endpoint.calls, findings(first)) == (1, findings(second))
    assert [reply.record.cached for reply in second] == [True] * 4
    assert [reply.record.cost_usd for reply in second] == [0.0] * 4


def test_the_order_of_the_verdicts_in_a_reply_means_nothing(endpoint: Endpoint) -> None:
    class Turned(Sense):
        async def __call__(self, parts: Parts) -> Mapping[str, Any]:
            return {"verdicts": [*(await super().__call__(parts))["verdicts"]][::-1]}

    endpoint.brain = Turned()
    assert findings(asked_together(endpoint)) == MEANT


def test_the_smallest_group_is_asked_as_a_check_alone_is(endpoint: Endpoint) -> None:
    run(judge_at(endpoint), lambda judge: judge.verify_group(GROUP[:1]))
    run(judge_at(endpoint), lambda judge: judge.verify(GROUP[0]))
    assert endpoint.log[0].body == endpoint.log[1].body


def test_no_author_s_id_reaches_the_model(endpoint: Endpoint) -> None:
    secret = [replace(one, check=f"rubric-id-{n}") for n, one in enumerate(GROUP)]
    run(judge_at(endpoint), lambda judge: judge.verify_group(secret))
    assert "rubric-id" not in json.dumps(endpoint.log[0].body)


def test_a_group_that_hangs_is_cut_within_a_second_of_being_cancelled(endpoint: Endpoint) -> None:
    endpoint.reset(always="hang")

    async def cancelled() -> None:
        judge = judge_at(endpoint)
        asking = asyncio.create_task(judge.verify_group(GROUP))
        while not endpoint.in_flight:
            await asyncio.sleep(0.01)
        asking.cancel()
        async with asyncio.timeout(1):
            await asyncio.wait({asking})
        assert asking.cancelled()
        await judge.aclose()

    asyncio.run(cancelled())


# ------------------------------------------------------------------ some of a group
def some(endpoint: Endpoint, cache: Remembered | None, *places: int) -> list[VerifyReply]:
    """Some of the group, of which the others are known."""
    judge = judge_at(endpoint, prices=PRICES, cache=cache)
    return run(judge, lambda asked: asked.verify_group([GROUP[n] for n in places], group=GROUP))


def test_what_the_whole_group_was_told_need_not_be_asked_again(endpoint: Endpoint) -> None:
    cache = Remembered()
    first = asked_together(endpoint, cache=cache)
    again = some(endpoint, cache, 3, 1)
    assert endpoint.calls == 1
    assert [(one.finding, one.quote) for one in again] == [(first[n].finding, first[n].quote) for n in (3, 1)]
    assert [(one.record.cached, one.record.cost_usd, one.record.attempts) for one in again] == [
        (True, 0.0, ())
    ] * 2
    assert again[0].record.parameters == first[0].record.parameters


def test_gaps_are_asked_alone_where_the_reply_is_not_remembered(endpoint: Endpoint) -> None:
    for cache in (None, Remembered()):
        endpoint.reset()
        assert findings(some(endpoint, cache, 0, 1)) == [YES, NO]
        assert checks_of(endpoint) == [2]


def test_a_reply_that_left_something_open_is_not_remembered_and_its_gaps_are_asked(
    endpoint: Endpoint,
) -> None:
    cache = Remembered()
    endpoint.brain = Bent(lambda verdict, parts: [] if len(parts.checks) > 1 else [verdict])
    assert asked_together(endpoint, cache=cache)[2].code == "missing_id"
    assert findings(some(endpoint, cache, 2)) == [YES]
    assert checks_of(endpoint) == [4, 1]
