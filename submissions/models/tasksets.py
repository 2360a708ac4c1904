"""The public half of a task set. The private half (rubrics) lives in ``judging``, which this app cannot import."""

from __future__ import annotations

import datetime as dt
from typing import Any, ClassVar, TypeAlias

from django.db import models
from django.db.models import Q

from submissions.ids import public_id


class IllegalTaskSetMove(Exception):
    """The version was not in a state from which it may go there: someone else was faster, or it is over."""

    def __init__(self, task_set: str, wanted: str) -> None:
        super().__init__(f"task set {task_set} cannot become {wanted} from where it is")
        self.task_set = task_set
        self.wanted = wanted


class TaskSetQuerySet(models.QuerySet["TaskSet"]):
    """Reads of task sets."""

    def public(self) -> TaskSetQuerySet:
        """What anyone may know to exist: a draft or validated set is as absent as one that never was."""
        return self.filter(state__in=TaskSet.PUBLIC_STATES)

    def open(self) -> TaskSetQuerySet:
        """What takes submissions now."""
        return self.filter(state=TaskSet.State.ACTIVE)

    def open_at(self, now: dt.datetime) -> TaskSetQuerySet:
        """What takes submissions at ``now``: active, opened, and not yet closed."""
        return self.open().filter(
            Q(opens_at__isnull=True) | Q(opens_at__lte=now), Q(closes_at__isnull=True) | Q(closes_at__gt=now)
        )


class TaskSetProtocol(models.TextChoices):
    """How answers to a set are judged."""

    RUBRIC_TREE = "rubric_tree", "rubric tree"
    CASCADE = "cascade", "cascade"


class TaskSetSplit(models.TextChoices):
    """Whether a set is public (dev) or held out (test)."""

    DEV = "dev", "dev"
    TEST = "test", "test"


class TaskSetDelivery(models.TextChoices):
    """Whether prompts are handed out or stay sealed."""

    OPEN = "open", "open"
    SEALED = "sealed", "sealed"


class TaskSetState(models.TextChoices):
    """Where a version stands."""

    DRAFT = "draft", "draft"
    VALIDATED = "validated", "validated"
    ACTIVE = "active", "active"
    RETIRED = "retired", "retired"
    RELEASED = "released", "released"


class TaskSet(models.Model):
    """One version of a task set. Its content never changes: changed content is a new version."""

    Protocol: TypeAlias = TaskSetProtocol
    Split: TypeAlias = TaskSetSplit
    Delivery: TypeAlias = TaskSetDelivery
    State: TypeAlias = TaskSetState

    # The one table by which states move.
    TRANSITIONS: ClassVar[dict[str, frozenset[str]]] = {
        "draft": frozenset({"validated", "active"}),
        "validated": frozenset({"draft", "active"}),
        "active": frozenset({"retired"}),
        "retired": frozenset({"released"}),
        "released": frozenset(),
    }
    PUBLIC_STATES: ClassVar = (State.ACTIVE, State.RETIRED, State.RELEASED)

    slug = models.SlugField(max_length=60)
    version = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    protocol = models.CharField(max_length=20, choices=Protocol.choices)
    split = models.CharField(max_length=10, choices=Split.choices)
    delivery = models.CharField(max_length=10, choices=Delivery.choices)
    delivery_reason = models.TextField(blank=True)
    runs = models.PositiveSmallIntegerField(default=1)
    licence = models.CharField(max_length=100)
    scoring_profile = models.JSONField(default=dict, blank=True)
    as_of = models.DateField(null=True, blank=True)
    content_hash = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    created_at = models.DateTimeField()
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)

    objects = TaskSetQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["slug", "version", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["slug", "version"], name="taskset_version_once"),
            models.UniqueConstraint(
                fields=["slug"], condition=Q(state="active"), name="taskset_one_active_version"
            ),
            models.CheckConstraint(
                condition=Q(protocol__in=TaskSetProtocol.values), name="taskset_protocol_known"
            ),
            models.CheckConstraint(condition=Q(split__in=TaskSetSplit.values), name="taskset_split_known"),
            models.CheckConstraint(
                condition=Q(delivery__in=TaskSetDelivery.values), name="taskset_delivery_known"
            ),
            models.CheckConstraint(condition=Q(state__in=TaskSetState.values), name="taskset_state_known"),
            models.CheckConstraint(condition=Q(runs__gte=1) & Q(runs__lte=100), name="taskset_runs_in_range"),
            models.CheckConstraint(
                condition=Q(split="dev") | Q(delivery="sealed") | ~Q(delivery_reason=""),
                name="taskset_open_test_needs_reason",
            ),
            models.CheckConstraint(
                condition=Q(closes_at__isnull=True)
                | Q(opens_at__isnull=True)
                | Q(closes_at__gt=models.F("opens_at")),
                name="taskset_closes_after_opening",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.version}"

    def move(self, to: str, **fields: Any) -> None:
        """Go to state ``to`` by a conditional UPDATE.

        :param fields: columns that change with the state, in the same UPDATE.
        :raises IllegalTaskSetMove: ``to`` cannot be reached from this state, or the row has left it meanwhile.
        """
        if to not in self.TRANSITIONS[self.state]:
            raise IllegalTaskSetMove(str(self), to)
        here = type(self).objects.filter(pk=self.pk, state=self.state)
        if here.update(state=to, **fields) != 1:
            raise IllegalTaskSetMove(str(self), to)
        self.refresh_from_db()

    def is_open_at(self, now: dt.datetime) -> bool:
        """Whether it takes answers at ``now``; the same rule as :meth:`TaskSetQuerySet.open_at`."""
        return (
            self.state == self.State.ACTIVE
            and (self.opens_at is None or self.opens_at <= now)
            and (self.closes_at is None or now < self.closes_at)
        )


class Task(models.Model):
    """The public half of one task: what a system is asked. ``key`` is the author's and never shown."""

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="tasks")
    key = models.CharField(max_length=100)
    position = models.PositiveIntegerField()
    prompt = models.TextField()
    domain = models.CharField(max_length=60, blank=True)
    subdomain = models.CharField(max_length=60, blank=True)
    task_type = models.CharField(max_length=30, blank=True)
    time_varying = models.BooleanField(default=False)
    language = models.CharField(max_length=20, default="en")
    effort_minutes = models.PositiveIntegerField(null=True, blank=True)
    subset = models.JSONField(default=list, blank=True)
    cluster = models.CharField(max_length=100, blank=True)
    valid_until = models.DateField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["task_set", "position", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["task_set", "key"], name="task_key_once_per_set"),
            models.UniqueConstraint(fields=["task_set", "position"], name="task_position_once_per_set"),
        ]

    def __str__(self) -> str:
        return self.public_id  # never the key or the prompt: this ends up in list pages and logs
