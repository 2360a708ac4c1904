"""Boards for staff: to be read and to be published anew, never edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import ForeignKey, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from leaderboard.models import Board, Entry
from leaderboard.services import ReleaseGateMissing, publish
from submissions.admin import Readable
from submissions.models import TaskSet

_SHOWN = ("task_set", "number", "published_at", "superseded_at", "public_id", "inputs_hash", "document")


class Frozen(Readable):
    """What was published stays as it was."""

    show_full_result_count = False
    list_per_page = 50

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False


@admin.register(Board)
class BoardAdmin(Frozen):
    """Adding a board publishes a set; the action does so for sets that have one."""

    list_display = ("task_set", "number", "published_at", "superseded_at", "public_id")
    list_select_related = ("task_set",)
    list_filter = ("task_set__protocol",)
    search_fields = ("task_set__slug", "public_id")
    ordering = ("-published_at", "-pk")
    actions = ("publish_now",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The set alone for a new board; all of an old one."""
        return ("task_set",) if obj is None else _SHOWN

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Test sets need the release gate and are not offered; neither is what nobody may know of."""
        kwargs["queryset"] = TaskSet.objects.public().exclude(split=TaskSet.Split.TEST)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Board:
        """Publish the set that was chosen; if nothing has changed, the board that stands is the answer."""
        return publish(task_set=form.cleaned_data["task_set"], now=timezone.now())

    def save_model(self, request: HttpRequest, obj: Board, form: Any, change: bool) -> None:
        """Nothing is left to do."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """A board's entries come with it."""

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Whoever may add boards may publish."""
        return self.has_add_permission(request)

    @admin.action(description="Publish these sets now", permissions=["publish"])
    def publish_now(self, request: HttpRequest, queryset: QuerySet[Board]) -> None:
        """Publish each set once, and say what stands now."""
        sets = TaskSet.objects.filter(pk__in=queryset.order_by().values("task_set"))
        for task_set in sets:
            try:
                board = publish(task_set=task_set, now=timezone.now())
            except ReleaseGateMissing as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
            else:
                self.message_user(request, f"{task_set}: board no. {board.number} stands.")


@admin.register(Entry)
class EntryAdmin(Frozen):
    """Rows of boards."""

    list_display = ("public_id", "board", "position", "system")
    list_select_related = ("board__task_set", "system")
    search_fields = ("public_id", "system__name", "board__task_set__slug")
    ordering = ("-board_id", "position")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Entries come with their board."""
        return False
