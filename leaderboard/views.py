"""The public pages. Each reads what was published, puts the query on it, and renders."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard import reading
from leaderboard.cards import entry_context, home_context
from leaderboard.method import method_context
from leaderboard.query import BoardQuery
from leaderboard.tables import board_table, sortable

_cached = cache_control(public=True, max_age=60)


@require_safe
@_cached
def home(request: HttpRequest) -> HttpResponse:
    """All boards, with the first rows of each."""
    return render(request, "leaderboard/home.html", home_context())


@require_safe
@_cached
def board(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """One board as a table."""
    key = reading.board_key(slug, version)
    if key is None:
        raise Http404
    document = reading.document(key)
    query = BoardQuery.read(request.GET.dict(), sortable=sortable(document))
    context = {"document": document, "table": board_table(document, query), "place": (slug, version)}
    return render(request, "leaderboard/board.html", context)


@require_safe
@_cached
def entry(request: HttpRequest, entry_id: str) -> HttpResponse:
    """One row of a board, with all that is public about it."""
    context = entry_context(reading.entry(entry_id), address=request.build_absolute_uri(request.path))
    return render(request, "leaderboard/entry.html", context)


@require_safe
@_cached
def method(request: HttpRequest) -> HttpResponse:
    """How numbers come about, from the constants in force."""
    return render(request, "leaderboard/method.html", method_context())
