"""A submission, its answers, and the table of states it moves by."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

from django.db import models
from django.db.models import F, Q

from submissions.ids import public_id
from submissions.models.tasksets import Task, TaskSet
from submissions.models.teams import System, Team


class IllegalTransition(Exception):
    """The submission was not in a state from which it may go there: someone else was faster, or it is over."""

    def __init__(self, submission: str, wanted: str) -> None:
        super().__init__(f"submission {submission} cannot become {wanted} from where it is")
        self.submission = submission
        self.wanted = wanted


class SubmissionQuerySet(models.QuerySet["Submission"]):
    """Reads of submissions."""

    def of_team(self, team: Team) -> SubmissionQuerySet:
        """A team's own."""
        return self.filter(system__team=team)

    def publishable(self) -> SubmissionQuerySet:
        """Has scores that may stand on a board: judged or published, and what stood there while re-judged."""
        settled = Q(state__in=[Submission.State.JUDGED, Submission.State.PUBLISHED])
        rejudged = Q(
            state__in=[Submission.State.JUDGING, Submission.State.PAUSED],
            published_at__isnull=False,
            summary__isnull=False,
        )
        hidden = Q(former_state__in=[Submission.State.WITHHELD, Submission.State.INCOMPLETE])
        return self.filter(settled | rejudged & ~hidden)

    def incomplete(self) -> SubmissionQuerySet:
        """Judged, but not completely; also while that is tried again."""
        is_incomplete = Q(state=Submission.State.INCOMPLETE) | Q(former_state=Submission.State.INCOMPLETE)
        return self.filter(is_incomplete)


class SubmissionState(models.TextChoices):
    """Where a submission stands."""

    DRAFT = "draft", "draft"
    QUEUED = "queued", "queued"
    COLLECTING = "collecting", "collecting pages"
    JUDGING = "judging", "judging"
    PAUSED = "paused", "paused"
    JUDGED = "judged", "judged"
    INCOMPLETE = "incomplete", "incomplete"
    PUBLISHED = "published", "published"
    WITHHELD = "withheld", "withheld"
    EXPIRED = "expired", "expired"
    CANCELLED = "cancelled", "cancelled"
    FAILED = "failed", "failed"


class SubmissionListing(models.TextChoices):
    """Whether boards list a submission."""

    LISTED = "listed", "listed"
    FLAGGED = "flagged", "flagged"
    WITHDRAWN = "withdrawn", "withdrawn"


class Submission(models.Model):
    """One system's answers to one version of a task set."""

    State: TypeAlias = SubmissionState
    Listing: TypeAlias = SubmissionListing

    # The one table by which states move; the diagram in docs/architecture.md is generated from it. What may not
    # be for a submission that has scores already, or has none yet, is said by can_become().
    TRANSITIONS: ClassVar[dict[str, frozenset[str]]] = {
        "draft": frozenset({"queued", "expired", "cancelled"}),
        "queued": frozenset({"collecting", "cancelled", "failed"}),
        "collecting": frozenset({"judging", "paused", "cancelled", "failed"}),
        "judging": frozenset(
            {"paused", "judged", "incomplete", "published", "withheld", "cancelled", "failed"}
        ),
        "paused": frozenset(
            {"collecting", "judging", "judged", "incomplete", "published", "withheld", "cancelled", "failed"}
        ),
        "judged": frozenset({"published", "withheld", "judging"}),
        "incomplete": frozenset({"judging", "cancelled"}),
        "published": frozenset({"withheld", "judging"}),
        "withheld": frozenset({"published", "judging"}),
        "expired": frozenset(),
        "cancelled": frozenset(),
        "failed": frozenset(),
    }
    IN_FLIGHT: ClassVar = (State.QUEUED, State.COLLECTING, State.JUDGING, State.PAUSED)
    SCORED: ClassVar = (State.JUDGED, State.INCOMPLETE, State.PUBLISHED, State.WITHHELD)
    # What only a submission that is judged again reaches, and only if it came from there.
    WAYS_BACK: ClassVar[dict[str, frozenset[str]]] = {
        "judging": frozenset({"published", "withheld"}),
        "paused": frozenset({"judged", "incomplete", "published", "withheld"}),
    }

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="submissions")
    task_set_hash = models.CharField(max_length=64)
    runs = models.PositiveSmallIntegerField()
    note = models.CharField(max_length=500, blank=True)
    system_version = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=12, choices=State.choices, default=State.DRAFT)
    state_reason = models.CharField(max_length=60, blank=True)
    # Where it stood before it was judged again, and stands again if that fails; empty unless that is under way.
    former_state = models.CharField(
        max_length=12, choices=State.choices, blank=True, default="", db_default=""
    )
    former_reason = models.CharField(max_length=60, blank=True, default="", db_default="")
    listing = models.CharField(max_length=12, choices=Listing.choices, default=Listing.LISTED)
    created_at = models.DateTimeField()
    finalized_at = models.DateTimeField(null=True, blank=True)
    judged_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    # Written by judging through services.record_scores: frozen documents, see docs/architecture.md.
    summary = models.JSONField(null=True, blank=True)
    provenance = models.JSONField(null=True, blank=True)
    coverage = models.FloatField(null=True, blank=True)
    incomplete_reasons = models.JSONField(default=list, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at", "-id"]
        indexes: ClassVar = [
            models.Index(fields=["state", "id"], name="submission_by_state"),
            models.Index(fields=["task_set", "state", "id"], name="submission_by_set_state"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state__in=SubmissionState.values), name="submission_state_known"
            ),
            models.CheckConstraint(
                condition=Q(former_state="")
                | Q(
                    former_state__in=["judged", "incomplete", "published", "withheld"],
                    state__in=["judging", "paused"],
                    summary__isnull=False,
                ),
                name="submission_former_state_of_rejudged",
            ),
            models.CheckConstraint(
                condition=Q(listing__in=SubmissionListing.values), name="submission_listing_known"
            ),
            models.CheckConstraint(condition=Q(runs__gte=1), name="submission_has_runs"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "expired", "cancelled"]) | Q(finalized_at__isnull=False),
                name="submission_finalized_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["judged", "published"]) | Q(summary__isnull=False),
                name="submission_judged_has_summary",
            ),
            models.CheckConstraint(
                condition=~Q(state="published") | Q(published_at__isnull=False),
                name="submission_published_has_time",
            ),
            models.CheckConstraint(
                condition=Q(coverage__isnull=True) | (Q(coverage__gte=0) & Q(coverage__lte=1)),
                name="submission_coverage_in_range",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def keeps_scores(self) -> bool:
        """Whether it is judged again and has complete scores: only complete ones may replace them."""
        return self.former_state not in ("", self.State.INCOMPLETE)

    def can_become(self, to: str) -> bool:
        """Whether :meth:`move` may take it from its state to ``to``.

        What has scores is neither failed nor cancelled by being judged again, and comes back where it stood.
        """
        if self.former_state and to in (self.State.FAILED, self.State.CANCELLED):
            return to in self.TRANSITIONS[self.former_state]
        if to in self.WAYS_BACK.get(self.state, ()):
            return to == self.former_state
        return to in self.TRANSITIONS[self.state]

    def move(self, to: str, *, actor: str, now: dt.datetime, reason: str = "", **fields: Any) -> None:
        """Go to state ``to`` by a conditional UPDATE and log the step; call inside a transaction.

        :param actor: who moved it: ``team:<id>``, ``user:<id>``, ``worker``, ``sweep``.
        :param fields: columns that change with the state, in the same UPDATE.
        :raises IllegalTransition: ``to`` cannot be reached from this state, or the row has left it meanwhile.
        """
        self._step(to, actor=actor, now=now, reason=reason, columns={"state_reason": reason, **fields})

    def step_back(self, *, actor: str, now: dt.datetime, reason: str) -> None:
        """Stand where it stood before it was judged again, as if nothing had been tried; the log says why.

        :raises IllegalTransition: it is not being judged again.
        """
        columns = {"state_reason": F("former_reason")}
        self._step(self.former_state, actor=actor, now=now, reason=reason, columns=columns)

    def fail(self, *, actor: str, now: dt.datetime, reason: str) -> None:
        """End for a reason that is our fault; what is only being judged again stands where it stood.

        :raises IllegalTransition: it is at an end, or nothing is being done with it.
        """
        if self.former_state:
            self.step_back(actor=actor, now=now, reason=reason)
        else:
            self.move(self.State.FAILED, actor=actor, now=now, reason=reason)

    def _step(
        self, to: str, *, actor: str, now: dt.datetime, reason: str, columns: Mapping[str, Any]
    ) -> None:
        before = self.state
        if not self.can_become(to):
            raise IllegalTransition(self.public_id, to)
        changed = (
            type(self)
            .objects.filter(pk=self.pk, state=before)
            .update(state=to, **{**self._former(to), **columns})
        )
        if changed != 1:
            raise IllegalTransition(self.public_id, to)
        self.refresh_from_db()
        SubmissionEvent.objects.create(
            submission=self, from_state=before, to_state=to, actor=actor, reason=reason, at=now
        )

    def _former(self, to: str) -> dict[str, Any]:
        """How a step to ``to`` changes what is remembered of the time before."""
        if self.state in self.SCORED and to == self.State.JUDGING:
            return {"former_state": self.state, "former_reason": F("state_reason")}
        return {} if to in self.IN_FLIGHT else {"former_state": "", "former_reason": ""}


class SubmissionEvent(models.Model):
    """A step of a submission: who, when, from where to where, why. Append-only."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    from_state = models.CharField(max_length=12)
    to_state = models.CharField(max_length=12)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=60, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["submission", "id"]

    def __str__(self) -> str:
        return f"{self.from_state} → {self.to_state}"


class Answer(models.Model):
    """One answer: a row exists for every task × run of a submission, blank if not given.

    Leaving hard tasks out must not raise a mean. ``text`` is what is judged (NUL and lone surrogates
    replaced); the bytes as received lie in the blob store under ``raw_sha256`` when they differ.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="answers")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="answers")
    run = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    given = models.BooleanField(default=False)
    sha256 = models.CharField(max_length=64, blank=True)
    raw_sha256 = models.CharField(max_length=64, blank=True)
    flags = models.JSONField(default=list, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cost_usd = models.FloatField(null=True, blank=True)
    tokens = models.PositiveBigIntegerField(null=True, blank=True)
    trace_url = models.CharField(max_length=1000, blank=True)
    received_at = models.DateTimeField(null=True, blank=True)
    # Written by judging through services.record_scores. NULL = not scored, never "zero".
    score = models.FloatField(null=True, blank=True)  # rubric_tree: root; cascade: overall O
    user_pref = models.PositiveSmallIntegerField(null=True, blank=True)
    metrics = models.JSONField(null=True, blank=True)  # plain numbers and counts of this answer
    coverage = models.FloatField(null=True, blank=True)
    feedback = models.JSONField(null=True, blank=True)  # dev sets only: verdict tree, reasons, quotes

    class Meta:
        ordering: ClassVar = ["submission", "task__position", "run", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "task", "run"], name="answer_once_per_task_run"),
            models.CheckConstraint(condition=Q(run__gte=1), name="answer_run_from_one"),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | (Q(score__gte=0) & Q(score__lte=1)),
                name="answer_score_in_range",
            ),
            models.CheckConstraint(
                condition=Q(user_pref__isnull=True) | (Q(user_pref__gte=1) & Q(user_pref__lte=4)),
                name="answer_user_pref_in_range",
            ),
            models.CheckConstraint(
                condition=Q(coverage__isnull=True) | (Q(coverage__gte=0) & Q(coverage__lte=1)),
                name="answer_coverage_in_range",
            ),
            models.CheckConstraint(
                condition=Q(cost_usd__isnull=True) | Q(cost_usd__gte=0), name="answer_cost_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(started_at__isnull=True)
                | Q(finished_at__isnull=True)
                | Q(finished_at__gte=models.F("started_at")),
                name="answer_finishes_after_start",
            ),
            models.CheckConstraint(condition=Q(given=True) | Q(text=""), name="answer_not_given_is_blank"),
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"

    @property
    def seconds(self) -> float | None:
        """How long the system worked, as far as it is known."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()
