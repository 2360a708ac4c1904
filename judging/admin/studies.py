"""Label studies: made of answers or submissions, labelled blind, compared with the judge, exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from judging.admin import comparing, labelling
from judging.admin.comparing import may_export, may_look
from judging.admin.labelling import may_label
from judging.admin.looks import Look
from judging.amounts import counted
from judging.labelling.studies import MOST, NameTaken, NothingToLabel, make_study
from judging.models import Label, LabelStudy, StudyNode
from submissions.models import Answer

View = Callable[..., HttpResponse]

MAKERS = ("judging.add_labelstudy", "judging.view_rubric", "submissions.view_answer")
BY = {"answer": "pk", "submission": "submission"}  # what a study is made of, and how answers point to it


class StudyForm(forms.Form):
    """A new study of the answers that were picked."""

    name = forms.CharField(max_length=80, help_text="Shown in lists: say nothing of the tasks in it.")
    size = forms.IntegerField(
        min_value=1,
        max_value=MOST,
        initial=20,
        label="Answers at most",
        help_text="A random sample of those you picked; the submissions take turns.",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, initial=1, help_text="The same picks and seed give the same sample."
    )


@admin.register(LabelStudy)
class LabelStudyAdmin(Look):
    """Studies. What is asked in one is on its pages, never in the list."""

    list_display = ("name", "answers_of", "checks_of", "actor", "created_at")
    search_fields = ("name",)
    fields = ("name", "seed", "actor", "created_at", "progress", "ways")
    readonly_fields = ("progress", "ways")

    def get_queryset(self, request: HttpRequest) -> QuerySet[LabelStudy]:
        """With its sizes."""
        counted = {
            "answer_count": Count("answers", distinct=True),
            "check_count": Count("answers__nodes", distinct=True),
        }
        rows: QuerySet[LabelStudy] = super().get_queryset(request).annotate(**counted)
        return rows

    @admin.display(description="answers")
    def answers_of(self, study: Any) -> int:
        """How many."""
        return int(study.answer_count)

    @admin.display(description="checks")
    def checks_of(self, study: Any) -> int:
        """How many."""
        return int(study.check_count)

    @admin.display(description="progress")
    def progress(self, study: Any) -> SafeString:
        """Who has labelled how many; what the judge has not been asked."""
        labels = Label.objects.filter(node__of__study=study).values_list("labeller__username")
        people = labels.annotate(count=Count("pk")).order_by("labeller__username")
        unasked = StudyNode.objects.filter(of__study=study, finding="").count()
        lines = [f"{name}: {count} of {study.check_count}" for name, count in people]
        if unasked:
            lines.append(f"{unasked} without a verdict of the judge: manage.py label_study judge {study.pk}")
        return format_html_join("", "<p>{}</p>", ((line,) for line in lines or ["nobody has begun"]))

    @admin.display(description="go to")
    def ways(self, study: LabelStudy) -> SafeString:
        """The pages of a study; each asks for rights of its own."""
        places = (("Label", "label"), ("Compare with the judge", "compare"), ("Download as labels", "export"))
        links = (
            (reverse(f"admin:judging_labelstudy_{name}", args=[study.pk]), title) for title, name in places
        )
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    def get_urls(self) -> list[URLPattern]:
        """The pages of a study, and the one that makes one."""
        pages = (
            ("make/", self.make_view, "make"),
            ("<int:study>/label/", self._of_study(may_label, labelling.next_view), "label"),
            ("<int:study>/label/<int:place>/", self._of_study(may_label, labelling.place_view), "place"),
            ("<int:study>/compare/", self._of_study(may_look, comparing.compare_view), "compare"),
            ("<int:study>/compare/<int:node>/", self._of_study(may_look, comparing.decide_view), "decide"),
            ("<int:study>/export/", self._of_study(may_export, comparing.export_view), "export"),
        )
        found = [
            path(route, self.admin_site.admin_view(view), name=f"judging_labelstudy_{name}")
            for route, view, name in pages
        ]
        return [*found, *super().get_urls()]

    def _of_study(self, may: Callable[[HttpRequest], bool], page: View) -> View:
        """A view of one study; who may not open it does not learn either whether there is one."""

        def view(request: HttpRequest, study: int, **kwargs: Any) -> HttpResponse:
            if not may(request):
                raise PermissionDenied
            context = {**self.admin_site.each_context(request), "opts": self.opts}
            return page(request, get_object_or_404(LabelStudy, pk=study), context, **kwargs)

        return view

    def make_view(self, request: HttpRequest) -> HttpResponse:
        """Name the study and draw its answers from what was picked in a list."""
        if not request.user.has_perms(MAKERS):
            raise PermissionDenied
        form = StudyForm(request.POST or None)
        if form.is_valid() and (study := self._made(request, form)):
            return HttpResponseRedirect(reverse("admin:judging_labelstudy_change", args=[study.pk]))
        context = {
            **self.admin_site.each_context(request),
            "title": "Make a label study",
            "opts": self.opts,
            "form": form,
            "of": request.GET.get("of", ""),
            "picked": _picked(request).count(),
        }
        return TemplateResponse(request, "admin/judging/label_make.html", context)

    def _made(self, request: HttpRequest, form: StudyForm) -> LabelStudy | None:
        actor = f"user:{request.user.pk}"
        try:
            study, broken = make_study(
                **form.cleaned_data, answers=_picked(request), actor=actor, now=timezone.now()
            )
        except NameTaken:
            form.add_error("name", "There is a study of this name.")
        except NothingToLabel:
            form.add_error(None, "None of these answers was given and judged.")
        else:
            self.log_addition(request, study, "made")
            size = counted(study.answers.count(), "answer")
            self.message_user(request, f"{study}: {size}.".capitalize())
            if broken:
                told = f"Left out, their rubric is no longer valid: {', '.join(broken)}"
                self.message_user(request, told, messages.WARNING)
            return study
        return None


def _picked(request: HttpRequest) -> QuerySet[Answer]:
    """The answers that a list's action named in the address."""
    by = BY.get(request.GET.get("of", ""))
    numbers = [int(one) for one in request.GET.get("ids", "").split(",") if one.isdecimal() and len(one) < 19]
    return Answer.objects.filter(**{f"{by}__in": numbers}) if by else Answer.objects.none()


PICKED = 200  # rows of a list; an address must stay short


class Picks(admin.ModelAdmin[Any]):
    """Lists whose rows can become a label study."""

    def has_study_permission(self, request: HttpRequest) -> bool:
        """Whether this person may make studies."""
        return request.user.has_perms(MAKERS)

    @admin.action(description="Make a label study of the selected rows", permissions=["study"])
    def label_study(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Go on to the page that names it."""
        numbers = list(queryset.order_by("pk").values_list("pk", flat=True)[: PICKED + 1])
        if len(numbers) > PICKED:
            self.message_user(request, f"No more than {PICKED} rows at once.", messages.ERROR)
            return None
        query = f"?of={queryset.model._meta.model_name}&ids={','.join(map(str, numbers))}"
        return HttpResponseRedirect(reverse("admin:judging_labelstudy_make") + query)
