"""Every request has an id of ours."""

from __future__ import annotations

import re

import structlog
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from evalservice.middleware import RequestIdMiddleware


def answer(seen: list[str], request: HttpRequest) -> HttpResponse:
    """What the middleware answers; ``seen`` gets the id as the log and the view see it."""

    def view(inner: HttpRequest) -> HttpResponse:
        seen.extend([structlog.contextvars.get_contextvars()["request_id"], inner.request_id])  # type: ignore[attr-defined]  # as the middleware sets it
        return HttpResponse()

    return RequestIdMiddleware(view)(request)


def test_answer_log_and_view_know_the_same_id() -> None:
    seen: list[str] = []
    response = answer(seen, RequestFactory().get("/"))
    assert re.fullmatch("[0-9a-f]{16}", response["X-Request-Id"])
    assert seen == [response["X-Request-Id"]] * 2


def test_no_two_requests_share_an_id_and_a_client_cannot_choose_it() -> None:
    request = RequestFactory().get("/", headers={"X-Request-Id": "mine"})
    ids = {answer([], request)["X-Request-Id"] for _ in range(2)}
    assert len(ids) == 2
    assert "mine" not in ids


def test_the_id_ends_with_the_request() -> None:
    answer([], RequestFactory().get("/"))
    assert "request_id" not in structlog.contextvars.get_contextvars()
