"""Cited pages and what was captured of them: text that strangers wrote, shown escaped or handed out as a file."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from judging.admin.looks import Look, as_text
from judging.citations import host_of
from judging.models import Page, PageSnapshot
from judging.pages.store import read_text
from submissions import blobs

LOST = "not in the blob store"


@admin.register(Page)
class PageAdmin(Look):
    """Pages by their identity."""

    list_display = ("id", "host", "created_at")
    search_fields = ("key_hash",)
    fields = ("url", "key", "key_hash", "created_at")

    @admin.display(description="host")
    def host(self, page: Page) -> str:
        """Where it lies."""
        return host_of(page.url) or "—"


@admin.register(PageSnapshot)
class PageSnapshotAdmin(Look):
    """Captures of pages, with the text a judge reads."""

    list_display = ("id", "page", "number", "verdict", "status", "characters", "task_set", "fetched_at")
    list_select_related = ("page", "task_set")
    list_filter = ("verdict", "static_only")
    search_fields = ("page__key_hash", "text_sha256")
    heavy = ("title", "detail", "chain")
    fields = (
        "page", "task_set", "number", "verdict", "status", "url", "final_url", "chain", "content_type", "title",
        "characters", "probe_ok", "static_only", "detail", "extractor", "fetched_at", "text_sha256", "raw_sha256",
        "picture_sha256", "picture_type", "picture_width", "picture_height", "raw", "text",
    )  # fmt: skip
    readonly_fields = ("raw", "text")

    @admin.display(description="text as judged")
    def text(self, snapshot: PageSnapshot) -> SafeString | str:
        """The whole text, escaped."""
        try:
            return as_text(read_text(snapshot.text_sha256))
        except FileNotFoundError:
            return LOST

    @admin.display(description="bytes as fetched")
    def raw(self, snapshot: PageSnapshot) -> SafeString | str:
        """A way to the bytes, as a file."""
        if not snapshot.raw_sha256:
            return "none"
        address = reverse("admin:judging_pagesnapshot_raw", args=[snapshot.pk])
        return format_html(
            '<a href="{}">download</a> (written by strangers: do not open it in a browser)', address
        )

    def get_urls(self) -> list[URLPattern]:
        """One more address: the bytes."""
        raw = path(
            "<int:pk>/raw/", self.admin_site.admin_view(self.raw_view), name="judging_pagesnapshot_raw"
        )
        return [raw, *super().get_urls()]

    def raw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The bytes as fetched: an attachment of no type, which no browser runs."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        snapshot: Any = get_object_or_404(PageSnapshot.objects.exclude(raw_sha256=""), pk=pk)
        headers = {
            "Content-Disposition": f'attachment; filename="snapshot-{snapshot.pk}.bin"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        try:
            data = blobs.get(snapshot.raw_sha256)
        except FileNotFoundError as error:
            raise Http404(LOST) from error
        return HttpResponse(data, "application/octet-stream", headers=headers)
