"""Statuses and error bodies, sorted into transient, terminal and content."""

from __future__ import annotations

from typing import Any

import pytest

from judging.judges.openai.faults import UNAVAILABLE, Fault, fault_of_status, is_transient, message_of


def error(message: str = "", **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (429, error("Rate limit", code="rate_limit_exceeded"), Fault.RATE_LIMITED),
        (429, error("Rate limit", code=429), Fault.RATE_LIMITED),
        (429, "", Fault.RATE_LIMITED),
        (429, error("You exceeded your current quota", code="insufficient_quota"), Fault.QUOTA),
        (429, error("No", type="insufficient_quota", code=None), Fault.QUOTA),
        (403, error("No", code="billing_not_active"), Fault.QUOTA),
        (402, error("Insufficient credits"), Fault.QUOTA),
        # Gemini words its per-minute limit like a quota: it is not one.
        (429, [error("You exceeded your current quota, retry in 23s", status="RESOURCE_EXHAUSTED")], Fault.RATE_LIMITED),
        (401, error("Incorrect API key", code="invalid_api_key"), Fault.AUTH),
        (403, "Forbidden", Fault.AUTH),
        (404, error("no such model"), Fault.NO_SUCH_MODEL),
        # A model that takes no pictures is there, and asked without them.
        (404, error("No endpoints found that support image input"), Fault.BAD_REQUEST),
        (500, error("image input is not supported - hint: mmproj"), Fault.BAD_REQUEST),
        (500, error("the image could not be fetched"), Fault.SERVER),
        (408, "", Fault.TIMEOUT),
        (409, "", Fault.SERVER),
        (413, "", Fault.CONTEXT_LENGTH),
        (425, "", Fault.SERVER),
        (500, "<html>", Fault.SERVER),
        (503, error("overloaded"), Fault.SERVER),
        (529, None, Fault.SERVER),
        (400, error("This model's maximum context length is 8192 tokens", code="context_length_exceeded"), Fault.CONTEXT_LENGTH),
        (400, error("'max_tokens' is too large: 9. This model's maximum context length is 8"), Fault.CONTEXT_LENGTH),
        (400, error("the request exceeds the available context size"), Fault.CONTEXT_LENGTH),
        (400, error("prompt is too long: 210000 tokens > 200000 maximum"), Fault.CONTEXT_LENGTH),
        (422, {"detail": "Input is too long"}, Fault.CONTEXT_LENGTH),
        (400, error("filtered", code="content_filter"), Fault.CONTENT_FILTER),
        (400, error("x", innererror={"code": "ResponsibleAIPolicyViolation"}), Fault.CONTENT_FILTER),
        (400, error("Invalid prompt: flagged", code="invalid_prompt"), Fault.CONTENT_FILTER),
        # A prompt that a router's moderation flagged: this check alone, and no key refused.
        (403, error("flagged", code=403, metadata={"reasons": ["violence"], "flagged_input": "x"}), Fault.CONTENT_FILTER),
        (403, error("flagged", code="content_filter"), Fault.CONTENT_FILTER),
        (403, error("flagged", metadata="?"), Fault.AUTH),
        (403, error("No", metadata={"provider": "x"}), Fault.AUTH),
        (400, error("x", innererror="?"), Fault.BAD_REQUEST),
        (400, error("Unsupported parameter: 'temperature'"), Fault.BAD_REQUEST),
        (422, {"detail": [{"loc": ["body", "seed"]}]}, Fault.BAD_REQUEST),
        (405, "", Fault.BAD_REQUEST),
        (418, None, Fault.BAD_REQUEST),
    ],
)  # fmt: skip
def test_each_status_has_its_class(status: int, body: Any, fault: Fault) -> None:
    assert fault_of_status(status, body) is fault


def test_no_fault_is_both_worth_a_retry_and_a_reason_to_pause() -> None:
    assert not [fault for fault in Fault if is_transient(fault) and fault in UNAVAILABLE]
    assert {fault for fault in Fault if is_transient(fault)} == {
        Fault.RATE_LIMITED, Fault.SERVER, Fault.CONNECTION, Fault.TIMEOUT, Fault.BAD_BODY,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (error("wrong", param="seed"), "seed: wrong"),
        (error("wrong", param=""), "wrong"),
        ({"message": "bare"}, "bare"),
        ({"error": "just text"}, "just text"),
        ({"detail": [{"loc": ["body", "seed"]}]}, '[{"loc": ["body", "seed"]}]'),
        ("text", "text"),
        ([error("first"), error("second")], "first"),
        ([], ""),
        (None, ""),
        ({}, ""),
    ],
)
def test_the_words_of_an_error_are_found_in_any_envelope(body: Any, message: str) -> None:
    assert message_of(body) == message
