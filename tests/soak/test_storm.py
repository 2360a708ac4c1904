"""An endpoint that fails four times out of ten: nothing is made up, nothing stays stuck, nothing is lost for good."""

from __future__ import annotations

import time
from collections import Counter, deque
from typing import Any

import pytest
from django.db.models import Sum
from django.utils import timezone

from evalservice.demo import SETS
from judging.models import Extraction, ModelCall, Spending, Verdict
from judging.rounds import rejudge
from leaderboard.tasks import publish_due
from submissions.driving import resume
from submissions.models import Submission, TaskSet
from tests.endpoint import Endpoint
from tests.judging_factories import run_jobs, scores_of
from tests.soak.conftest import Report
from tests.soak.examples import PAIRS, open_sets, submit_pair
from tests.soak.scale import scaled

pytestmark = pytest.mark.django_db(transaction=True)

# In the calm nothing may be lost to a busy machine; in the storm what hangs is to be given up soon.
PATIENT = {"timeout_s": 60, "attempts": 6, "budget_s": 300, "in_flight": 8, "tokens_per_minute": 0}
HURRIED = {"timeout_s": 1, "attempts": 3, "budget_s": 5, "in_flight": 16, "tokens_per_minute": 0}

RATES = {"rate_limit_after": 0.30, "hang": 0.05, "garbage": 0.05, "refusal": 0.02}
QUOTA_AT = 100  # the call that finds the quota used up, once
RESUMES = 20  # of one submission, after as many pauses


def ended(submission: Submission) -> int:
    """Judge to the end, as an operator would who resumes what was paused; how often that was."""
    for pauses in range(RESUMES):
        run_jobs(submission, slices=200)
        if submission.state != Submission.State.PAUSED:
            return pauses
        assert submission.state_reason
        resume(submission, actor="test", now=timezone.now())
    raise AssertionError(f"paused {RESUMES} times: {submission.state_reason}")


def judged_all(sets: dict[str, TaskSet]) -> tuple[list[Submission], int]:
    """All answers of both sets judged and published, and the number of pauses on the way."""
    submissions = [submit_pair(sets, pair) for pair in PAIRS]
    pauses = sum(map(ended, submissions))
    published(submissions)
    return submissions, pauses


def published(submissions: list[Submission]) -> None:
    """What the queue would have called for each."""
    for submission in submissions:
        if submission.state == Submission.State.JUDGED:
            publish_due(submission.pk)
    for submission in submissions:
        submission.refresh_from_db()


def differing(before: list[dict[str, float | None]], after: list[dict[str, float | None]]) -> list[Any]:
    """Scores that are known on both sides and not the same."""
    return [
        (pair, key, score, new[key])
        for pair, old, new in zip(PAIRS, before, after, strict=True)
        for key, score in old.items()
        if None not in (score, new[key]) and score != new[key]
    ]


def test_a_storm_of_faults_changes_no_score_and_judging_again_heals_all(
    settings: Any, report: Report
) -> None:
    begun = time.monotonic()
    total: Counter[str] = Counter()
    with Endpoint(log=deque()) as endpoint:
        settings.EVALSERVICE = {
            **settings.EVALSERVICE, "JUDGE": "openai", "JUDGE_MODEL": "judge-1", "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": endpoint.base_url, "MODEL": PATIENT,
        }  # fmt: skip
        sets = open_sets()
        calm, _ = judged_all(sets)
        assert {submission.state for submission in calm} == {"published"}
        expected = [scores_of(submission) for submission in calm]
        assert len({name for name, _ in PAIRS}) == len(SETS)
        for seed in range(scaled(3)):
            total += storm(endpoint, settings, sets, expected, seed)
    report(test="storm", **total, seconds=round(time.monotonic() - begun))
    assert total["unknown"] > 0, "a storm in which every score is known tests little"


def attempts() -> int:
    """All that was counted so far."""
    return Spending.objects.aggregate(calls=Sum("calls"))["calls"] or 0


def most_attempts(submissions: list[Submission]) -> int:
    """Of one question."""
    rows = [
        row
        for model in (Verdict, Extraction)
        for row in model.objects.filter(run__submission__in=submissions)
    ]
    return max(len(call["attempts"]) for row in rows for call in row.record["calls"])


def storm(
    endpoint: Endpoint,
    settings: Any,
    sets: dict[str, TaskSet],
    expected: list[dict[str, float | None]],
    seed: int,
) -> Counter[str]:
    """One storm and the calm after it; figures of both."""
    ModelCall.objects.all().delete()
    spent = attempts()
    endpoint.reset(rates=RATES, seed=seed, at={QUOTA_AT: "insufficient_quota"})
    settings.EVALSERVICE = {**settings.EVALSERVICE, "MODEL": HURRIED}
    submissions, pauses = judged_all(sets)
    for submission in submissions:
        assert submission.state in {"published", "incomplete"}, (submission.state, submission.state_reason)
        assert (submission.state == "published") is (not submission.incomplete_reasons)
    scores = [scores_of(submission) for submission in submissions]
    assert differing(expected, scores) == []
    figures = Counter(submission.state for submission in submissions)
    assert pauses >= 1
    # Every attempt is counted, those that failed too; one that a busy machine kept too long may never have got there. And no
    # question has more of them than it may: asked, with a larger cap, and for its quote.
    most = 3 * HURRIED["attempts"]
    assert 0 <= attempts() - spent - endpoint.calls <= endpoint.calls / 100
    assert most_attempts(submissions) <= most
    figures["unknown"] = sum(score is None for one in scores for score in one.values())
    figures |= Counter(
        calls=endpoint.calls, faults=sum(bool(call.fault) for call in endpoint.log), pauses=pauses
    )

    endpoint.reset()
    settings.EVALSERVICE = {**settings.EVALSERVICE, "MODEL": PATIENT}
    for submission in submissions:
        rejudge(submission, actor="test", now=timezone.now())
        ended(submission)
    figures["calls_to_heal"] = endpoint.calls
    published(submissions)
    assert {submission.state for submission in submissions} == {"published"}
    assert [scores_of(submission) for submission in submissions] == expected
    return figures
