"""What every request passes through before anything of ours sees it."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse


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
