"""What staff see and do. Texts of teams pass through Django's escaping alone; prompts appear on no list page."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from submissions.models import (
    Answer,
    ApiKey,
    Job,
    Membership,
    Organisation,
    OrganisationDomain,
    Submission,
    SubmissionEvent,
    System,
    Task,
    TaskSet,
    Team,
)
from submissions.queue.admin import close as close_queue_pages
from submissions.services import issue_key, revoke_key

close_queue_pages()


class ReadOnly:
    """Nothing can be added, changed or removed: these rows are moved by the service alone."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False


class Keep:
    """Rows that stay: others point to them."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False


class Stamped(admin.ModelAdmin[Any]):
    """Sets ``created_at``; lists stay quick with many thousand rows."""

    show_full_result_count = False
    list_per_page = 50

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save, and date what is new."""
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)


class DomainInline(admin.TabularInline[OrganisationDomain, Organisation]):
    """Domains of an organisation."""

    model = OrganisationDomain
    extra = 0


@admin.register(Organisation)
class OrganisationAdmin(Keep, Stamped):
    """Who stands behind teams; an organisation is confirmed before its first test submission."""

    list_display = ("name", "confirmed_at", "created_at")
    search_fields = ("name", "domains__name")
    readonly_fields = ("created_at",)
    inlines: ClassVar = [DomainInline]


class MembershipInline(admin.TabularInline[Membership, Team]):
    """People of a team."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Team)
class TeamAdmin(Keep, Stamped):
    """Teams and their people."""

    list_display = ("name", "organisation", "public_id", "created_at")
    list_select_related = ("organisation",)
    search_fields = ("name", "organisation__name", "public_id")
    autocomplete_fields = ("organisation",)
    readonly_fields = ("public_id", "created_at")
    inlines: ClassVar = [MembershipInline]


class NewKeyForm(forms.ModelForm[ApiKey]):
    """A key to be issued."""

    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in ApiKey.SCOPES],
        initial=list(ApiKey.SCOPES),
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(min_value=1, max_value=3650, help_text="How long it is valid.")

    class Meta:
        model = ApiKey
        fields = ("team", "name", "scopes")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["days"].initial = settings.EVALSERVICE["API_KEY_DAYS"]


@admin.register(ApiKey)
class ApiKeyAdmin(Keep, admin.ModelAdmin[ApiKey]):
    """Keys: issued, shown once, looked at, revoked; never edited."""

    list_display = (
        "name",
        "team",
        "public_id",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    list_select_related = ("team",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("name", "public_id", "team__name")
    fields = ("team", "name", "public_id", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at")
    actions = ("revoke",)

    def get_form(
        self, request: HttpRequest, obj: ApiKey | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """The form of a new key; an old one has none."""
        return super().get_form(request, obj, change, **kwargs) if change else NewKeyForm

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> Any:
        """What is asked of a new key, or shown of an old one."""
        return self.fields if obj else ("team", "name", "scopes", "days")

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> Any:
        """Everything of a key that exists."""
        return self.fields if obj else ()

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        """Issue the key; its text is held for the answer to this request alone."""
        if change:
            return
        values = form.cleaned_data
        key, text = issue_key(
            team=values["team"],
            name=values["name"],
            scopes=values["scopes"],
            days=values["days"],
            now=timezone.now(),
        )
        obj.pk = key.pk
        obj.refresh_from_db()
        obj.shown_once = text  # type: ignore[attr-defined]  # for this response alone

    def response_add(
        self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None
    ) -> HttpResponse:
        """The page that shows the key: no redirect, no message, no session ever holds it."""
        context = {**self.admin_site.each_context(request), "title": "API key", "key": obj, "opts": self.opts}
        return TemplateResponse(request, "admin/submissions/apikey/shown_once.html", context)

    @admin.action(description="Revoke the selected keys", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        """End keys now."""
        now = timezone.now()
        for key in queryset:
            revoke_key(key=key, now=now)


@admin.register(System)
class SystemAdmin(Keep, Stamped):
    """Systems. Staff may correct a name or a class, which teams cannot."""

    list_display = ("name", "team", "system_class", "version", "public_id", "created_at")
    list_select_related = ("team",)
    list_filter = ("system_class",)
    formfield_overrides: ClassVar = {models.URLField: {"assume_scheme": "https"}}
    search_fields = ("name", "public_id", "team__name")
    autocomplete_fields = ("team",)
    readonly_fields = ("public_id", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Teams register their systems."""
        return False


@admin.register(TaskSet)
class TaskSetAdmin(Keep, admin.ModelAdmin[TaskSet]):
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
    extra = 0
    fields = ("at", "from_state", "to_state", "actor", "reason")


class JobInline(ReadOnly, admin.TabularInline[Job, Submission]):
    """The work on a submission."""

    model = Job
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
class SubmissionAdmin(ReadOnly, admin.ModelAdmin[Submission]):
    """Submissions, as they move; the states are moved by the service alone."""

    list_display = (
        "public_id",
        "system",
        "task_set",
        "runs",
        "state",
        "state_reason",
        "listing",
        "created_at",
    )
    list_select_related = ("system", "task_set")
    list_filter = ("state", "listing", "task_set")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("public_id", "system__name", "system__public_id")
    inlines: ClassVar = [EventInline, JobInline]

    def get_fields(self, request: HttpRequest, obj: Submission | None = None) -> Any:
        """Unrounded scores are for those who may read answers."""
        names = [str(name) for name in super().get_fields(request, obj)]
        if request.user.has_perm("submissions.view_answer"):
            return names
        return [name for name in names if name not in ("summary", "provenance", "coverage")]


@admin.register(Answer)
class AnswerAdmin(ReadOnly, admin.ModelAdmin[Answer]):
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
