"""One shape for everything the API refuses: RFC 9457 ``application/problem+json``.

The codes are :data:`submissions.problems.CODES`. Attacker text in a pointer or detail is made printable first.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.template.loader import render_to_string
from django.views import defaults
from rest_framework import exceptions

from evalservice.preparation import NO_FILES, Missing, missing_for
from submissions.problems import CODES, ErrorItem, FirstFaults, Refusal

log = structlog.get_logger(__name__)

CONTENT_TYPE = "application/problem+json"
API_PREFIX = "/api/"
# DRF's own codes by our names; whatever else a validator says is an invalid field.
_DRF_CODES = {
    "authentication_failed": "key_unknown",
    "error": "internal_error",
    "invalid": "request_invalid",
    "method_not_allowed": "method_not_allowed",
    "not_acceptable": "not_acceptable",
    "not_authenticated": "not_authenticated",
    "not_found": "not_found",
    "parse_error": "bad_request",
    "permission_denied": "permission_denied",
    "throttled": "rate_limited",
    "unsupported_media_type": "unsupported_media_type",
}
_FIELD_CODES = {"required": "field_required", "field_unknown": "field_unknown"}


NOT_READY_SECONDS = "60"  # until a client may ask again
MAX_TEXT = 500  # characters of a pointer or a detail; what is longer quotes the request at length


def _shown(text: str) -> str:
    """``text`` cut to size, without lone surrogates and control characters, which not every reader survives."""
    text = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _listed(errors: Iterable[ErrorItem], more: int) -> list[ErrorItem]:
    """As many errors as a problem lists, with an entry for the rest."""
    first = FirstFaults(errors, more=more)
    rest = [ErrorItem("", "more_faults", f"And {first.more} more.")] if first.more else []
    return first.kept + rest


def problem(
    request: HttpRequest,
    code: str,
    *,
    detail: str = "",
    errors: Iterable[ErrorItem] = (),
    more: int = 0,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """A refusal as a response; without ``errors`` the code itself is the only entry.

    :param more: faults beyond ``errors`` that were only counted.
    """
    known = CODES[code]
    items = _listed(errors, more) or [ErrorItem("", code, detail or known.meaning)]
    body = {
        "type": f"urn:evalservice:problem:{code}",
        "title": known.title,
        "status": known.status,
        "detail": _shown(detail or known.meaning),
        "instance": getattr(request, "request_id", ""),
        "errors": [
            {"pointer": _shown(i.pointer), "code": str(i.code), "detail": _shown(i.detail)} for i in items
        ],
        **(extra or {}),
    }
    content = json.dumps(body, ensure_ascii=False).encode()
    return HttpResponse(content, content_type=CONTENT_TYPE, status=known.status, headers=dict(headers or {}))


def _pointer(path: tuple[str, ...]) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def _field_errors(detail: Any, path: tuple[str, ...] = ()) -> Iterator[ErrorItem]:
    """DRF's nested lists and dicts as a flat list; ``non_field_errors`` belong to the object around them."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _field_errors(inner, path if name == "non_field_errors" else (*path, str(name)))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _field_errors(inner, path)
    else:
        code = _FIELD_CODES.get(getattr(detail, "code", ""), "field_invalid")
        yield ErrorItem(_pointer(path), code, str(detail))


def _headers(exc: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if (wait := getattr(exc, "wait", None)) is not None:
        headers["Retry-After"] = str(max(1, math.ceil(wait)))
    return headers


def _code(exc: exceptions.APIException) -> str:
    code = str(getattr(exc.detail, "code", exc.default_code))
    return code if code in CODES else _DRF_CODES.get(code, "bad_request")


def _drf_problem(request: HttpRequest, exc: exceptions.APIException) -> HttpResponse:
    if isinstance(exc, exceptions.ValidationError):
        return problem(request, "request_invalid", errors=_field_errors(exc.detail))
    code = _code(exc)
    # A constant sentence for what is not there: "unlisted" and "absent" must not differ by a byte.
    detail = "" if code == "not_found" else str(exc.detail)
    extra = {"remaining": 0} if code == "rate_limited" else None
    return problem(request, code, detail=detail, headers=_headers(exc), extra=extra)


def problem_handler(exc: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """DRF's ``EXCEPTION_HANDLER``. None lets Django log the exception and call :func:`server_error`."""
    request: HttpRequest = context["request"]._request
    match exc:
        case Refusal():
            return problem(request, exc.code, detail=exc.detail, errors=exc.errors, more=exc.more)
        case exceptions.APIException():
            return _drf_problem(request, exc)
        case Http404():
            return problem(request, "not_found")
        case PermissionDenied():
            return problem(request, "permission_denied")
        case RequestDataTooBig():
            return problem(request, "body_too_large", detail=str(exc))
        case SuspiciousOperation() | UnreadablePostError():
            return problem(request, "bad_request")
    return None


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIX)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler400``."""
    if not _is_api(request):
        return defaults.bad_request(request, exception)
    code = "body_too_large" if isinstance(exception, RequestDataTooBig) else "bad_request"
    return problem(request, code)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler403``."""
    if _is_api(request):
        return problem(request, "permission_denied")
    return defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler404``."""
    return problem(request, "not_found") if _is_api(request) else defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """``handler500``: our fault, or the operator's who has not prepared everything; that is a 503 and says what."""
    if missing := missing_for(sys.exception()):
        return _not_ready(request, missing)
    return problem(request, "internal_error") if _is_api(request) else defaults.server_error(request)


def _not_ready(request: HttpRequest, missing: Sequence[Missing]) -> HttpResponse:
    log.error("not_ready", missing=[one.status for one in missing])
    headers = {"Retry-After": NOT_READY_SECONDS, "Cache-Control": "no-store"}
    if _is_api(request):
        return problem(request, "not_ready", detail=" ".join(one.what for one in missing), headers=headers)
    # Without static files the page is a plain one: it can name no sheet.
    frame = "plain.html" if NO_FILES in missing else "base.html"
    page = render_to_string("503.html", {"frame": frame, "missing": missing})
    return HttpResponse(page, status=503, headers=headers)
