"""The pages on which a person labels: one check at a time, and nothing of what the judge said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from judging.admin.looks import as_text
from judging.admin.pages import LOST
from judging.labelling.labels import Frozen, Turns, give_label, has_opened, turns_of
from judging.models import Label, LabelStudy, StudyNode
from judging.models.labels import NOTE
from judging.pages.store import read_text
from judging.passages import GAP

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

Study = Callable[[], LabelStudy]


class LabelForm(forms.Form):
    """What a person says of a check; ``node`` holds the page and its post together."""

    note = forms.CharField(required=False, max_length=NOTE, widget=forms.Textarea(attrs={"rows": 2}))
    node = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = OF_CLAIM if kind == StudyNode.Kind.CLAIM else OF_CRITERION
        self.fields["verdict"] = forms.ChoiceField(widget=forms.RadioSelect, choices=choices)


def next_view(request: HttpRequest, study: Study, context: Mapping[str, Any]) -> HttpResponse:
    """The first check without a label, or that there is none."""
    _allow(request)
    found = study()
    turns = turns_of(found, request.user)
    place = turns.next_after(0)
    if place is not None and not has_opened(found, request.user):
        return HttpResponseRedirect(_place(found, place))
    told = {
        "title": "Labels",
        "study": found,
        "turns": turns,
        "opened": has_opened(found, request.user),
        "places": [(number, node in turns.done) for number, node in enumerate(turns.nodes, 1)],
    }
    return TemplateResponse(request, "admin/judging/label_done.html", {**context, **told})


def place_view(request: HttpRequest, study: Study, context: Mapping[str, Any], place: int) -> HttpResponse:
    """One check of this person's order: shown, or labelled."""
    _allow(request)
    found = study()
    turns = turns_of(found, request.user)
    if request.method != "POST" and has_opened(found, request.user):
        return HttpResponseRedirect(reverse("admin:judging_labelstudy_label", args=[found.pk]))
    if not 1 <= place <= len(turns.nodes):
        raise Http404
    node = StudyNode.objects.select_related("of__answer__task").get(pk=turns.nodes[place - 1])
    form = LabelForm(request.POST or None, kind=node.kind, initial=_before(node, request))
    if form.is_valid():
        return _saved(request, found, form, place)
    shown = _shown(found, turns, node, place)
    return TemplateResponse(request, "admin/judging/label.html", {**context, **shown, "form": form})


def _allow(request: HttpRequest) -> None:
    if not request.user.has_perms(LABELLERS):
        raise PermissionDenied


def _place(study: LabelStudy, place: int) -> str:
    return reverse("admin:judging_labelstudy_place", args=[study.pk, place])


def _before(node: StudyNode, request: HttpRequest) -> dict[str, Any]:
    """What this person said before."""
    label = Label.objects.filter(node=node, labeller=request.user.pk).first()
    said = {"verdict": label.verdict, "note": label.note} if label else {}
    return {"node": node.pk, **said}


def _saved(request: HttpRequest, study: LabelStudy, form: LabelForm, place: int) -> HttpResponse:
    """Keep the label and go on; one for a check that stands elsewhere by now goes nowhere."""
    said = form.cleaned_data
    turns = turns_of(study, request.user)
    if turns.nodes[place - 1 : place] != (said["node"],):
        messages.error(request, "The checks of this study have changed; nothing was saved.")
        return HttpResponseRedirect(reverse("admin:judging_labelstudy_label", args=[study.pk]))
    try:
        give_label(
            study=study, node=said["node"], person=request.user, verdict=said["verdict"], note=said["note"],
            now=timezone.now(),
        )  # fmt: skip
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
    """What a judge is shown of a page, gaps marked."""
    try:
        text = read_text(page["sha256"])
    except FileNotFoundError:
        return LOST
    return f"\n{GAP}\n".join(text[start:end] for start, end in page["ranges"])
