"""What judging has cost, and whether it may cost more: every call is counted, whatever became of what it was asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet, Sum

from judging.judges.base import Attempt
from judging.models import JudgeRun, Spending
from submissions.reasons import StateReason

__all__ = ["Paid", "charge", "day_is_used_up", "over_budget"]

TOKENS = {"prompt_tokens": "prompt", "cached_tokens": "cached", "completion_tokens": "completion",
          "reasoning_tokens": "reasoning"}  # fmt: skip


Paid = tuple[Attempt, float | None]  # an attempt and what it cost, in USD; None: there is no price for it


def charge(run: int | None, paid: Iterable[Paid], *, now: dt.datetime) -> None:
    """Count what was asked for a run, or apart from all runs: calls, tokens and USD of every attempt, failed ones included,
    since all of them were paid; call inside a transaction."""
    sums: dict[str, Any] = dict.fromkeys(("calls", "unpriced_calls", *TOKENS), 0) | {"cost_usd": 0.0}
    for attempt, cost_usd in paid:
        sums["calls"] += 1
        sums["unpriced_calls"] += cost_usd is None
        sums["cost_usd"] += cost_usd or 0.0
        for column, name in TOKENS.items():
            sums[column] += getattr(attempt.usage, name)
    if not sums["calls"]:
        return
    changes = {name: F(name) + value for name, value in sums.items()}
    row, _ = Spending.objects.get_or_create(run_id=run, day=now.astimezone(dt.UTC).date())
    Spending.objects.filter(pk=row.pk).update(**changes)


def over_budget(run: JudgeRun, *, now: dt.datetime) -> StateReason | None:
    """The budget that is used up, if one is: a submission's over all its rounds, or this day's (UTC) of all."""
    budget = settings.EVALSERVICE["BUDGET"]
    of_submission = Spending.objects.filter(run__submission=run.submission_id)
    if _is_used_up(of_submission, budget["submission_usd"], budget["submission_tokens"]):
        return StateReason.BUDGET_SUBMISSION
    return StateReason.BUDGET_DAY if day_is_used_up(now=now) else None


def day_is_used_up(*, now: dt.datetime) -> bool:
    """Whether today's budget (UTC) is used up."""
    budget = settings.EVALSERVICE["BUDGET"]
    today = Spending.objects.filter(day=now.astimezone(dt.UTC).date())
    return _is_used_up(today, budget["day_usd"], budget["day_tokens"])


def _is_used_up(spending: QuerySet[Spending], usd: float, tokens: int) -> bool:
    """Whether this reached either limit; 0 sets none."""
    if not usd and not tokens:
        return False
    spent = spending.aggregate(usd=Sum("cost_usd"), tokens=Sum(F("prompt_tokens") + F("completion_tokens")))
    return bool(usd and (spent["usd"] or 0) >= usd) or bool(tokens and (spent["tokens"] or 0) >= tokens)
