"""Who takes part: organisations, teams and their people, keys, systems."""

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

from submissions.admin.looks import Keep, Stamped
from submissions.models import ApiKey, Membership, Organisation, OrganisationDomain, System, Team
from submissions.services import issue_key, revoke_key


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
