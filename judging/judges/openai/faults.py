"""Everything that can go wrong with one request, and what each kind is answered with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

__all__ = ["UNAVAILABLE", "Fault", "error_of", "fault_of_status", "is_transient", "message_of"]


class Fault(StrEnum):
    """Code of one attempt, and of the reply if that was the last. ``NONE`` is a usable answer."""

    NONE = ""
    # Transient: asked again within the limits, then our error.
    RATE_LIMITED = "rate_limited"
    SERVER = "server_error"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    BAD_BODY = "bad_body"  # a 200 that is not a chat completion: a proxy's page, a cut body
    # Terminal for every call: the run pauses.
    QUOTA = "quota"
    AUTH = "auth"
    NO_SUCH_MODEL = "no_such_model"
    WRONG_MODEL = "wrong_model"
    BAD_REQUEST = "bad_request"
    # Terminal for this check alone.
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNPARSABLE = "unparsable"
    NOT_FINITE = "not_finite"
    SCHEMA_MISMATCH = "schema_mismatch"
    QUOTE_MISMATCH = "quote_mismatch"
    # A parameter this endpoint does not take: asked once more without it.
    UNSUPPORTED = "unsupported"


_TRANSIENT = frozenset({Fault.RATE_LIMITED, Fault.SERVER, Fault.CONNECTION, Fault.TIMEOUT, Fault.BAD_BODY})

# The closed list of reasons for which a run pauses.
UNAVAILABLE = frozenset(
    {Fault.QUOTA, Fault.AUTH, Fault.NO_SUCH_MODEL, Fault.WRONG_MODEL, Fault.BAD_REQUEST},
)

# Gemini's per-minute limit also says "you exceeded your current quota": only codes tell the two apart.
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "account_deactivated"}
)
_FILTER_CODES = frozenset(
    {"content_filter", "content_policy_violation", "invalid_prompt", "responsibleaipolicyviolation"}
)
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:context|prompt|input)|(?:prompt|input) (?:is )?too long"
    r"|too many (?:input )?tokens|exceeds? the (?:available )?context",
    re.IGNORECASE,
)
# A model without eyes: routers find no endpoint for it (404), llama.cpp says so in a 500.
_NO_PICTURES = re.compile(
    r"(?:image|vision|multi-?modal)\b[^.]{0,40}\bnot supported|(?:not|that) support (?:image|vision|multi-?modal)",
    re.IGNORECASE,
)
_BY_STATUS = {
    401: Fault.AUTH,
    402: Fault.QUOTA,
    403: Fault.AUTH,
    404: Fault.NO_SUCH_MODEL,
    408: Fault.TIMEOUT,
    409: Fault.SERVER,
    413: Fault.CONTEXT_LENGTH,
    425: Fault.SERVER,
}


def is_transient(fault: Fault) -> bool:
    """Whether the same request may work in a moment."""
    return fault in _TRANSIENT


def fault_of_status(status: int, body: Any) -> Fault:
    """The class of an HTTP status ≥ 400 with its body. A 400 that names a parameter is still BAD_REQUEST."""
    codes = _codes(body)
    if codes & _QUOTA_CODES:
        return Fault.QUOTA
    if status in (404, 415, 500, 501) and _NO_PICTURES.search(message_of(body)):
        return Fault.BAD_REQUEST
    if status == 429:
        return Fault.RATE_LIMITED
    if status >= 500:
        return Fault.SERVER
    if status in (400, 422):
        return _of_bad_request(codes, body)
    if status == 403 and (codes & _FILTER_CODES or _was_moderated(body)):
        return Fault.CONTENT_FILTER
    return _BY_STATUS.get(status, Fault.BAD_REQUEST)


def _of_bad_request(codes: frozenset[str], body: Any) -> Fault:
    if codes & _FILTER_CODES:
        return Fault.CONTENT_FILTER
    if "context_length_exceeded" in codes or _CONTEXT.search(message_of(body)):
        return Fault.CONTEXT_LENGTH
    return Fault.BAD_REQUEST


def _was_moderated(body: Any) -> bool:
    """Routers refuse a flagged prompt with 403 and say what was flagged; a refused key has nothing to say there."""
    metadata = error_of(body).get("metadata")
    return isinstance(metadata, Mapping) and bool(metadata.keys() & {"flagged_input", "reasons"})


def error_of(body: Any) -> Mapping[str, Any]:
    """The error object of a body; some gateways leave out the envelope, some send a list."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return {"message": body if isinstance(body, str) else ""}
    inner = body.get("error", body)
    return inner if isinstance(inner, Mapping) else {"message": str(inner)}


def message_of(body: Any) -> str:
    """The error's text with the name of the parameter, for matching and for the attempt's detail."""
    error = error_of(body)
    message = error.get("message", error.get("detail", ""))
    text = message if isinstance(message, str) else json.dumps(message)
    param = error.get("param")
    return f"{param}: {text}" if isinstance(param, str) and param else text


def _codes(body: Any) -> frozenset[str]:
    error = error_of(body)
    inner = error.get("innererror")
    found = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, Mapping) else None]
    return frozenset(code.lower() for code in found if isinstance(code, str))
