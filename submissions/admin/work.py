"""What is asked and what was handed in: task sets, tasks, submissions, answers."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from submissions.admin.looks import Keep, NamedTimes, Readable, ReadOnly
from submissions.models import Answer, Job, Submission, SubmissionEvent, Task, TaskSet


@admin.register(TaskSet)
class TaskSetAdmin(Keep, NamedTimes):
    """Task sets come from bundles; here are the words about them and the dates between which they are open."""

    list_display = (
        "slug",
        "version",
        "title",
        "protocol",
        "split",
        "delivery",
        "state",
        "runs",
        "opens_at",
        "closes_at",
    )
    list_filter = ("state", "split", "protocol")
    search_fields = ("slug", "title")
    fields = (
        "slug", "version", "title", "description", "protocol", "split", "delivery", "delivery_reason", "runs",
        "licence", "as_of", "content_hash", "state", "created_at", "opens_at", "closes_at",
    )  # fmt: skip
    readonly_fields = (
        "slug", "version", "protocol", "split", "delivery", "runs", "licence", "as_of", "content_hash", "state",
        "created_at",
    )  # fmt: skip

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Bundles are imported whole."""
        return False


@admin.register(Task)
class TaskAdmin(ReadOnly, admin.ModelAdmin[Task]):
    """Tasks; the prompt is on the page of one task, never in the list."""

    list_display = ("public_id", "task_set", "position", "language")
    list_select_related = ("task_set",)
    list_filter = ("task_set",)
    search_fields = ("public_id",)
    show_full_result_count = False


class EventInline(ReadOnly, admin.TabularInline[SubmissionEvent, Submission]):
    """The steps of a submission."""

    model = SubmissionEvent
    template = "admin/submissions/rows.html"
    verbose_name_plural = "steps"
    extra = 0
    fields = ("at", "from_state", "to_state", "actor", "reason")


class JobInline(ReadOnly, admin.TabularInline[Job, Submission]):
    """The work on a submission."""

    model = Job
    template = "admin/submissions/rows.html"
    extra = 0
    fields = (
        "kind",
        "round",
        "shard",
        "state",
        "reason",
        "takeovers",
        "done_items",
        "total_items",
        "created_at",
    )


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, Readable):
    """Submissions, as they move; the states are moved by the service alone."""

    list_display = ("public_id", "system", "task_set", "standing", "listing", "created_at")
    list_select_related = ("system", "task_set")
    list_filter = ("state", "listing", "task_set")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("public_id", "system__name", "system__public_id")
    inlines: ClassVar = [EventInline, JobInline]

    @admin.display(description="state", ordering="state")
    def standing(self, submission: Submission) -> str:
        """The state, with its reason if it has one."""
        state = submission.get_state_display()
        return f"{state}: {submission.state_reason}" if submission.state_reason else state

    def get_fields(self, request: HttpRequest, obj: Submission | None = None) -> Any:
        """Unrounded scores are for those who may read answers."""
        names = [str(name) for name in super().get_fields(request, obj)]
        if request.user.has_perm("submissions.view_answer"):
            return names
        return [name for name in names if name not in ("summary", "provenance", "coverage")]


@admin.register(Answer)
class AnswerAdmin(ReadOnly, Readable):
    """Answers, one page each."""

    list_display = ("id", "submission", "task", "run", "given", "received_at")
    list_select_related = ("submission", "task")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("submission__public_id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Answer]:
        """Lists need no texts."""
        rows = super().get_queryset(request)
        resolved = request.resolver_match
        in_list = resolved is not None and str(resolved.url_name).endswith("_changelist")
        return rows.defer("text", "feedback") if in_list else rows
