"""Boards as they were published. Frozen, superseded, never edited."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from submissions.ids import public_id
from submissions.models import Submission, System, TaskSet


class BoardQuerySet(models.QuerySet["Board"]):
    """Reads of boards."""

    def current(self) -> BoardQuerySet:
        """The newest of every task-set version."""
        return self.filter(superseded_at__isnull=True)


class Board(models.Model):
    """One publication of one task-set version. ``document`` is what page, JSON and CSV all show."""

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="boards")
    number = models.PositiveIntegerField()
    document = models.JSONField()
    inputs_hash = models.CharField(max_length=64)
    published_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = BoardQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["task_set", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["task_set", "number"], name="board_number_once_per_set"),
            models.UniqueConstraint(
                fields=["task_set"], condition=Q(superseded_at__isnull=True), name="board_one_current_per_set"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_set} #{self.number}"


class Entry(models.Model):
    """One row of one board: one system, its best allowed submission."""

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="entries")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="entries")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="entries")
    position = models.PositiveIntegerField()
    document = models.JSONField()

    class Meta:
        ordering: ClassVar = ["board", "position"]
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["board", "system"], name="entry_once_per_system_and_board"),
            models.UniqueConstraint(fields=["board", "position"], name="entry_position_once_per_board"),
        ]

    def __str__(self) -> str:
        return self.public_id
