"""What every request passes through before anything of ours sees it."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import structlog
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse


class RequestIdMiddleware:
    """Give every request a random id of ours; it is in the answer, in every log line and in every problem.

    A client's own ``X-Request-Id`` is not trusted: it would let a stranger write into our logs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = secrets.token_hex(8)
        request.request_id = request_id  # type: ignore[attr-defined]  # HttpRequest is open by design
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response


class NulMiddleware:
    """Turn requests away that name something with a NUL in it: PostgreSQL holds no such text and refuses to look.

    In the path that is an address where nothing is (404); in the query or in a cookie, a request that cannot be
    understood (400). Bodies are read by fields that refuse it themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info:
            raise Http404
        # What the views will read, not the raw query: a charset of the client's decides what the bytes mean.
        named = [text for name, values in request.GET.lists() for text in (name, *values)]
        if any("\0" in text for text in (*named, *request.COOKIES.values())):
            raise BadRequest("NUL")
        return self.get_response(request)
