"""The document of a board: the one thing that page, JSON and CSV all show. Same numbers, rounding and order.

Everything in it is public. Nothing of a task, an answer or a verdict comes in.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

import structlog

from leaderboard.candidates import Status
from leaderboard.metrics import CASCADE, REASONS, WILSON
from leaderboard.ranking import Direction, Metric, ranked, row_tie
from leaderboard.statistics import Interval, mean_of, mean_with_interval, task_means, wilson
from submissions.models import Submission, TaskSet

log = structlog.get_logger(__name__)

VERSION = 1  # of this layout
_LINKS = ("url", "paper_url", "code_url")
_PERFECT = 1.0


@dataclass(frozen=True, slots=True)
class Standing:
    """A chosen submission with what else its row needs. ``scores`` holds (task, value) of every answer."""

    submission: Submission
    status: Status
    attempts: int
    scores: Sequence[tuple[int, float | None]] = field(default_factory=tuple)


def stamp(moment: dt.datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def task_set_part(task_set: TaskSet, *, tasks: int) -> dict[str, Any]:
    """What a reader must know of the set."""
    return {
        "slug": task_set.slug,
        "version": task_set.version,
        "title": task_set.title,
        "description": task_set.description,
        "protocol": task_set.protocol,
        "split": task_set.split,
        "delivery": task_set.delivery,
        "licence": task_set.licence,
        "tasks": tasks,
        "runs": task_set.runs,
        "as_of": task_set.as_of.isoformat() if task_set.as_of else None,
    }


def method_part(provenance: Mapping[str, Any] | None) -> dict[str, Any]:
    """How the ranked rows were judged: one way for all of them."""
    found = provenance or {}
    return {
        "judge": found.get("judge", ""),
        "model": found.get("model", ""),
        "judge_profile": found.get("profile", ""),
        "scoring_profile": found.get("scoring_profile", ""),
        "constants": found.get("constants"),
        "marks": marks_of(found),
    }


def marks_of(provenance: Mapping[str, Any] | None) -> list[str]:
    """What a reader must bear in mind; what is not known to be calibrated is not."""
    found = provenance or {}
    marks = {"offline_judge": found.get("offline"), "uncalibrated": not found.get("calibrated")}
    return [mark for mark, holds in marks.items() if holds]


def rows(
    standings: Sequence[Standing],
    metrics: Sequence[Metric],
    clusters: Mapping[int, Hashable],
    *,
    now: dt.datetime,
) -> list[dict[str, Any]]:
    """All rows in the board's order: ranked ones best first, then the others by name."""
    primary = metrics[0]
    ranking = [_ranked_row(one, metrics, clusters, now) for one in standings if one.status is Status.RANKED]
    placed = ranked(
        ranking, value=lambda row: row["values"][primary.key], tie=row_tie, direction=primary.direction
    )
    others = [_bare_row(one) for one in standings if one.status is not Status.RANKED]
    below = ranked(others, value=lambda row: None, tie=row_tie, direction=Direction.HIGHER)
    return [{**row, "rank": rank, "position": place} for place, (rank, row) in enumerate(placed + below, 1)]


def _ranked_row(
    one: Standing, metrics: Sequence[Metric], clusters: Mapping[int, Hashable], now: dt.datetime
) -> dict[str, Any]:
    submission = one.submission
    summary = submission.summary or {}
    provenance = submission.provenance or {}
    flagged = submission.listing == Submission.Listing.FLAGGED
    return {
        **_bare_row(one),
        "values": {metric.key: metric.shown(value_of(summary, metric.key)) for metric in metrics},
        "intervals": {
            metric.key: _interval(one, metric, clusters, summary) for metric in metrics if metric.interval
        },
        "tasks": _task_counts(summary, metrics),
        "at_least": ["hallucination_rate"] if summary.get("hallucination_at_least") else [],
        "coverage": None if submission.coverage is None else round(submission.coverage, 3),
        "judge": provenance.get("judge", ""),
        "model": provenance.get("model", ""),
        "judge_profile": provenance.get("profile", ""),
        "marks": [*marks_of(provenance), *(["flagged"] if flagged else [])],
        "published_at": stamp(submission.published_at or now),
    }


def _bare_row(one: Standing) -> dict[str, Any]:
    """A row without numbers: who, how often tried, and why there is no more."""
    submission, system = one.submission, one.submission.system
    return {
        "status": str(one.status),
        "system": {
            "id": system.public_id,
            "name": system.name,
            "version": submission.system_version or system.version,
            "class": system.system_class,
            "class_label": str(system.get_system_class_display()),
            "model": system.model,
            "organisation": system.team.organisation.name,
            "licence": system.licence,
            "links": {name: getattr(system, name) for name in _LINKS if getattr(system, name)},
        },
        "runs": submission.runs,
        "attempts": one.attempts,
        "provenance": "self_service",
        "reasons": _reasons(one),
        "values": {},
        "intervals": {},
        "tasks": {},
        "at_least": [],
        "coverage": None,
        "judge": "",
        "model": "",
        "judge_profile": "",
        "marks": [],
        "published_at": None,
    }


def _reasons(one: Standing) -> list[str]:
    """Codes of :data:`leaderboard.metrics.REASONS`; whatever else might be stored stays inside."""
    if one.status is Status.RANKED:
        return []
    if one.status is Status.NOT_COMPARABLE:
        return ["judged_differently"]
    if one.status is Status.WITHDRAWN:
        return ["withdrawn"]
    return [code for code in one.submission.incomplete_reasons if code in REASONS] or ["incomplete"]


def _task_counts(summary: Mapping[str, Any], metrics: Sequence[Metric]) -> dict[str, int]:
    """On how many tasks a figure rests that a task may lack."""
    names = {metric.key: f"{_SOURCES.get(metric.key, metric.key)}_tasks" for metric in metrics}
    return {key: summary[name] for key, name in names.items() if name in summary}


_SOURCES = {"minutes": "seconds"}


def value_of(summary: Mapping[str, Any], key: str) -> float | None:
    """A metric's value in a submission's summary."""
    if key.startswith("pass_at_"):
        found: float | None = (summary.get("pass_at") or {}).get(key.removeprefix("pass_at_"))
        return found
    return summary.get(key)


# ------------------------------------------------------------------ intervals
def _interval(
    one: Standing, metric: Metric, clusters: Mapping[int, Hashable], summary: Mapping[str, Any]
) -> list[float | None] | None:
    value = value_of(summary, metric.key)
    if value is None or any(score is None for _, score in one.scores):
        return None
    scores = [(task, _as_counted(metric, score)) for task, score in one.scores if score is not None]
    means = task_means(scores)
    if not means or not isclose(mean_of(list(means.values())), value, abs_tol=1e-6):
        # An interval around another number than the one shown would mislead; none is honest.
        log.error("board_scores_disagree", submission=one.submission.public_id, metric=metric.key)
        return None
    found = _estimate(means, metric, clusters)
    return None if found is None else [metric.shown(found.low), metric.shown(found.high)]


def _as_counted(metric: Metric, score: float) -> float:
    return float(score == _PERFECT) if metric.key == "success_rate" else score


def _estimate(
    means: Mapping[int, float], metric: Metric, clusters: Mapping[int, Hashable]
) -> Interval | None:
    values = list(means.values())
    if metric.interval == WILSON:
        return wilson(round(sum(values)), len(values))
    scale = (metric.low or 0.0, metric.high or 1.0)
    return mean_with_interval(values, scale=scale, clusters=[clusters[task] for task in means]).interval


def score_field(protocol: str) -> str:
    """The column of an answer that the primary metric averages."""
    return "user_pref" if protocol == CASCADE else "score"
