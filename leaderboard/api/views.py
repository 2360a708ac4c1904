"""The endpoints for boards: open to anyone, cached by the board's id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import Count
from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard import reading
from leaderboard.api.outputs import BoardListOut, BoardOut, EntryOut
from leaderboard.api.renderers import BoardCsvRenderer
from leaderboard.documents import stamp
from leaderboard.models import Board
from submissions.api.base import PublicView

CACHE = "public, max-age=60"
_NOT_MODIFIED = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="An ETag: 304 while nothing has changed."
)


class BoardReading(PublicView):
    """Answers 304 to whoever has the board already."""

    def cached(self, request: Request, key: str, body: Callable[[], Any]) -> HttpResponseBase:
        """``body`` under an ETag from ``key`` and the format; it is not read if the client has it."""
        etag = f'"{key}.{request.accepted_renderer.format}"'
        response = get_conditional_response(request._request, etag=etag) or Response(body())
        response["ETag"] = etag
        response["Cache-Control"] = CACHE
        patch_vary_headers(response, ["Accept"])
        return response


class BoardList(BoardReading):
    """All boards."""

    @extend_schema(operation_id="leaderboards", responses=BoardListOut, tags=["leaderboards"])
    def get(self, request: Request) -> HttpResponseBase:
        """The current board of every task-set version."""
        found = reading.boards().select_related("task_set").defer("document").annotate(rows=Count("entries"))
        return Response({"results": [_summary(board) for board in found]}, headers={"Cache-Control": CACHE})


def _summary(board: Any) -> dict[str, Any]:
    task_set = board.task_set
    place = {"slug": task_set.slug, "version": task_set.version}
    return {
        **place,
        "title": task_set.title,
        "protocol": task_set.protocol,
        "state": task_set.state,
        "board": _ref(board),
        "entries": board.rows,
        "url": reverse("boards_api:board", kwargs=place),
        "page": reverse("boards:board", kwargs=place),
    }


def _ref(board: Board) -> dict[str, Any]:
    return {
        "id": board.public_id,
        "number": board.number,
        "published_at": stamp(board.published_at),
    }


class BoardView(BoardReading):
    """One board."""

    renderer_classes = [JSONRenderer, BoardCsvRenderer]

    @extend_schema(
        operation_id="leaderboard",
        responses={
            (200, "application/json"): BoardOut,
            (200, "text/csv"): OpenApiTypes.STR,
            304: OpenApiResponse(description="The board is still the one with this ETag."),
        },
        tags=["leaderboards"],
        parameters=[_NOT_MODIFIED],
    )
    def get(self, request: Request, slug: str, version: str) -> HttpResponseBase:
        """The numbers, rounding and order of the page; ``?format=csv`` gives them as a sheet."""
        key = reading.board_key(slug, version)
        if key is None:
            raise Http404
        return self.cached(request, key, lambda: reading.document(key))


class EntryView(BoardReading):
    """One entry."""

    @extend_schema(operation_id="entry", responses=EntryOut, tags=["leaderboards"])
    def get(self, request: Request, entry: str) -> HttpResponseBase:
        """A row of a board that stands or once stood."""
        found = reading.entry(entry)
        shown = found.board.document
        body = {name: shown[name] for name in ("board", "task_set", "method", "columns")}
        superseded = found.board.superseded_at
        body["superseded_at"] = stamp(superseded) if superseded else None
        body["row"] = reading.shown_row(found)
        return Response(body, headers={"Cache-Control": CACHE})
