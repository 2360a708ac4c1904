"""What search providers found: a row for every query and day, and which of them a submission is judged by."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from judging.search.interface import Fault, ProviderName
from submissions.models import Submission

SEARCH_PROVIDERS = tuple(name.value for name in ProviderName if name is not ProviderName.OFF)
_FAULTS = ("", *(fault.value for fault in Fault))


class SearchReply(models.Model):
    """The reply to one query on one day (UTC), for all submissions of that day.

    ``key`` is SHA-256 of all that was asked: provider, its address, query and number of hits. A row without
    ``asked_at`` is claimed by a worker that asks; once it has one it is never changed. The text lies in the blob store,
    "" for no hits.
    """

    provider = models.CharField(max_length=20)
    key = models.CharField(max_length=64)
    day = models.DateField()
    query = models.TextField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    text_sha256 = models.CharField(max_length=64, blank=True)
    hits = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["key", "day"], name="searchreply_once_a_day"),
            models.CheckConstraint(
                condition=Q(provider__in=SEARCH_PROVIDERS), name="searchreply_provider_known"
            ),
            models.CheckConstraint(
                condition=Q(asked_at__isnull=False) | Q(text_sha256=""), name="searchreply_text_has_time"
            ),
        ]

    def __str__(self) -> str:
        return f"search reply {self.pk}"  # nothing of the query: it is an answer's text


class SubmissionSearch(models.Model):
    """What a submission is judged by for one query, since which round: a reply, or why there is none.

    A query that has a reply is never asked again for the submission; one that failed is, in its next round.
    """

    # CASCADE: like the choice of its pages it means nothing without the submission; the reply serves others and stays.
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="searches")
    round = models.PositiveIntegerField()
    provider = models.CharField(max_length=20)
    query_hash = models.CharField(max_length=64)  # SHA-256
    reply = models.ForeignKey(
        SearchReply, on_delete=models.PROTECT, null=True, blank=True, related_name="searches"
    )
    fault = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["submission", "provider", "query_hash", "round"],
                name="submissionsearch_once_a_round",
            ),
            models.CheckConstraint(
                condition=Q(reply__isnull=False, fault="") | Q(Q(reply__isnull=True), ~Q(fault="")),
                name="submissionsearch_reply_or_fault",
            ),
            models.CheckConstraint(
                condition=Q(provider__in=SEARCH_PROVIDERS), name="submissionsearch_provider_known"
            ),
            models.CheckConstraint(condition=Q(fault__in=_FAULTS), name="submissionsearch_fault_known"),
        ]

    def __str__(self) -> str:
        return f"search {self.pk}"
