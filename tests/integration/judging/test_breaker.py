"""A dead endpoint costs a bounded number of calls, whatever is asked of it. A real endpoint; no mocks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from judging.appointing import breaker_of
from judging.judges.base import Finding, JudgeUnavailable, VerifyReply
from judging.judges.openai import Breaker, OpenAIJudge, Pace
from judging.models import JudgeRun, Verdict
from judging.rounds import rejudge
from submissions.models import Submission
from tests.endpoint import Endpoint
from tests.integration.judging.asking import CLAIM, LIMITS, judge_at, run
from tests.judging_factories import import_set, judged, model_judges, run_jobs, tree_files

NOWHERE = "http://127.0.0.1:9/v1"
IN_FLIGHT, ATTEMPTS = 4, 3
FEW = replace(LIMITS, in_flight=IN_FLIGHT, attempts=ATTEMPTS)


class Times:
    """A clock that only sleeping and we move."""

    now = 1_000.0

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0.001)

    @property
    def pace(self) -> Pace:
        return Pace(clock=lambda: self.now, sleep=self.sleep)


async def many(judge: OpenAIJudge, count: int, first: int = 0) -> list[VerifyReply | BaseException]:
    """As many different checks, all at once."""
    requests = [replace(CLAIM, additional=str(n)) for n in range(first, first + count)]
    return list(await asyncio.gather(*map(judge.verify, requests), return_exceptions=True))


def codes(replies: list[VerifyReply | BaseException]) -> set[tuple[Finding, str]]:
    assert all(isinstance(reply, VerifyReply) for reply in replies)
    return {(reply.finding, reply.code) for reply in replies if isinstance(reply, VerifyReply)}


# ------------------------------------------------------------------ one judge
@pytest.mark.parametrize(
    ("fault", "code"), [("server_error", "server_error"), ("close", "connection"), ("html", "bad_body")]
)
def test_a_thousand_checks_of_a_dead_endpoint_cost_as_many_calls_as_it_takes_to_know(
    endpoint: Endpoint, fault: str, code: str
) -> None:
    endpoint.reset(always=fault)
    judge = judge_at(endpoint, limits=FEW, breaker=Breaker(after=5))
    replies = run(judge, lambda asked: many(asked, 1_000))
    assert codes(replies) == {(Finding.ERROR, code)}
    assert 5 <= endpoint.calls < 5 + IN_FLIGHT
    attempts = sum(len(reply.record.attempts) for reply in replies if isinstance(reply, VerifyReply))
    assert attempts == endpoint.calls


def test_where_nobody_listens_it_is_the_same(endpoint: Endpoint) -> None:
    judge = judge_at(endpoint, base_url=NOWHERE, limits=FEW, breaker=Breaker(after=5))
    replies = run(judge, lambda asked: many(asked, 200))
    assert codes(replies) == {(Finding.ERROR, "connection")}
    tried = [reply for reply in replies if isinstance(reply, VerifyReply) and reply.record.attempts]
    assert 1 <= len(tried) <= 5 + IN_FLIGHT


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("auth", "auth"), ("forbidden", "auth"), ("no_model", "no_such_model"), ("insufficient_quota", "quota")],
)
def test_what_only_a_person_mends_is_asked_no_more_than_once_by_each_that_was_under_way(
    endpoint: Endpoint, fault: str, reason: str
) -> None:
    endpoint.reset(always=fault)
    judge = judge_at(endpoint, limits=FEW)
    replies = run(judge, lambda asked: many(asked, 200))
    assert {getattr(reply, "reason", None) for reply in replies} == {reason}
    assert all(isinstance(reply, JudgeUnavailable) for reply in replies)
    assert endpoint.calls <= IN_FLIGHT
    with pytest.raises(JudgeUnavailable, match="held to be down"):
        run(judge, lambda asked: asked.verify(CLAIM))


def test_whoever_takes_the_work_up_again_asks_anew(endpoint: Endpoint) -> None:
    breaker = Breaker()
    endpoint.reset(always="auth")
    with pytest.raises(JudgeUnavailable):
        run(judge_at(endpoint, breaker=breaker), lambda asked: asked.verify(CLAIM))
    endpoint.reset()
    reply = run(judge_at(endpoint, breaker=breaker), lambda asked: asked.verify(CLAIM))
    assert (reply.finding, endpoint.calls) == (Finding.SUPPORTED, 1)


@pytest.mark.parametrize("fault", ["refusal", "garbage", "empty", "context_length", "rate_limit"])
def test_an_endpoint_that_answers_is_not_down_however_badly(endpoint: Endpoint, fault: str) -> None:
    endpoint.reset(always=fault)
    judge = judge_at(endpoint, limits=replace(FEW, attempts=1), breaker=Breaker(after=5))
    run(judge, lambda asked: many(asked, 50))
    assert endpoint.calls == 50


def test_after_a_while_one_call_finds_out_while_the_others_wait(endpoint: Endpoint) -> None:
    endpoint.reset(always="server_error")
    times = Times()
    judge = judge_at(endpoint, limits=FEW, pace=times.pace, breaker=Breaker(after=5, hold_s=10))

    async def scene(asked: OpenAIJudge) -> list[list[VerifyReply | BaseException]]:
        found = [await many(asked, 50)]
        endpoint.reset(always="server_error")
        found.append(await many(asked, 50))
        assert endpoint.calls == 0
        times.now += 10
        found.append(await many(asked, 50))
        assert endpoint.calls == 1
        endpoint.reset(delay_s=0.02)
        found.append(await many(asked, 50))
        assert endpoint.calls == 0
        times.now += 10
        task = asyncio.create_task(many(asked, 50))
        while not endpoint.calls:
            await asyncio.sleep(0.001)
        assert (endpoint.calls, endpoint.max_in_flight) == (1, 1)
        found.append(await task)
        return found

    *down, up = run(judge, scene)
    for replies in down:
        assert codes(replies) == {(Finding.ERROR, "server_error")}
    assert codes(up) == {(Finding.SUPPORTED, "")}
    assert endpoint.calls == 50


def test_a_call_that_was_to_find_out_and_is_cut_off_leaves_it_to_the_next(endpoint: Endpoint) -> None:
    endpoint.reset(always="server_error")
    times = Times()
    judge = judge_at(endpoint, limits=FEW, pace=times.pace, breaker=Breaker(after=5, hold_s=10))

    async def scene(asked: OpenAIJudge) -> VerifyReply:
        await many(asked, 20)
        times.now += 10
        endpoint.reset(next=["hang"])
        trial = asyncio.create_task(asked.verify(CLAIM))
        while not endpoint.calls:
            await asyncio.sleep(0.001)
        other = asyncio.create_task(asked.verify(replace(CLAIM, additional="another")))
        await asyncio.sleep(0.02)
        assert endpoint.calls == 1
        trial.cancel()
        return await other

    reply = run(judge, scene)
    assert (reply.finding, endpoint.calls) == (Finding.SUPPORTED, 2)


def test_an_endpoint_that_is_away_for_less_than_a_questions_patience_costs_no_check(
    endpoint: Endpoint,
) -> None:
    endpoint.reset(next=["server_error"] * (IN_FLIGHT * (ATTEMPTS - 1)))
    judge = judge_at(endpoint, limits=FEW, breaker=Breaker(after=IN_FLIGHT * ATTEMPTS))
    assert codes(run(judge, lambda asked: many(asked, 40))) == {(Finding.SUPPORTED, "")}


# ------------------------------------------------------------------ a whole submission
CHECKS = 50
TASK: dict[str, Any] = {
    "prompt": "How deep is Lake Brume?",
    "tree": {
        "children": [
            {"id": f"c{n}", "claim": f"It is {n} metres deep", "evidence": "none"} for n in range(CHECKS)
        ]
    },
}


@pytest.fixture
def _model(endpoint: Endpoint, settings: Any) -> Iterator[None]:
    model_judges(settings, endpoint.base_url, attempts=ATTEMPTS, timeout_s=2, in_flight=IN_FLIGHT)
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SHARD_ANSWERS": 5}
    breaker_of.cache_clear()
    yield
    breaker_of.cache_clear()


def submission_of(tasks: int) -> Submission:
    keys = [f"t{n}" for n in range(tasks)]
    task_set = import_set(tree_files(dict.fromkeys(keys, TASK)))
    return judged(task_set, {key: f"{key} is 7 metres deep." for key in keys})


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_model")
def test_a_submission_of_a_thousand_checks_ends_incomplete_in_a_few_calls(endpoint: Endpoint) -> None:
    endpoint.reset(always="server_error")
    submission = submission_of(20)
    assert (submission.state, "errors_left" in submission.incomplete_reasons) == ("incomplete", True)
    assert Verdict.objects.filter(finding="error", code="server_error").count() == 20 * CHECKS
    assert endpoint.calls < IN_FLIGHT * ATTEMPTS + IN_FLIGHT
    assert JudgeRun.objects.get().calls == endpoint.calls


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_model")
def test_what_was_given_up_is_judged_when_the_endpoint_is_back(endpoint: Endpoint) -> None:
    endpoint.reset(always="server_error")
    submission = submission_of(2)
    breaker_of(endpoint.base_url, "judge-1", IN_FLIGHT * ATTEMPTS).hold_s = 0
    endpoint.reset()
    rejudge(submission, actor="test", now=timezone.now())
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, endpoint.calls) == ("judged", 2 * CHECKS)
