"""The page that holds judge and people side by side, the decisions on their differences, and the download."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import structlog
from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from judging.admin.labelling import LABELLERS, asked
from judging.admin.records import READERS
from judging.labelling.comparing import compared, figures
from judging.labelling.exporting import exported
from judging.labelling.labels import (
    NothingToDecide,
    Unopened,
    adjudicate,
    has_opened,
    open_study,
    turns_of,
)
from judging.models import Adjudication, LabelStudy, StudyNode
from judging.models.labels import NOTE

log = structlog.get_logger(__name__)

DECIDERS = (*READERS, "judging.add_adjudication")
SHOWN = 50  # checks on a page


class DecisionForm(forms.Form):
    """Who is right where judge and people differ."""

    decision = forms.ChoiceField(choices=Adjudication.Decision.choices)
    note = forms.CharField(required=False, max_length=NOTE)


def may_look(request: HttpRequest) -> bool:
    """Who reads verdicts anyway, or labels: of those, whoever has said of every check what they think of it."""
    return request.user.has_perms(READERS) or request.user.has_perms(LABELLERS)


def may_export(request: HttpRequest) -> bool:
    """Who reads verdicts anyway."""
    return request.user.has_perms(READERS)


def compare_view(request: HttpRequest, study: LabelStudy, context: Mapping[str, Any]) -> HttpResponse:
    """Figures and checks for those who have opened them; before that, what opening them means."""
    _finished(request, study)
    if request.method == "POST":
        open_study(study, request.user, now=timezone.now())
        return HttpResponseRedirect(_comparison(study))
    if not has_opened(study, request.user):
        told = {**context, "title": "Open the comparison", "study": study}
        return TemplateResponse(request, "admin/judging/label_open.html", told)
    told = {**context, **_both(request, study), "title": "Judge and people", "study": study}
    return TemplateResponse(request, "admin/judging/label_compare.html", told)


def _both(request: HttpRequest, study: LabelStudy) -> dict[str, Any]:
    """What judge and people say, a page of it."""
    rows = compared(study)
    only = request.GET.get("only") == "differ"
    shown = [row for row in rows if row.differs or not only]
    return {
        "figures": figures(rows),
        "page": Paginator(shown, SHOWN).get_page(request.GET.get("page")),
        "only": only,
        "query": _query(request),
        "decides": request.user.has_perms(DECIDERS),
        "exports": may_export(request),
        "decisions": Adjudication.Decision.choices,
    }


def _finished(request: HttpRequest, study: LabelStudy) -> None:
    """Let nobody by who might still label."""
    if request.user.has_perms(READERS) or has_opened(study, request.user):
        return
    turns = turns_of(study, request.user)
    if not turns.nodes or not turns.finished:
        raise PermissionDenied


def _query(request: HttpRequest) -> str:
    """Which part of the comparison was looked at, so that the way back leads there."""
    kept = {name: request.GET[name] for name in ("only", "page") if name in request.GET}
    return f"?{urlencode(kept)}" if kept else ""


def _comparison(study: LabelStudy) -> str:
    return reverse("admin:judging_labelstudy_compare", args=[study.pk])


def decide_view(
    request: HttpRequest, study: LabelStudy, context: Mapping[str, Any], node: int
) -> HttpResponse:
    """What of a check was shown; or a decision on a difference, kept."""
    if request.method == "POST" and not request.user.has_perms(DECIDERS):
        raise PermissionDenied
    _finished(request, study)
    checks = StudyNode.objects.select_related("of__answer__task", "of__study")
    row = get_object_or_404(checks, pk=node, of__study=study)
    if request.method != "POST":
        told = {**context, **asked(study, row), "title": f"Check {row.pk}", "query": _query(request)}
        return TemplateResponse(request, "admin/judging/label_check.html", told)
    if fault := _decided(request, row):
        messages.error(request, fault)
    return HttpResponseRedirect(f"{_comparison(study)}{_query(request)}#check-{row.pk}")


def _decided(request: HttpRequest, node: StudyNode) -> str:
    """Keep the decision; why it was not kept."""
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return f"Nothing was saved: say who is right, and in a note no more than {NOTE} characters."
    try:
        adjudicate(node=node, person=request.user, **form.cleaned_data, now=timezone.now())
    except Unopened:
        return "Nothing was saved: open the comparison first."
    except NothingToDecide:
        return "Nothing was saved: judge and people do not differ about this check."
    return ""


def export_view(request: HttpRequest, study: LabelStudy, context: Mapping[str, Any]) -> HttpResponse:
    """What people said, as ``manage.py calibrate`` reads it, for those who have opened the comparison: it holds decisions."""
    if not has_opened(study, request.user):
        return HttpResponseRedirect(_comparison(study))
    body = "".join(f"{line}\n" for line in exported(compared(study)))
    log.info("study_exported", study=study.pk, by=f"user:{request.user.pk}")
    headers = {
        "Content-Disposition": f'attachment; filename="study-{study.pk}.jsonl"',
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return HttpResponse(body, content_type="application/x-ndjson", headers=headers)
