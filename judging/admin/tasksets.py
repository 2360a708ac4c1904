"""Task sets and rubrics: imported whole, shown one at a time, opened as the rules allow."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from judging.admin.looks import Look, as_json
from judging.imports import Imported, NotActivatable, RefusedBundle, activate, import_taskset
from judging.models import Rubric
from judging.rubric import Fault
from judging.taskset_files import read_archive
from submissions.admin import TaskSetAdmin
from submissions.models import TaskSet

IMPORTERS = ("submissions.add_task", "judging.add_rubric")

admin.site.unregister(TaskSet)


class BundleForm(forms.Form):
    """A task set as a zip."""

    bundle = forms.FileField(
        label="Bundle (zip)", help_text="taskset.yaml, tasks/ and pages/; see docs/task-sets.md."
    )


@admin.register(TaskSet)
class ImportedTaskSetAdmin(TaskSetAdmin):
    """The same pages, with the import of bundles and the opening of dev sets."""

    change_list_template = "admin/submissions/taskset/change_list.html"
    actions = ("open_version",)

    def get_urls(self) -> list[URLPattern]:
        """One more address: the import."""
        view = self.admin_site.admin_view(self.import_view)
        return [path("import/", view, name="submissions_taskset_import"), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Import an uploaded bundle, or say everything that is wrong with it."""
        if not request.user.has_perms(IMPORTERS):
            raise PermissionDenied
        form = BundleForm(request.POST or None, request.FILES or None)
        faults: tuple[Fault, ...] = ()
        if form.is_valid():
            found, faults = _imported(form)
            if found is not None:
                return self._done(request, found)
        context = {
            **self.admin_site.each_context(request),
            "title": "Import a task set",
            "opts": self.opts,
            "form": form,
            "faults": faults,
        }
        status = 422 if faults else 200
        return TemplateResponse(request, "admin/judging/import.html", context, status=status)

    def _done(self, request: HttpRequest, found: Imported) -> HttpResponse:
        if found.created:
            self.log_addition(request, found.task_set, "imported")
        how = "imported" if found.created else "was there already, unchanged"
        tasks = found.task_set.tasks.count()
        told = f"Task set {found.task_set} {how}: {tasks} tasks, {found.pages} pages. {found.note}"
        self.message_user(request, told.strip())
        for warning in found.warnings:
            self.message_user(request, f"Warning: {warning}", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:submissions_taskset_change", args=[found.task_set.pk]))

    @admin.action(description="Open the selected versions (dev sets)", permissions=["change"])
    def open_version(self, request: HttpRequest, queryset: QuerySet[TaskSet]) -> None:
        """Open; what was open of the same set retires."""
        for task_set in queryset:
            try:
                activate(task_set=task_set, now=timezone.now())
            except NotActivatable as error:
                self.message_user(request, f"Task set {task_set}: {error}.", messages.ERROR)
            else:
                self.log_change(request, task_set, "opened")
                self.message_user(request, f"Task set {task_set} is open.")


def _imported(form: BundleForm) -> tuple[Imported | None, tuple[Fault, ...]]:
    files = read_archive(form.cleaned_data["bundle"].file)
    if files.faults:
        return None, files.faults
    try:
        return import_taskset(files=files.files, now=timezone.now()), ()
    except RefusedBundle as refused:
        return None, refused.faults


@admin.register(Rubric)
class RubricAdmin(Look):
    """Rubrics. Their text is on the page of one, never in the list."""

    list_display = ("id", "task", "revision", "content_hash", "created_at")
    list_select_related = ("task",)
    search_fields = ("task__public_id", "content_hash")
    heavy = ("source",)
    fields = ("task", "revision", "content_hash", "created_at", "text")
    readonly_fields = ("text",)

    @admin.display(description="rubric")
    def text(self, rubric: Rubric) -> SafeString:
        """The rubric as stored."""
        return as_json(rubric.source)
