"""Cited pages as they were. Rows are never updated; texts and bytes lie in the blob store by their hash."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from submissions.models import Submission, TaskSet

# Verdicts of a snapshot; what each means for a check is the table in docs/scoring.md.
SNAPSHOT_VERDICTS = (
    "ok", "partial", "blocked_status", "challenge", "login_wall", "consent_wall", "soft_404", "parked",
    "not_found", "dead_host", "error_status", "empty", "denied", "malformed", "timeout", "too_large",
    "unsupported_type", "pdf_failed", "crashed", "network",
)  # fmt: skip


class Page(models.Model):
    """A page by its identity (:func:`judging.citations.url_key`)."""

    key = models.TextField()
    key_hash = models.CharField(max_length=64, unique=True)  # SHA-256 of key: URLs outgrow index rows
    url = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"page {self.pk}"


class PageHost(models.Model):
    """Who may ask a host, and when: one page at a time across the service (:mod:`judging.hosts`)."""

    name = models.CharField(max_length=255, unique=True)
    next_at = models.DateTimeField()  # it is left alone until then
    claimed_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return f"host {self.pk}"


class PageSnapshot(models.Model):
    """One capture of a page.

    ``task_set`` is set for snapshots that came with a set's archive: they serve that set alone, so that one
    organiser's archive cannot become another's evidence.
    """

    page = models.ForeignKey(Page, on_delete=models.PROTECT, related_name="snapshots")
    task_set = models.ForeignKey(
        TaskSet, on_delete=models.PROTECT, null=True, blank=True, related_name="archived_snapshots"
    )
    number = models.PositiveIntegerField()
    verdict = models.CharField(max_length=20, choices=[(v, v) for v in SNAPSHOT_VERDICTS])
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    url = models.TextField()
    final_url = models.TextField(blank=True)
    chain = models.JSONField(default=list, blank=True)
    content_type = models.CharField(max_length=200, blank=True)
    title = models.TextField(blank=True)
    text_sha256 = models.CharField(max_length=64, blank=True)
    raw_sha256 = models.CharField(max_length=64, blank=True)
    characters = models.PositiveIntegerField(default=0)
    # What a reader saw, if it was kept: the bytes lie in the blob store.
    picture_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    picture_type = models.CharField(max_length=20, blank=True, default="", db_default="")
    picture_width = models.PositiveIntegerField(null=True, blank=True)
    picture_height = models.PositiveIntegerField(null=True, blank=True)
    probe_ok = models.BooleanField(null=True, blank=True)
    static_only = models.BooleanField(default=False)
    detail = models.TextField(blank=True)  # for admins; attacker text
    extractor = models.CharField(max_length=60, blank=True)
    fetched_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["page", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["page", "number"], name="snapshot_number_once_per_page"),
            models.CheckConstraint(condition=Q(verdict__in=SNAPSHOT_VERDICTS), name="snapshot_verdict_known"),
            models.CheckConstraint(
                condition=~Q(verdict="ok") | ~Q(text_sha256=""), name="snapshot_ok_has_text"
            ),
            models.CheckConstraint(
                condition=Q(picture_sha256="") | Q(picture_width__isnull=False, picture_height__isnull=False),
                name="snapshot_picture_has_size",
            ),
        ]

    def __str__(self) -> str:
        return f"snapshot {self.pk}"


class CitedPage(models.Model):
    """Which snapshot a submission is judged against: once taken it stays, however often it is re-judged.

    A row without snapshot is a citation still to be fetched, for the first time or again. ``collected_at`` is
    when it first had one: what we cannot get at settles some time after that, however often we try.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="cited_pages")
    page = models.ForeignKey(Page, on_delete=models.PROTECT, related_name="citations")
    url = models.TextField()  # as first cited
    snapshot = models.ForeignKey(
        PageSnapshot, on_delete=models.PROTECT, null=True, blank=True, related_name="citations"
    )
    collected_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["submission", "page"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "page"], name="citedpage_once_per_submission"),
            models.CheckConstraint(
                condition=Q(snapshot__isnull=True) | Q(collected_at__isnull=False),
                name="citedpage_snapshot_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"cited page {self.pk}"
