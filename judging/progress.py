"""How far a round of judging is, exactly: for staff alone, since it tells how many tasks there are and how long each takes."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, F, Q, Sum

from judging.models import JudgeRun, Seat, Spending, Verdict
from submissions.models import Job, Submission

__all__ = ["LATELY", "Budget", "Progress", "progress_of"]

LATELY = dt.timedelta(minutes=5)  # over which the pace is measured


@dataclass(frozen=True, slots=True)
class Budget:
    """What was spent of what may be; a limit of 0 is none."""

    name: str
    usd: float
    usd_limit: float
    tokens: int
    tokens_limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A round of judging at one moment.

    ``done`` counts answers whose part of the work has ended, ``begun`` those with a check decided in this round, ``checks`` what
    was decided in it, ``expected`` how many there will be (None: not known). ``in_flight`` are model calls that this round may
    have on the wire now, ``endpoint`` those of all rounds at the same endpoint.
    """

    answers: int
    done: int
    begun: int
    checks: int
    expected: int | None
    per_minute: float | None
    in_flight: int
    endpoint: int
    paused: str
    finished: bool
    budgets: tuple[Budget, ...]

    @property
    def minutes_left(self) -> float | None:
        """About how long it will take at this pace; None where that cannot be told."""
        if self.finished or self.paused or self.expected is None or not self.per_minute:
            return None
        return max(0, self.expected - self.checks) / self.per_minute


def progress_of(run: JudgeRun, *, now: dt.datetime) -> Progress:
    """How far a round is."""
    since = max(now - LATELY, run.started_at)
    found = Verdict.objects.filter(run=run).aggregate(
        checks=Count("id"),
        begun=Count("answer", distinct=True),
        lately=Count("id", filter=Q(created_at__gt=since)),
    )
    minutes = (now - since).total_seconds() / 60
    jobs = Job.objects.filter(submission=run.submission_id, kind=Job.Kind.JUDGE, round=run.round)
    paused = run.submission.state == Submission.State.PAUSED
    return Progress(
        answers=run.submission.answers.count(),
        done=jobs.filter(state=Job.State.DONE).aggregate(sum=Sum("total_items"))["sum"] or 0,
        begun=found["begun"],
        checks=found["checks"],
        expected=_expected(run),
        per_minute=None if run.finished_at or minutes <= 0 else found["lately"] / minutes,
        **_calls(run, [job.lease_owner for job in jobs.filter(state=Job.State.RUNNING)], now),
        paused=run.submission.state_reason if paused else "",
        finished=run.finished_at is not None,
        budgets=_budgets(run, now),
    )


def _expected(run: JudgeRun) -> int | None:
    """As many checks an answer as the last first round on the same set took; judged again, nobody knows what is missing."""
    if run.round > 1:
        return None
    others = JudgeRun.objects.filter(
        submission__task_set=run.submission.task_set_id, round=1, finished_at__isnull=False
    )
    last = others.exclude(pk=run.pk).order_by("-finished_at", "-pk").first()
    if last is None:
        return None
    counted = Verdict.objects.filter(run=last).count()
    mine, its = (submission.answers.count() for submission in (run.submission, last.submission))
    return round(counted * mine / its) if its else None


def _calls(run: JudgeRun, holders: list[str], now: dt.datetime) -> dict[str, int]:
    seats = Seat.objects.filter(endpoint__base_url=run.profile.base_url, until__gte=now)
    found = seats.aggregate(own=Sum("in_flight", filter=Q(holder__in=holders)), every=Sum("in_flight"))
    return {"in_flight": found["own"] or 0, "endpoint": found["every"] or 0}


def _budgets(run: JudgeRun, now: dt.datetime) -> tuple[Budget, ...]:
    today = Q(day=now.astimezone(dt.UTC).date())
    wanted = {"submission": Q(run__submission=run.submission_id), "day": today}
    return tuple(_budget(name, spent) for name, spent in wanted.items())


def _budget(name: str, spent: Q) -> Budget:
    limits = settings.EVALSERVICE["BUDGET"]
    tokens = F("prompt_tokens") + F("completion_tokens")
    found = Spending.objects.filter(spent).aggregate(usd=Sum("cost_usd"), tokens=Sum(tokens))
    return Budget(
        name, found["usd"] or 0.0, limits[f"{name}_usd"], found["tokens"] or 0, limits[f"{name}_tokens"]
    )
