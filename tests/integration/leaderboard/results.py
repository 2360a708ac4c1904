"""Scored submissions for tests, with summaries as the scoring rules make them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from judging.scoring import CascadeResult, References, TreeResult, summarise_cascade, summarise_tree
from submissions.models import Submission, System, TaskSet
from tests.factories import make_submission, make_system, make_task_set, make_team

T0 = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
PROVENANCE: dict[str, Any] = {
    "judge": "lexical",
    "model": "",
    "profile": "lexical/1",
    "profile_hash": "a" * 64,
    "calibrated": False,
    "offline": True,
    "round": 1,
    "judged_in_full": True,
    "task_set_hash": "b" * 64,
    "rubrics_hash": "c" * 64,
    "scoring_profile": "cascade/1",
    "constants": {
        "pass_at": 0.8,
        "weights": {"P0": 1.0, "P1": 0.5},
        "gates": {"factuality": ["instruction"]},
    },
}


def cascade_set(*, tasks: int = 3, **fields: Any) -> TaskSet:
    """A cascade set for dev."""
    return make_task_set(tasks=tasks, protocol="cascade", **fields)


def scored(
    task_set: TaskSet,
    values: Sequence[float],
    *,
    system: System | None = None,
    state: str = "judged",
    at: dt.datetime = T0,
    provenance: dict[str, Any] | None = None,
    reasons: Sequence[str] = (),
    listing: str = "listed",
    details: dict[str, Any] | None = None,
    **draft: Any,
) -> Submission:
    """A submission whose answers scored ``values``: UserPref or root score, run by run within task by task.

    It was finalized and judged at ``at``. ``details`` go into every answer's result (seconds, cost_usd …).
    """
    system = system or make_system(make_team())
    submission = make_submission(state, task_set=task_set, system=system, at=at, **draft)
    places = list(submission.answers.select_related("task").order_by("task__position", "run"))
    found = [
        _result(task_set, answer.task.public_id, answer.run, value, details or {})
        for answer, value in zip(places, values, strict=True)
    ]
    for answer, value in zip(places, values, strict=True):
        changes = {"user_pref": value} if task_set.protocol == "cascade" else {"score": value}
        submission.answers.filter(pk=answer.pk).update(**changes)
    summarise: Any = summarise_cascade if task_set.protocol == "cascade" else summarise_tree
    Submission.objects.filter(pk=submission.pk).update(
        summary=summarise(found, submission.runs).as_dict(),
        provenance={**PROVENANCE, **(provenance or {})},
        coverage=1.0,
        incomplete_reasons=list(reasons),
        listing=listing,
        judged_at=at,
    )
    submission.refresh_from_db()
    return submission


def _result(task_set: TaskSet, task: str, run: int, value: float, details: dict[str, Any]) -> Any:
    common: dict[str, Any] = {
        "task": task, "run": run, "checks": 4, "assessed": 4, "in_full": True, "hallucinated": value < 1,
        "references": References(claims=8, cited=6, supported=5, unsupported=1), "seconds": 300.0,
        "answer_chars": 4_000, "cost_usd": 0.25, **details,
    }  # fmt: skip
    if task_set.protocol != "cascade":
        return TreeResult(**common, score=value)
    share = (value - 1) / 3
    dimensions = {"instruction": share, "factuality": share, "rationality": share, "overall": share}
    return CascadeResult(**{**dimensions, **common}, user_pref=int(value))
