"""The page that holds judge and people side by side, the decisions on their differences, and the download."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
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
from judging.labelling.labels import adjudicate, open_study, turns_of
from judging.models import Adjudication, LabelStudy, StudyNode
from judging.models.labels import NOTE

DECIDERS = (*READERS, "judging.add_adjudication")
SHOWN = 50  # checks on a page

Study = Callable[[], LabelStudy]


class DecisionForm(forms.Form):
    """Who is right where judge and people differ."""

    decision = forms.ChoiceField(choices=Adjudication.Decision.choices)
    note = forms.CharField(required=False, max_length=NOTE)


def compare_view(request: HttpRequest, study: Study, context: Mapping[str, Any]) -> HttpResponse:
    """Figures and checks; who sees them labels nothing of this study any more."""
    found = _allowed(request, study)
    open_study(found, request.user, now=timezone.now())
    rows = compared(found)
    only = request.GET.get("only") == "differ"
    page = Paginator([row for row in rows if row.differs or not only], SHOWN).get_page(
        request.GET.get("page")
    )
    told = {
        "title": "Judge and people",
        "study": found,
        "figures": figures(rows),
        "page": page,
        "only": only,
        "decides": request.user.has_perms(DECIDERS),
        "exports": request.user.has_perms(READERS),
        "decisions": Adjudication.Decision.choices,
    }
    return TemplateResponse(request, "admin/judging/label_compare.html", {**context, **told})


def _allowed(request: HttpRequest, study: Study) -> LabelStudy:
    """Who reads verdicts anyway, or has said of every check what they think of it."""
    if request.user.has_perms(READERS):
        return study()
    if not request.user.has_perms(LABELLERS):
        raise PermissionDenied
    found = study()
    turns = turns_of(found, request.user)
    if not turns.nodes or not turns.finished:
        raise PermissionDenied
    return found


def decide_view(request: HttpRequest, study: Study, context: Mapping[str, Any], node: int) -> HttpResponse:
    """What of a check was shown; or a decision on a difference, kept."""
    if request.method == "POST" and not request.user.has_perms(DECIDERS):
        raise PermissionDenied
    found = _allowed(request, study)
    row = get_object_or_404(StudyNode.objects.select_related("of__answer__task"), pk=node, of__study=found)
    if request.method != "POST":
        told = {**context, **asked(found, row), "title": f"Check {row.pk}"}
        return TemplateResponse(request, "admin/judging/label_check.html", told)
    form = DecisionForm(request.POST)
    if form.is_valid():
        adjudicate(node=row, person=request.user, **form.cleaned_data, now=timezone.now())
    query = request.GET.urlencode()
    back = reverse("admin:judging_labelstudy_compare", args=[found.pk])
    return HttpResponseRedirect(f"{back}{f'?{query}' if query else ''}#check-{row.pk}")


def export_view(request: HttpRequest, study: Study, context: Mapping[str, Any]) -> HttpResponse:
    """What people said, as ``manage.py calibrate`` reads it; who has it has seen decisions on the judge's verdicts."""
    if not request.user.has_perms(READERS):
        raise PermissionDenied
    found = study()
    open_study(found, request.user, now=timezone.now())
    body = "".join(f"{line}\n" for line in exported(compared(found)))
    headers = {
        "Content-Disposition": f'attachment; filename="study-{found.pk}.jsonl"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(body, content_type="application/x-ndjson", headers=headers)
