"""How rows are looked at: what nobody edits, and stored texts and JSON as people can read them, always escaped."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db import models
from django.forms import Field as FormField
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

SHOWN = 200_000  # characters of one text on a page
LINE = 100  # characters that need no block of their own


def as_text(value: str) -> SafeString:
    """A text that others wrote, in a block of its own that scrolls where it is long."""
    cut = "" if len(value) <= SHOWN else f"\n[… {len(value) - SHOWN:,} characters more]"
    return format_html('<pre class="stored" tabindex="0">{}{}</pre>', value[:SHOWN], cut)


def as_json(value: Any) -> SafeString:
    """Plain data, indented."""
    return as_text(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True))


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


class NamedTimes(admin.ModelAdmin[Any]):
    """Names both boxes of a point in time, which Django leaves to the one label above them."""

    def formfield_for_dbfield(
        self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> FormField | None:
        """The field of a form, with a name for every box."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        for part, box in zip(
            ("date", "time"), getattr(getattr(field, "widget", None), "widgets", ()), strict=False
        ):
            box.attrs["aria-label"] = f"{db_field.verbose_name}: {part}"
        return field


class Stamped(NamedTimes):
    """Sets ``created_at``; lists stay quick with many thousand rows."""

    show_full_result_count = False
    list_per_page = 50

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save, and date what is new."""
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)


class Readable(admin.ModelAdmin[Any]):
    """Shows stored JSON and long texts so that a person can read them, on pages that nobody edits."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The same fields in the same order."""
        return [
            (title, {**options, "fields": [self._readable(name) for name in options["fields"]]})
            for title, options in super().get_fieldsets(request, obj)
        ]

    def _readable(self, name: Any) -> str | Callable[[Any], str]:
        column = {column.name: column for column in self.opts.fields}.get(name)
        if isinstance(column, models.JSONField):
            return _shown(column, _json)
        return _shown(column, _text) if isinstance(column, models.TextField) else name


def _shown(column: models.Field[Any, Any], form: Callable[[Any], str]) -> Callable[[Any], str]:
    @admin.display(description=column.verbose_name)
    def shown(row: Any) -> str:
        return form(column.value_from_object(row))

    shown.__name__ = column.name
    return shown


def _json(value: Any) -> str:
    if value is None:
        return "–"
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= LINE else as_json(value)


def _text(value: str) -> str:
    return value if len(value) <= LINE and value.isprintable() else as_text(value)
