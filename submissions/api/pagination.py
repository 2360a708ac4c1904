"""Lists by keyset: the order is stable under inserts, and a page costs the same wherever it lies.

The cursor holds the last row's public values only, never a row number.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

M = TypeVar("M", bound=Model)


class CursorInvalid(ParseError):
    """Not a cursor of this list."""

    default_code = "cursor_invalid"
    default_detail = "Use the next link of a list as it is."


class KeysetPagination(Generic[M]):
    """Pages by two columns, the second of which is unique among rows with the same first.

    ``?cursor=`` continues, ``?limit=`` (1 to 100) sets the page's size. A leading ``-`` sorts downwards.
    """

    keys: ClassVar[tuple[str, str]] = ("-created_at", "public_id")
    types: ClassVar[tuple[type, type]] = (dt.datetime, str)
    default_limit: ClassVar[int] = 50
    most: ClassVar[int] = 100

    def paginate_queryset(
        self, queryset: QuerySet[M], request: Request, view: APIView | None = None
    ) -> list[M]:
        """The page the request asks for.

        :raises CursorInvalid: the cursor was not made by this list.
        """
        self._request = request
        limit = self._limit(request.query_params.get("limit"))
        cursor = request.query_params.get("cursor")
        if cursor:
            queryset = queryset.filter(self._after(self._decode(cursor)))
        rows = list(queryset.order_by(*self.keys)[: limit + 1])
        self._next = self._encode(rows[limit - 1]) if len(rows) > limit else None
        return rows[:limit]

    def _limit(self, text: str | None) -> int:
        if not text or not text.isascii() or not text.isdigit():
            return self.default_limit
        return max(1, min(self.most, int(text[:9])))

    def _after(self, values: Sequence[Any]) -> Q:
        """``a <= x AND (a < x OR b > y)``: the first half lets an index be used."""
        (first, second), (value, tie) = self.keys, values
        falling, name = first.startswith("-"), first.lstrip("-")
        beyond = f"{name}__lt" if falling else f"{name}__gt"
        within = f"{beyond}e"
        return Q(**{within: value}) & (Q(**{beyond: value}) | Q(**{f"{second}__gt": tie}))

    def _encode(self, row: M) -> str:
        values = [self._plain(self._value(row, key.lstrip("-"))) for key in self.keys]
        return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")

    @staticmethod
    def _value(row: Any, path: str) -> Any:
        for name in path.split("__"):
            row = getattr(row, name)
        return row

    @staticmethod
    def _plain(value: Any) -> Any:
        return value.isoformat() if isinstance(value, dt.datetime) else value

    def _decode(self, cursor: str) -> list[Any]:
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
            first, second = values
            return [self._typed(first, self.types[0]), self._typed(second, self.types[1])]
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise CursorInvalid from error

    @staticmethod
    def _typed(value: Any, kind: type) -> Any:
        if kind is dt.datetime:
            return dt.datetime.fromisoformat(value).astimezone(dt.UTC)
        if type(value) is not kind:
            raise TypeError(kind)
        if isinstance(value, int) and abs(value) > 2**31:
            raise ValueError(value)
        if isinstance(value, str) and b"\0" in value.encode():  # encoding refuses lone surrogates
            raise ValueError(value)
        return value

    def get_paginated_response(self, data: Any) -> Response:
        """The page with the address of the next one, null on the last."""
        return Response({"next": self._next_link(), "results": data})

    def _next_link(self) -> str | None:
        if self._next is None:
            return None
        return replace_query_param(self._request.get_full_path(), "cursor", self._next)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """For the OpenAPI document."""
        link = {"type": ["string", "null"], "format": "uri-reference"}
        return {
            "type": "object",
            "required": ["next", "results"],
            "properties": {"next": link, "results": schema},
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """For the OpenAPI document."""
        cursor = {"name": "cursor", "in": "query", "schema": {"type": "string"}}
        limit = {
            "name": "limit",
            "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.default_limit},
        }
        return [cursor, limit]


class NewestFirst(KeysetPagination[M]):
    """By time of creation, the newest first."""


class ByName(KeysetPagination[M]):
    """By name, then public id."""

    keys = ("name", "public_id")
    types = (str, str)


class ByTaskAndRun(KeysetPagination[M]):
    """By the task's public id, which says nothing of the set's order, then run."""

    keys = ("task__public_id", "run")
    types = (str, int)
