"""What searches found: text of strangers, shown escaped; queries are answers' text and stand on the page of one alone."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from judging.admin.looks import Look, as_text
from judging.admin.pages import LOST
from judging.models import SearchReply
from judging.pages.store import read_text


@admin.register(SearchReply)
class SearchReplyAdmin(Look):
    """Replies by day, with the text a judge reads."""

    list_display = ("id", "provider", "day", "asked_at", "hits")
    list_filter = ("provider",)
    search_fields = ("key", "text_sha256")
    heavy = ("query",)
    fields = ("provider", "day", "query", "key", "claimed_until", "asked_at", "hits", "text_sha256", "text")
    readonly_fields = ("text",)

    @admin.display(description="text as judged")
    def text(self, reply: SearchReply) -> SafeString | str:
        """The whole text, hits that decide nothing for some team included."""
        try:
            return as_text(read_text(reply.text_sha256))
        except FileNotFoundError:
            return LOST
