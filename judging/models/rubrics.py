"""The private half of a task."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from submissions.models import Task


class Rubric(models.Model):
    """One revision of a task's rubric, as canonical JSON. The newest revision judges; old ones are kept."""

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="rubrics")
    revision = models.PositiveIntegerField(default=1)
    source = models.JSONField()
    ready = models.JSONField(default=dict)  # what was checked, to be read without checking it again
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["task", "-revision"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["task", "revision"], name="rubric_revision_once_per_task"),
        ]

    def __str__(self) -> str:
        return f"rubric {self.pk}"  # nothing of its text: this ends up in list pages and logs
