"""How rows are looked at: never edited, texts always escaped, nothing hidden in lists."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from submissions.admin import ReadOnly

SHOWN = 200_000  # characters of one text on a page


def as_text(value: str) -> SafeString:
    """A text that others wrote, in a block of its own."""
    cut = "" if len(value) <= SHOWN else f"\n[… {len(value) - SHOWN:,} characters more]"
    return format_html("<pre>{}{}</pre>", value[:SHOWN], cut)


def as_json(value: Any) -> SafeString:
    """Plain data, readable."""
    return as_text(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True))


class Look(ReadOnly, admin.ModelAdmin[Any]):
    """Rows that are only added, and only by the service. ``heavy`` columns are not loaded for lists."""

    heavy: tuple[str, ...] = ()
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Lists need no texts."""
        rows = super().get_queryset(request)
        resolved = request.resolver_match
        in_list = resolved is not None and str(resolved.url_name).endswith("_changelist")
        return rows.defer(*self.heavy) if in_list else rows
