"""Which submissions a board shows: the reads behind a publication, and the choice among what they found."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Count, Q

from leaderboard.ranking import Metric
from submissions.models import Answer, Submission, Task, TaskSet

# What must be the same throughout a board: scores that differ in one of these are not comparable.
METHOD_KEYS = (
    "judge",
    "model",
    "profile_hash",
    "scoring_profile",
    "rubrics_hash",
    "task_set_hash",
    "search",
)
# Of what was judged before there was such a key.
METHOD_DEFAULTS = {"search": "off"}


class Status(StrEnum):
    """How a system stands on a board. Only ``ranked`` rows carry numbers."""

    RANKED = "ranked"
    INCOMPLETE = "incomplete"
    NOT_COMPARABLE = "not_comparable"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Scored:
    """What the choice needs to know of a submission. ``primary`` is the shown value of the primary metric."""

    pk: int
    system: int
    runs: int
    withdrawn: bool
    state: str
    finalized_at: dt.datetime
    primary: float | None
    method: tuple[Hashable, ...]

    @property
    def incomplete(self) -> bool:
        """Judged, but not completely."""
        return self.state == Submission.State.INCOMPLETE

    def newest(self) -> tuple[dt.datetime, int]:
        """Sorts the latest submission last."""
        return self.finalized_at, self.pk

    def best(self) -> tuple[bool, float, dt.datetime, int]:
        """Sorts the best first: by shown value, then the earliest."""
        return self.primary is None, -(self.primary or 0.0), self.finalized_at, self.pk


def out_by(now: dt.datetime) -> Q:
    """Judged by ``now``, or on a board already: a re-judged result stays while it waits."""
    return Q(judged_at__lte=now) | Q(published_at__isnull=False)


def scored(task_set: TaskSet, primary: Metric, *, now: dt.datetime) -> list[Scored]:
    """Every submission to ``task_set`` that has come out by ``now``, locked until the transaction ends.

    Whoever writes scores also updates the submission's row, so answers read after this belong to these.
    """
    publishable = Submission.objects.publishable() | Submission.objects.incomplete()
    rows = (
        publishable.filter(out_by(now), task_set=task_set)
        .select_for_update(no_key=True)
        .order_by("pk")
        .values_list(
            "pk", "system_id", "runs", "listing", "state", "former_state", "finalized_at",
            f"summary__{primary.key}",
            *(f"provenance__{key}" for key in METHOD_KEYS),
        )
    )  # fmt: skip
    return [_scored(row, primary) for row in rows]


def _scored(row: Sequence[Any], primary: Metric) -> Scored:
    pk, system, runs, listing, state, former_state, finalized_at, value, *method = row
    return Scored(
        pk=pk,
        system=system,
        runs=runs,
        withdrawn=listing == Submission.Listing.WITHDRAWN,
        state=former_state if former_state == Submission.State.INCOMPLETE else state,
        finalized_at=finalized_at,
        primary=primary.shown(value),
        method=tuple(
            METHOD_DEFAULTS.get(key) if value is None else value
            for key, value in zip(METHOD_KEYS, method, strict=True)
        ),
    )


def choose(submissions: Iterable[Scored], *, runs: int) -> dict[int, Status]:
    """One submission of every system that has something to show, by row number, and how it stands.

    A submission with another number of runs than the set's is on no board.
    """
    comparable = [found for found in submissions if found.runs == runs]
    method = prevailing_method(comparable)
    of_system: defaultdict[int, list[Scored]] = defaultdict(list)
    for found in comparable:
        of_system[found.system].append(found)
    return dict(_choice(found, method) for found in of_system.values())


def _choice(found: Sequence[Scored], method: tuple[Hashable, ...]) -> tuple[int, Status]:
    shown = [one for one in found if not one.withdrawn]
    complete = [one for one in shown if not one.incomplete]
    if best := sorted((one for one in complete if one.method == method), key=Scored.best):
        return best[0].pk, Status.RANKED
    if complete:
        return max(complete, key=Scored.newest).pk, Status.NOT_COMPARABLE
    if shown:
        return max(shown, key=Scored.newest).pk, Status.INCOMPLETE
    return max(found, key=Scored.newest).pk, Status.WITHDRAWN


def prevailing_method(submissions: Iterable[Scored]) -> tuple[Hashable, ...]:
    """The way of judging that most systems share, the more recent of two equals; () if nothing is scored.

    A board never mixes ways of judging. After a change of judge or rubrics it turns over when the larger
    part has been judged again.
    """
    systems: defaultdict[tuple[Hashable, ...], set[int]] = defaultdict(set)
    latest: dict[tuple[Hashable, ...], tuple[dt.datetime, int]] = {}
    for found in submissions:
        if not (found.withdrawn or found.incomplete):
            systems[found.method].add(found.system)
            latest[found.method] = max(latest.get(found.method, found.newest()), found.newest())
    return max(systems, key=lambda method: (len(systems[method]), latest[method]), default=())


def load(chosen: Iterable[int]) -> list[Submission]:
    """The chosen submissions with the system, team and organisation behind each."""
    rows = Submission.objects.filter(pk__in=list(chosen)).select_related("system__team__organisation")
    return list(rows.order_by("pk"))


def attempts(task_set: TaskSet) -> dict[int, int]:
    """How many submissions every system has finalized on ``task_set``, whatever became of them."""
    finalized = Submission.objects.filter(task_set=task_set, finalized_at__isnull=False)
    counts = finalized.order_by().values_list("system_id").annotate(count=Count("pk"))
    return dict(counts)


def clusters(task_set: TaskSet) -> dict[int, Hashable]:
    """The cluster of every task; a task without one is a cluster of its own."""
    tasks = Task.objects.filter(task_set=task_set).order_by("position", "pk").values_list("pk", "cluster")
    return {pk: cluster or pk for pk, cluster in tasks}


def answer_scores(chosen: Iterable[int], field: str) -> dict[int, list[tuple[int, float | None]]]:
    """(task, ``field``) of every answer of the chosen submissions."""
    found: defaultdict[int, list[tuple[int, float | None]]] = defaultdict(list)
    rows = Answer.objects.filter(submission__in=list(chosen)).order_by("submission", "task", "run")
    for submission, task, value in rows.values_list("submission_id", "task_id", field):
        found[submission].append((task, value))
    return found


def is_clustered(found: Mapping[int, Hashable]) -> bool:
    """Whether any two tasks share a cluster."""
    return len(set(found.values())) < len(found)
