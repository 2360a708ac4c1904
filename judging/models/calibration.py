"""How far a judge agrees with people: what people said, and what came out of comparing."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.rubrics import Rubric
from judging.models.runs import JudgeProfile
from submissions.models import Answer

OUTCOMES = ["met", "unmet", "unclear"]


class Label(models.Model):
    """What a person says of one check of one answer, without having seen the judge's verdict."""

    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="labels")
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="labels")
    check_id = models.CharField(max_length=300)
    labeller = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=10, choices=[(name, name) for name in OUTCOMES])
    note = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["answer", "check_id", "labeller"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["answer", "rubric", "check_id", "labeller"], name="label_once_per_person"
            ),
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="label_outcome_known"),
        ]

    def __str__(self) -> str:
        return f"label {self.pk}"


class Calibration(models.Model):
    """One comparison of a profile with a set of labels. Append-only.

    ``labels_sha256`` names the labels as they were read, ``report`` holds every figure that was printed.
    """

    profile = models.ForeignKey(JudgeProfile, on_delete=models.PROTECT, related_name="calibrations")
    protocol = models.CharField(max_length=20)  # what the labels are about: claims, rubric_tree or cascade
    labels_sha256 = models.CharField(max_length=64)
    labels = models.PositiveIntegerField()
    passed = models.BooleanField()
    report = models.JSONField(default=dict)
    actor = models.CharField(max_length=150)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"calibration {self.pk}"
