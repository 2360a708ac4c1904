"""The pages on which a person labels: one check at a time, and nothing of what the judge said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from judging.admin.looks import as_text
from judging.admin.pages import LOST
from judging.labelling.labels import Frozen, NotAsked, Turns, give_label, has_opened, turns_of
from judging.labelling.showing import shown_of
from judging.models import Label, LabelStudy, StudyNode
from judging.models.labels import NOTE

# Who labels reads tasks and what is asked of their answers; what the judge said is of no use to them.
LABELLERS = ("judging.add_label", "judging.view_rubric", "submissions.view_task")
OF_CLAIM = (
    ("supported", "Supported: what is shown here bears it out"),
    ("refuted", "Refuted: what is shown here speaks against it"),
    ("undecided", "Undecided: it does not settle the claim"),
    ("cannot_tell", "I cannot tell"),
)
OF_CRITERION = (
    ("supported", "Met"),
    ("refuted", "Not met"),
    ("undecided", "Undecided: the answer does not settle it"),
    ("cannot_tell", "I cannot tell"),
)


class LabelForm(forms.Form):
    """What a person says of a check; ``node`` holds the page and its post together."""

    note = forms.CharField(required=False, max_length=NOTE, widget=forms.Textarea(attrs={"rows": 2}))
    node = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = OF_CLAIM if kind == StudyNode.Kind.CLAIM else OF_CRITERION
        self.fields["verdict"] = forms.ChoiceField(widget=forms.RadioSelect, choices=choices)


def may_label(request: HttpRequest) -> bool:
    """Whether this person has the rights that labelling asks for."""
    return request.user.has_perms(LABELLERS)


def next_view(request: HttpRequest, study: LabelStudy, context: Mapping[str, Any]) -> HttpResponse:
    """The first check without a label, or that there is none."""
    turns = turns_of(study, request.user)
    place = turns.next_after(0)
    opened = has_opened(study, request.user)
    if place is not None and not opened:
        return HttpResponseRedirect(_place(study, place))
    told = {
        "title": "Labels",
        "study": study,
        "turns": turns,
        "opened": opened,
        "places": [(number, node in turns.done) for number, node in enumerate(turns.nodes, 1)],
    }
    return TemplateResponse(request, "admin/judging/label_done.html", {**context, **told})


def place_view(
    request: HttpRequest, study: LabelStudy, context: Mapping[str, Any], place: int
) -> HttpResponse:
    """One check of this person's order: shown, or labelled."""
    turns = turns_of(study, request.user)
    if request.method != "POST" and has_opened(study, request.user):
        return HttpResponseRedirect(reverse("admin:judging_labelstudy_label", args=[study.pk]))
    if not 1 <= place <= len(turns.nodes):
        raise Http404
    node = StudyNode.objects.select_related("of__answer__task").get(pk=turns.nodes[place - 1])
    form = LabelForm(request.POST or None, kind=node.kind, initial=_before(node, request))
    if form.is_valid():
        return _saved(request, study, form, place)
    shown = _shown(study, turns, node, place)
    return TemplateResponse(request, "admin/judging/label.html", {**context, **shown, "form": form})


def _place(study: LabelStudy, place: int) -> str:
    return reverse("admin:judging_labelstudy_place", args=[study.pk, place])


def _before(node: StudyNode, request: HttpRequest) -> dict[str, Any]:
    """What this person said before."""
    label = Label.objects.filter(node=node, labeller=request.user.pk).first()
    said = {"verdict": label.verdict, "note": label.note} if label else {}
    return {"node": node.pk, **said}


def _saved(request: HttpRequest, study: LabelStudy, form: LabelForm, place: int) -> HttpResponse:
    """Keep the label, also of a check that stands elsewhere by now, and go on."""
    try:
        give_label(study=study, person=request.user, **form.cleaned_data, now=timezone.now())
    except NotAsked:
        messages.error(request, "This check is not put to you any more; nothing was saved.")
    except Frozen:
        messages.error(request, "You have opened the comparison: your labels stand as they are.")
    after = turns_of(study, request.user).next_after(place)
    target = (
        reverse("admin:judging_labelstudy_label", args=[study.pk]) if after is None else _place(study, after)
    )
    return HttpResponseRedirect(target)


def _shown(study: LabelStudy, turns: Turns, node: StudyNode, place: int) -> dict[str, Any]:
    return {
        "title": f"Check {place} of {len(turns.nodes)}",
        "turns": turns,
        "before": _place(study, place - 1) if place > 1 else "",
        "after": _place(study, place + 1) if place < len(turns.nodes) else "",
        **asked(study, node),
    }


def asked(study: LabelStudy, node: StudyNode) -> dict[str, Any]:
    """What is put before people and judge; nothing of what either says."""
    answer = node.of.answer
    return {
        "study": study,
        "node": node,
        "is_claim": node.kind == StudyNode.Kind.CLAIM,
        "task": as_text(answer.task.prompt),
        "answer": as_text(answer.text),
        "pages": [(page["url"], page["title"], as_text(_passages(page))) for page in node.pages],
    }


def _passages(page: Mapping[str, Any]) -> str:
    """What a judge is shown of a page, or that it is gone."""
    try:
        return shown_of(page)
    except FileNotFoundError:
        return LOST
