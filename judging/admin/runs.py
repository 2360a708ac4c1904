"""Judging runs and all they remember; the verdicts of an answer as one tree."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from judging.admin.looks import Look, as_json, as_text
from judging.admin.verdicts import answer_context
from judging.models import Extraction, JudgeProfile, JudgeRun, ModelCall, Verdict
from submissions.models import Answer

# Who reads a verdict tree reads the rubric, the answer and what the judge said of it.
READERS = ("judging.view_verdict", "judging.view_rubric", "submissions.view_answer")


@admin.register(JudgeProfile)
class JudgeProfileAdmin(Look):
    """Judges by version. A changed setting makes a new one."""

    list_display = ("name", "version", "judge", "model", "calibrated", "created_at")


@admin.register(JudgeRun)
class JudgeRunAdmin(Look):
    """Rounds of judging."""

    list_display = (
        "id",
        "submission",
        "round",
        "profile",
        "short_circuit",
        "started_at",
        "finished_at",
        "calls",
    )
    list_select_related = ("submission", "profile")
    list_filter = ("profile",)
    search_fields = ("submission__public_id",)
    fields = (
        "submission", "round", "profile", "short_circuit", "search", "started_at", "finished_at", "calls", "cost_usd",
        "answers",
    )  # fmt: skip
    readonly_fields = ("answers",)

    @admin.display(description="verdicts by answer")
    def answers(self, run: JudgeRun) -> SafeString:
        """A way to the tree of every answer."""
        rows = run.submission.answers.select_related("task").order_by("task__position", "run", "id")
        return format_html_join(
            " · ",
            '<a href="{}">{} run {}</a>',
            (
                (reverse("admin:judging_judgerun_answer", args=[run.pk, row.pk]), row.task.public_id, row.run)
                for row in rows
            ),
        )

    def get_urls(self) -> list[URLPattern]:
        """One more address: the verdicts of an answer."""
        view = self.admin_site.admin_view(self.answer_view)
        tree = path("<int:run>/answers/<int:answer>/", view, name="judging_judgerun_answer")
        return [tree, *super().get_urls()]

    def answer_view(self, request: HttpRequest, run: int, answer: int) -> HttpResponse:
        """The verdicts of one answer as the scoring saw them, or as they are stored where that cannot be told."""
        if not request.user.has_perms(READERS):
            raise PermissionDenied
        runs: QuerySet[JudgeRun] = JudgeRun.objects.select_related(
            "submission__task_set", "submission__system__team", "profile"
        )
        judged = get_object_or_404(runs, pk=run)
        row = get_object_or_404(
            Answer.objects.select_related("task"), pk=answer, submission=judged.submission_id
        )
        context = {
            **self.admin_site.each_context(request),
            "title": f"Answer {row.pk}, round {judged.round}",
            "opts": self.opts,
            "run": judged,
            "answer": row,
            **answer_context(judged, row),
        }
        return TemplateResponse(request, "admin/judging/answer.html", context)


class Remembered(Look):
    """What was found, on one page each; lists say of which answer, not what."""

    list_filter: ClassVar[Any] = ()
    list_select_related = ("run", "answer")
    search_fields = ("run__submission__public_id", "key")
    readonly_fields: ClassVar[Any] = ("calls",)

    @admin.display(description="calls")
    def calls(self, row: Any) -> SafeString:
        """Where it comes from: prompts, models, attempts."""
        return as_json(row.record)


@admin.register(Verdict)
class VerdictAdmin(Remembered):
    """Verdicts."""

    list_display = ("id", "run", "answer", "finding", "code", "error_class", "model_calls", "created_at")
    list_filter = ("finding",)
    heavy = ("check_id", "statement", "reason", "quote", "evidence", "record")
    fields = (
        "run", "answer", "rubric", "check_id", "key", "finding", "code", "error_class", "answer_state", "relevance",
        "said", "pages", "calls", "created_at",
    )  # fmt: skip
    readonly_fields = ("said", "pages", "calls")

    @admin.display(description="statement, reason, quote")
    def said(self, verdict: Verdict) -> SafeString:
        """What was asked and answered."""
        return as_json({"statement": verdict.statement, "reason": verdict.reason, "quote": verdict.quote})

    @admin.display(description="evidence")
    def pages(self, verdict: Verdict) -> SafeString:
        """The pages it rests on."""
        return as_json(verdict.evidence)


@admin.register(Extraction)
class ExtractionAdmin(Remembered):
    """What was read out of answers and pages."""

    list_display = ("id", "run", "answer", "outcome", "model_calls", "created_at")
    list_filter = ("outcome",)
    heavy = ("name", "data", "reason", "record")
    fields = ("run", "answer", "name", "key", "outcome", "reason", "read", "calls", "created_at")
    readonly_fields = ("read", "calls")

    @admin.display(description="data")
    def read(self, extraction: Extraction) -> SafeString:
        """What was read."""
        return as_json(extraction.data)


@admin.register(ModelCall)
class ModelCallAdmin(Look):
    """The reply cache."""

    list_display = ("id", "model_served", "finish_reason", "created_at")
    search_fields = ("key",)
    heavy = ("content",)
    fields = ("key", "model_served", "finish_reason", "usage", "created_at", "reply")
    readonly_fields = ("reply",)

    @admin.display(description="reply")
    def reply(self, call: ModelCall) -> SafeString:
        """The reply as received."""
        return as_text(call.content)
