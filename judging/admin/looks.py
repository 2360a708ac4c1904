"""How rows are looked at: never edited, nothing hidden in lists."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from submissions.admin import Readable, ReadOnly, as_json, as_text

__all__ = ["Look", "as_json", "as_text"]


class Look(ReadOnly, Readable):
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
