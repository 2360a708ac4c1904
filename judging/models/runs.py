"""Judging runs and what they remember. Verdicts, extractions and replies are only ever added."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from django.db import models
from django.db.models import Q

from judging.judges.base import ExtractOutcome
from judging.models.rubrics import Rubric
from judging.search.interface import ProviderName
from judging.search.queries import MAX_QUERIES
from submissions.models import Answer, Submission


class JudgeProfile(models.Model):
    """A versioned description of a judge: which one, which model, how many votes, at what price."""

    name = models.CharField(max_length=60)
    version = models.PositiveIntegerField(default=1)
    judge = models.CharField(max_length=20)
    model = models.CharField(max_length=120, blank=True)
    base_url = models.CharField(max_length=300, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    prices = models.JSONField(default=dict, blank=True)
    content_hash = models.CharField(max_length=64)
    calibrated = models.BooleanField(
        default=False
    )  # for one protocol at least; its calibrations say for which
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["name", "-version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["name", "version"], name="profile_version_once"),
            models.UniqueConstraint(fields=["content_hash"], name="profile_content_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name}/{self.version}"


class JudgeRun(models.Model):
    """One judging of one submission; ``round`` grows with each re-judging."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="judge_runs")
    round = models.PositiveIntegerField()
    profile = models.ForeignKey(JudgeProfile, on_delete=models.PROTECT, related_name="runs")
    short_circuit = models.BooleanField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    # By the first reply; no other model may go on with the run. Of several models JSON, by the name asked for.
    model_served = models.TextField(blank=True)
    # Which provider is searched for its claims, "off" for none, with how many queries for each and hits of each query.
    search = models.CharField(
        max_length=20, default=ProviderName.OFF.value, db_default=ProviderName.OFF.value
    )
    search_queries = models.PositiveSmallIntegerField(default=0, db_default=0)
    search_results = models.PositiveSmallIntegerField(default=0, db_default=0)
    calls = models.PositiveIntegerField(default=0)
    cost_usd = models.FloatField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["submission", "round"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "round"], name="judgerun_round_once"),
            models.CheckConstraint(
                condition=Q(search__in=[name.value for name in ProviderName]), name="judgerun_search_known"
            ),
            models.CheckConstraint(
                condition=Q(search=ProviderName.OFF.value, search_queries=0)
                | Q(
                    ~Q(search=ProviderName.OFF.value), search_queries__gte=1, search_queries__lte=MAX_QUERIES
                ),
                name="judgerun_search_has_queries",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"


class VerdictOutcome(models.TextChoices):
    """What was found for a check."""

    SUPPORTED = "supported", "supported"  # for criteria: met
    REFUTED = "refuted", "refuted"  # for criteria: unmet
    UNDECIDED = "undecided", "undecided"
    NOT_ASSESSED = "not_assessed", "not assessed"
    ERROR = "error", "error"


class Verdict(models.Model):
    """What was found for one check of one answer. Append-only.

    ``key`` is SHA-256 of (check, answer, snapshots and ranges, profile, sample): the unit of reuse. A settled
    verdict exists once per answer and key; a check that failed or abstained may be asked again in another run.
    """

    Outcome: TypeAlias = VerdictOutcome

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="verdicts")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="verdicts")
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="verdicts")
    check_id = models.CharField(max_length=300)
    key = models.CharField(max_length=64)
    finding = models.CharField(max_length=12, choices=Outcome.choices)
    code = models.CharField(max_length=60, blank=True)
    error_class = models.CharField(max_length=40, blank=True)
    statement = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    quote = models.TextField(blank=True)
    answer_state = models.CharField(max_length=20, blank=True)
    relevance = models.CharField(max_length=20, blank=True)
    evidence = models.JSONField(default=list, blank=True)  # [{snapshot, url, verdict, ranges, finding}]
    record = models.JSONField(default=dict, blank=True)  # provenance of the calls
    model_calls = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["answer", "check_id", "id"]
        indexes: ClassVar = [models.Index(fields=["answer", "key"], name="verdict_by_answer_key")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "answer", "key"], name="verdict_once_per_run"),
            models.UniqueConstraint(
                fields=["answer", "key"],
                condition=Q(finding__in=["supported", "refuted", "undecided"]),
                name="verdict_settled_once",
            ),
            models.CheckConstraint(
                condition=Q(finding__in=VerdictOutcome.values), name="verdict_finding_known"
            ),
        ]

    def __str__(self) -> str:
        return f"verdict {self.pk}"


class Extraction(models.Model):
    """What was read out of one answer (or of a page for it): data by schema, or claims. Append-only."""

    run = models.ForeignKey(JudgeRun, on_delete=models.PROTECT, related_name="extractions")
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="extractions")
    name = models.CharField(max_length=200)
    key = models.CharField(max_length=64)
    outcome = models.CharField(max_length=12)
    data = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)
    record = models.JSONField(default=dict, blank=True)
    model_calls = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["answer", "name", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "answer", "key"], name="extraction_once_per_run"),
            models.UniqueConstraint(
                fields=["answer", "key"], condition=Q(outcome="ok"), name="extraction_ok_once"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=[outcome.value for outcome in ExtractOutcome]),
                name="extraction_outcome_known",
            ),
        ]

    def __str__(self) -> str:
        return f"extraction {self.pk}"


class ModelCall(models.Model):
    """The reply cache: a usable reply by the hash of everything that shaped it."""

    key = models.CharField(max_length=64, unique=True)
    content = models.TextField()
    model_served = models.CharField(max_length=120)
    finish_reason = models.CharField(max_length=40)
    usage = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"call {self.pk}"
