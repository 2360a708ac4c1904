"""Work to be done, and who holds it. A queue message only wakes somebody up; this row is the truth."""

from __future__ import annotations

import datetime as dt
from typing import ClassVar, TypeAlias

from django.db import models
from django.db.models import Q

from submissions.models.submission import Submission


class JobKind(models.TextChoices):
    """What is to be done."""

    COLLECT = "collect", "collect pages"
    SEARCH = "search", "search for claims"
    JUDGE = "judge", "judge answers"
    SCORE = "score", "score the submission"


class JobState(models.TextChoices):
    """Where a job stands."""

    READY = "ready", "ready"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class JobQuerySet(models.QuerySet["Job"]):
    """Reads of jobs, and how several end together."""

    def unfinished(self) -> JobQuerySet:
        """Waiting for a worker, or held by one."""
        return self.filter(state__in=[JobState.READY, JobState.RUNNING])

    def lock(self) -> list[Job]:
        """These jobs, locked in one order; call inside a transaction.

        Jobs before their submission, wherever both are locked: then no two transactions wait for each other.
        """
        return list(self.select_for_update().order_by("id"))

    def cancel(self, *, now: dt.datetime) -> int:
        """End these jobs, whoever holds them; how many."""
        return self.update(state=JobState.CANCELLED, lease_until=None, lease_owner="", finished_at=now)


class Job(models.Model):
    """One piece of work on a submission, held by at most one worker at a time.

    ``lease_token`` is a fencing token: it grows at every takeover, and whoever writes results does so in a
    transaction whose first statement renews the lease *where the token is still his*.
    """

    Kind: TypeAlias = JobKind
    State: TypeAlias = JobState

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    round = models.PositiveIntegerField(default=1)  # grows with every re-judging
    shard = models.PositiveIntegerField(default=0)
    answer_ids = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.READY)
    reason = models.CharField(max_length=60, blank=True)
    lease_owner = models.CharField(max_length=80, blank=True)
    lease_token = models.PositiveBigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    woken_at = models.DateTimeField(null=True, blank=True)
    takeovers = models.PositiveIntegerField(default=0)  # leases run out, slices raised since the last result
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["id"]
        indexes: ClassVar = [models.Index(fields=["state", "lease_until", "id"], name="job_by_state_lease")]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission", "kind", "round", "shard"], name="job_once_per_shard"
            ),
            models.CheckConstraint(condition=Q(kind__in=JobKind.values), name="job_kind_known"),
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="job_state_known"),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(lease_until__isnull=False), name="job_running_has_lease"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.submission_id}/{self.round}/{self.shard}"
