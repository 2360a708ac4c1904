"""Exceptions and error pages become problems under /api/, and stay Django's pages elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse, UnreadablePostError
from django.test import RequestFactory
from rest_framework import exceptions
from rest_framework.request import Request

from evalservice import api
from submissions.problems import CODES


def code_of(response: HttpResponse | None) -> str:
    """The code of a problem."""
    assert response is not None
    body = json.loads(response.content)
    assert response.status_code == body["status"]
    return str(body["type"]).rpartition(":")[2]


class _Odd(exceptions.APIException):
    """An exception nobody planned for."""

    default_code = "odd"


@pytest.mark.parametrize(
    ("exc", "code"),
    [
        (Http404(), "not_found"),
        (PermissionDenied(), "permission_denied"),
        (RequestDataTooBig("too big"), "body_too_large"),
        (SuspiciousOperation(), "bad_request"),
        (UnreadablePostError(), "bad_request"),
        (exceptions.ParseError(), "bad_request"),
        (exceptions.ParseError(code="json_malformed"), "json_malformed"),
        (exceptions.NotAuthenticated(), "not_authenticated"),
        (exceptions.AuthenticationFailed(), "key_unknown"),
        (exceptions.Throttled(0.2), "rate_limited"),
        (exceptions.APIException(), "internal_error"),
        (_Odd(), "bad_request"),
    ],
)
def test_every_exception_of_a_request_has_a_code(exc: Exception, code: str) -> None:
    context = {"request": Request(RequestFactory().get("/api/v1/me"))}
    assert code_of(api.problem_handler(exc, context)) == code


def test_what_nobody_foresaw_is_left_to_django_which_logs_it() -> None:
    context = {"request": Request(RequestFactory().get("/api/v1/me"))}
    assert api.problem_handler(ValueError("ours"), context) is None


@pytest.mark.parametrize(("wait", "seconds"), [(0.2, "1"), (59.1, "60"), (None, None)])
def test_retry_after_is_in_whole_seconds_rounded_up(wait: float | None, seconds: str | None) -> None:
    context = {"request": Request(RequestFactory().get("/api/v1/me"))}
    response = api.problem_handler(exceptions.Throttled(wait), context)
    assert response is not None
    assert response.headers.get("Retry-After") == seconds


HANDLERS: list[tuple[Any, tuple[Exception, ...], str]] = [
    (api.bad_request, (SuspiciousOperation(),), "bad_request"),
    (api.bad_request, (RequestDataTooBig(),), "body_too_large"),
    (api.permission_denied, (PermissionDenied(),), "permission_denied"),
    (api.not_found, (Http404(),), "not_found"),
    (api.server_error, (), "internal_error"),
]


@pytest.mark.parametrize(("handler", "args", "code"), HANDLERS)
def test_error_pages_are_problems_under_the_api_alone(
    handler: Any, args: tuple[Exception, ...], code: str
) -> None:
    assert code_of(handler(RequestFactory().get("/api/v1/x"), *args)) == code
    page = handler(RequestFactory().get("/apiary"), *args)
    assert page["Content-Type"].startswith("text/html")
    assert 400 <= page.status_code == (400 if code == "body_too_large" else CODES[code].status)


def test_nested_faults_have_nested_pointers() -> None:
    detail: Any = {"a": {"b/c": [exceptions.ErrorDetail("x", code="required")]}, "non_field_errors": ["y"]}
    context = {"request": Request(RequestFactory().post("/api/v1/x"))}
    response = api.problem_handler(exceptions.ValidationError(detail), context)
    assert response is not None
    errors = json.loads(response.content)["errors"]
    assert [(item["pointer"], item["code"]) for item in errors] == [
        ("/a/b~1c", "field_required"),
        ("", "field_invalid"),
    ]
