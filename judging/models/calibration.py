"""How far a judge agrees with labels that people gave."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from judging.models.runs import JudgeProfile


class Calibration(models.Model):
    """One comparison of a profile with a set of labels. Append-only.

    ``labels_sha256`` names the labels as they were read, ``report`` holds every figure that was printed.
    """

    profile = models.ForeignKey(JudgeProfile, on_delete=models.PROTECT, related_name="calibrations")
    protocol = models.CharField(max_length=20)  # what the labels are about
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
