"""Judging runs and all they remember; the verdicts of an answer as one tree."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from judging.admin.exports import EXPORTERS, costs_context, export_response
from judging.admin.looks import Look, as_json, as_text
from judging.admin.progress import progress_shown
from judging.admin.records import PAGE_READERS, READERS, answer_in_place, page_context
from judging.admin.verdicts import answer_context
from judging.amounts import money
from judging.calibration.storing import ABOUT, last_passed
from judging.exporting import RELATED
from judging.models import Extraction, JudgeProfile, JudgeRun, ModelCall, Verdict
from submissions.models import Answer


@admin.register(JudgeProfile)
class JudgeProfileAdmin(Look):
    """Judges by version. A changed setting makes a new one."""

    list_display = ("name", "version", "judge", "model", "calibrated_for", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[JudgeProfile]:
        """With what the last calibration for each protocol came to."""
        last = {f"for_{name}": Subquery(last_passed(OuterRef("pk"), name)[:1]) for name in ABOUT}
        rows: QuerySet[JudgeProfile] = super().get_queryset(request).annotate(**last)
        return rows

    @admin.display(description="calibrated for")
    def calibrated_for(self, profile: JudgeProfile) -> str:
        """The protocols for which it has shown enough."""
        return ", ".join(name for name in ABOUT if getattr(profile, f"for_{name}")) or "–"


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
        "submission", "round", "profile", "short_circuit", "search", "started_at", "finished_at", "calls", "cost", "progress",
        "answers",
    )  # fmt: skip
    readonly_fields = ("cost", "progress", "answers")

    @admin.display(description="cost")
    def cost(self, run: JudgeRun) -> str:
        """US dollars, once the round has ended."""
        return money(run.cost_usd) if run.finished_at else "not known yet"

    @admin.display(description="progress")
    def progress(self, run: JudgeRun) -> SafeString:
        """How far it is, exactly."""
        return progress_shown(run)

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
        """More addresses: the verdicts of an answer, a run as a file, and what judging cost."""
        wrap = self.admin_site.admin_view
        tree = path("<int:run>/answers/<int:answer>/", wrap(self.answer_view), name="judging_judgerun_answer")
        export = path("<int:run>/export/", wrap(self.export_view), name="judging_judgerun_export")
        costs = path("costs/", wrap(self.costs_view), name="judging_judgerun_costs")
        return [tree, export, costs, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of a run, with its export for those who may have it."""
        more = {**(extra_context or {}), "may_export": request.user.has_perms(EXPORTERS)}
        return super().change_view(request, object_id, form_url, more)

    def export_view(self, request: HttpRequest, run: int) -> HttpResponseBase:
        """The whole run as a file."""
        if not request.user.has_perms(EXPORTERS):
            raise PermissionDenied
        return export_response(get_object_or_404(JudgeRun.objects.select_related(*RELATED), pk=run), request)

    def costs_view(self, request: HttpRequest) -> HttpResponse:
        """What judging cost, by month and set."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": "Costs",
            "opts": self.opts,
            **costs_context(),
        }
        return TemplateResponse(request, "admin/judging/costs.html", context)

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
            **answer_context(judged, row, reads_pages=request.user.has_perms(PAGE_READERS)),
        }
        return TemplateResponse(request, "admin/judging/answer.html", context)


def _whole(request: HttpRequest) -> bool:
    """Whether all of a text is wanted."""
    return "whole" in request.GET


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

    def get_urls(self) -> list[URLPattern]:
        """Two more addresses: a page of the evidence, and the answer, with the quote in its place."""
        wrap = self.admin_site.admin_view
        page = path("<int:verdict>/pages/<int:number>/", wrap(self.page_view), name="judging_verdict_page")
        answer = path("<int:verdict>/answer/", wrap(self.answer_view), name="judging_verdict_answer")
        return [page, answer, *super().get_urls()]

    def page_view(self, request: HttpRequest, verdict: int, number: int) -> HttpResponse:
        """A page of the evidence: what of its text the judge was shown, and where the quote stands."""
        if not request.user.has_perms(PAGE_READERS):
            raise PermissionDenied
        row = get_object_or_404(Verdict.objects.select_related("run"), pk=verdict)
        return self._in_place(
            request, row, f"page {number}", page_context(row, number, whole=_whole(request))
        )

    def answer_view(self, request: HttpRequest, verdict: int) -> HttpResponse:
        """The answer, and where the quote stands in it."""
        if not request.user.has_perms(READERS):
            raise PermissionDenied
        row = get_object_or_404(Verdict.objects.select_related("run", "answer"), pk=verdict)
        return self._in_place(request, row, "answer", answer_in_place(row, whole=_whole(request)))

    def _in_place(
        self, request: HttpRequest, row: Verdict, what: str, shown: dict[str, Any]
    ) -> TemplateResponse:
        each = self.admin_site.each_context(request)
        context = {**each, "title": f"Verdict {row.pk}, {what}", "opts": self.opts, "verdict": row, **shown}
        return TemplateResponse(request, "admin/judging/in_place.html", context)

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
