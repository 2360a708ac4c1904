"""What people say of checks without having seen what the judge says, and what they say having seen both."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.rubrics import Rubric
from judging.models.runs import JudgeRun, VerdictOutcome
from submissions.models import Answer

NOTE = 2_000  # characters of a note


class LabelStudy(models.Model):
    """Some answers, chosen by a seed, whose checks people label. The same choice again gives the same study."""

    name = models.CharField(max_length=80, unique=True)
    seed = models.PositiveIntegerField()
    actor = models.CharField(max_length=150)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name_plural = "label studies"

    def __str__(self) -> str:
        return f"study {self.pk}"


class StudyAnswer(models.Model):
    """An answer of a study and the round of judging that its labels are held against.

    ``asked_at``: when the judge was asked what the round had left out, if it was.
    """

    study = models.ForeignKey(LabelStudy, on_delete=models.PROTECT, related_name="answers")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="studied")
    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="studied")
    asked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "answer"], name="studyanswer_once"),
        ]

    def __str__(self) -> str:
        return f"studied answer {self.pk}"


class NodeKind(models.TextChoices):
    """What a check asks: whether a statement is true, or whether the answer or its reasoning satisfies a criterion."""

    CLAIM = "claim", "claim"
    CRITERION = "criterion", "criterion"
    RATIONALITY = "rationality", "rationality"


class StudyNode(models.Model):
    """One check of an answer as it is put before a judge, and what the judge said; no score rests on it.

    ``pages``: ``[{url, title, sha256, ranges, truncated}]``, none where the answer itself is looked at. ``finding`` is
    blank until the judge has been asked: a round that stops at the first failed gate leaves checks out.
    """

    Kind: TypeAlias = NodeKind

    of = models.ForeignKey(StudyAnswer, on_delete=models.PROTECT, related_name="nodes")
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="studied")
    check_id = models.CharField(max_length=300)
    key = models.CharField(max_length=64)
    kind = models.CharField(max_length=12, choices=NodeKind.choices)
    statement = models.TextField()
    additional = models.TextField(blank=True)
    pages = models.JSONField(default=list, blank=True)
    finding = models.CharField(max_length=12, blank=True)
    code = models.CharField(max_length=60, blank=True)
    reason = models.TextField(blank=True)
    quote = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["of", "check_id", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["of", "key"], name="studynode_once"),
            models.CheckConstraint(condition=Q(kind__in=NodeKind.values), name="studynode_kind_known"),
            models.CheckConstraint(
                condition=Q(finding__in=["", *VerdictOutcome.values]), name="studynode_finding_known"
            ),
        ]

    def __str__(self) -> str:
        return f"studied check {self.pk}"


class LabelVerdict(models.TextChoices):
    """What a person says of a check; of a criterion, supported means met."""

    SUPPORTED = "supported", "supported"
    REFUTED = "refuted", "refuted"
    UNDECIDED = "undecided", "undecided"
    CANNOT_TELL = "cannot_tell", "cannot tell"


class Label(models.Model):
    """What one person says of one check. It may be changed until that person has opened the comparison."""

    Verdict: TypeAlias = LabelVerdict

    node = models.ForeignKey(StudyNode, on_delete=models.PROTECT, related_name="labels")
    labeller = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="labels")
    verdict = models.CharField(max_length=12, choices=LabelVerdict.choices)
    note = models.TextField(blank=True, max_length=NOTE)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["node", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["node", "labeller"], name="label_once_per_person"),
            models.CheckConstraint(condition=Q(verdict__in=LabelVerdict.values), name="label_verdict_known"),
        ]

    def __str__(self) -> str:
        return f"label {self.pk}"


class StudyOpening(models.Model):
    """When a person first saw the judge's verdicts of a study: from then on that person labels nothing of it."""

    study = models.ForeignKey(LabelStudy, on_delete=models.PROTECT, related_name="openings")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="openings")
    opened_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["study", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "person"], name="opening_once_per_person"),
        ]

    def __str__(self) -> str:
        return f"opening {self.pk}"


class AdjudicationDecision(models.TextChoices):
    """Who was right where the judge and people differ."""

    JUDGE = "judge", "the judge is right"
    PEOPLE = "people", "people are right"
    UNCLEAR = "unclear", "unclear"


class Adjudication(models.Model):
    """What a person says of a difference, having seen both sides. Append-only; the last one counts."""

    Decision: TypeAlias = AdjudicationDecision

    node = models.ForeignKey(StudyNode, on_delete=models.PROTECT, related_name="adjudications")
    decision = models.CharField(max_length=12, choices=AdjudicationDecision.choices)
    note = models.TextField(blank=True, max_length=NOTE)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudications"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["node", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(decision__in=AdjudicationDecision.values), name="adjudication_decision_known"
            ),
        ]

    def __str__(self) -> str:
        return f"adjudication {self.pk}"
