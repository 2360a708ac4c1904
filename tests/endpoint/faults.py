"""Every fault by name: errors with their status, replies that are bent, and ways not to answer at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.endpoint.script import Script

__all__ = ["BENT", "ERRORS", "FAULTS", "MANNERS", "SHAPES", "Response", "completion", "error", "refusal_of"]


@dataclass(frozen=True, slots=True)
class Response:
    """``manner``: ``""`` sent at once, ``hang``, ``drip``, ``cut`` in the middle of the body."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: str = ""


def error(
    status: int, message: str, *, code: str | None = None, param: str | None = None, **headers: str
) -> Response:
    """An error in OpenAI's form."""
    inner = {"message": message, "type": "error", "param": param, "code": code}
    return Response(status, json.dumps({"error": inner}).encode(), headers)


def _quota(_: Script) -> Response:
    return error(429, "You exceeded your current quota, please check your plan.", code="insufficient_quota")


ERRORS: dict[str, Callable[[Script], Response]] = {
    "rate_limit": lambda _: error(429, "Rate limit reached.", code="rate_limit_exceeded"),
    "rate_limit_after": lambda script: error(
        429, "Rate limit reached.", code="rate_limit_exceeded", **{"Retry-After": script.retry_after}
    ),
    "rate_limit_after_date": lambda _: error(
        429,
        "Slow down.",
        **{"Retry-After": "Tue, 05 May 2026 10:00:01 GMT", "Date": "Tue, 05 May 2026 10:00:00 GMT"},
    ),
    "rate_limit_after_ms": lambda _: error(429, "Slow down.", **{"retry-after-ms": "10"}),
    "insufficient_quota": _quota,
    "payment_required": lambda _: error(402, "Insufficient credits."),
    "server_error": lambda _: error(500, "The server had an error."),
    "bad_gateway": lambda _: Response(502, b"<html>502 Bad Gateway</html>", {"Content-Type": "text/html"}),
    "overloaded": lambda _: error(503, "Overloaded."),
    "auth": lambda script: error(
        401, f"Incorrect API key provided: {script.api_key or 'secret'}.", code="invalid_api_key"
    ),
    "forbidden": lambda _: error(403, "Not allowed."),
    "no_model": lambda _: error(404, "The model does not exist.", code="model_not_found"),
    "bad_request": lambda _: error(400, "Something is wrong with your request."),
    "context_length": lambda _: error(
        400,
        "This model's maximum context length is 8192 tokens.",
        code="context_length_exceeded",
        param="messages",
    ),
    "filter_400": lambda _: error(400, "The prompt triggered a content policy.", code="content_filter"),
    "html": lambda _: Response(200, b"<html>Please log in</html>", {"Content-Type": "text/html"}),
    "not_a_completion": lambda _: Response(200, b'{"object": "list", "data": []}'),
    "quota_in_200": lambda _: Response(
        200, b'{"error": {"code": "insufficient_quota", "message": "No credit"}}'
    ),
    "error_in_200": lambda _: Response(
        200, b'{"error": {"code": 502, "message": "Provider returned error"}}'
    ),
}

# Pictures, refused in the words of OpenAI, vLLM, DeepSeek, a router, llama.cpp; and what is wrong with one picture.
BLIND: dict[str, Response] = {
    "openai": error(
        400, "Invalid content type. image_url is only supported by certain models.", code="invalid_value"
    ),
    "vllm": error(400, "small-1 is not a multimodal model"),
    "vllm_0": error(400, "At most 0 image(s) may be provided in one prompt."),
    "deepseek": error(422, "messages[1]: unknown variant `image_url`, expected `text` at line 1"),
    "router": error(404, "No endpoints found that support image input"),
    "llama": error(500, "image input is not supported - hint: you may need to provide the mmproj"),
    "large": error(400, "The image exceeds the maximum of 20 MB."),
    "length": error(413, "Payload too large."),
    "invalid": error(400, "Invalid image data", code="invalid_value"),
    "unread": error(400, "Could not process image"),
    "unsafe": error(400, "Your image was rejected by our safety system.", code="image_rejected"),
}

# Sent, but not as one would wish.
MANNERS = frozenset({"hang", "drip", "cut", "close"})


def refusal_of(body: Mapping[str, Any], script: Script) -> Response | None:
    """The 400 for a parameter this endpoint does not take, in the words endpoints use."""
    if script.images != "seen" and "image_url" in json.dumps(body["messages"]):
        return BLIND[script.images]
    named = [*body, body.get("response_format", {}).get("type", "")]
    for name in script.refuses:
        if name in named:
            return _refused(name)
    cap = body.get("max_tokens", body.get("max_completion_tokens", 0))
    if script.max_cap and cap > script.max_cap:
        return error(
            400,
            f"max_tokens is too large: {cap}. At most {script.max_cap} are supported.",
            param="max_tokens",
        )
    if script.context_chars and len(json.dumps(body["messages"])) > script.context_chars:
        return ERRORS["context_length"](script)
    return None


def _refused(name: str) -> Response:
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}.get(name, "")
    advice = f" Use '{other}' instead." if other else ""
    message = f"Unsupported parameter: '{name}' is not supported with this model.{advice}"
    param = "response_format" if name.startswith("json_") else name
    return error(400, message, code="unsupported_parameter", param=param)


def completion(content: str | None, *, model: str, prompt_chars: int, **changes: Any) -> dict[str, Any]:
    """A chat completion. ``finish`` and ``refusal`` may be given."""
    message = {"role": "assistant", "content": content, "refusal": changes.get("refusal")}
    tokens = {"prompt_tokens": prompt_chars // 4 + 1, "completion_tokens": len(content or "") // 4 + 1}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": changes.get("finish", "stop")}],
        "usage": tokens
        | {
            "total_tokens": sum(tokens.values()),
            "prompt_tokens_details": {"cached_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }


def _edited(edit: Callable[[list[dict[str, Any]]], Any]) -> Callable[[str], str]:
    """Change the list of verdicts (or claims) of a reply."""

    def change(content: str) -> str:
        data = json.loads(content)
        name = next(iter(data))
        return json.dumps({name: edit(data[name])})

    return change


def _emptied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _emptied(item) for key, item in value.items()}
    return [] if isinstance(value, list) else "" if isinstance(value, str) else None


# Content in, content out.
BENT: dict[str, Callable[[str], str]] = {
    "fenced": lambda content: f"```json\n{content}\n```",
    "fenced_in_prose": lambda content: f"Here is my reply:\n\n```json\n{content}\n```\nI hope this helps.",
    "prose": lambda content: f"Sure! {content} That is all.",
    "think": lambda content: f'<think>Perhaps {{"verdicts": []}}?</think>\n{content}',
    "think_fenced": lambda content: f"<think>Hm.</think>```json\n{content}\n```",
    "think_unclosed": lambda content: f"<think>Perhaps {content}",
    "bad_json": lambda content: content[:-1],
    "garbage": lambda _: "I am a teapot.",
    "two_objects": lambda content: f"{content}\n{content}",
    "array": lambda content: f"[{content}]",
    "nan": lambda content: content[:-1] + ', "score": NaN}',
    "infinity": lambda content: content[:-1] + ', "score": -Infinity}',
    "huge": lambda content: content[:-1] + ', "score": 1e999}',
    "no_list": lambda _: '{"verdict": "supported"}',
    "missing_ids": _edited(lambda verdicts: verdicts[: len(verdicts) * 7 // 10]),
    "double_id": _edited(lambda verdicts: [*verdicts, verdicts[0]]),
    "wrong_ids": _edited(lambda verdicts: [{**verdict, "id": "zzz"} for verdict in verdicts]),
    "extra_id": _edited(lambda verdicts: [*verdicts, {**verdicts[0], "id": "zzz"}]),
    "empty_verdict": _edited(lambda verdicts: [{**verdict, "verdict": ""} for verdict in verdicts]),
    "wrong_quote": _edited(
        lambda verdicts: [{**v, "verdict": "supported", "quote": "made up 1"} for v in verdicts]
    ),
    "broken_text": lambda content: f"\ud800 \x00 {content}",
    "broken_quote": lambda content: "\ud800 \x00 " + BENT["wrong_quote"](content),
    "surrogate": _edited(lambda verdicts: [{**verdict, "reason": "a\ud800b\x00c"} for verdict in verdicts]),
    "emptied": lambda content: json.dumps(_emptied(json.loads(content))),
    "rubric_leak": _edited(lambda verdicts: [{**verdict, "reason": "RUBRIC " * 50} for verdict in verdicts]),
}

# Changes of the completion around the content.
SHAPES: dict[str, dict[str, Any]] = {
    "length": {"finish": "length", "keep": 0.5},
    "length_empty": {"finish": "length", "keep": 0.0},
    "refusal": {"refusal": "I cannot help with that.", "keep": None},
    "content_filter": {"finish": "content_filter", "keep": 0.0},
    "empty": {"keep": 0.0},
    "null": {"keep": None},
    "other_model": {"model": "somebody-else-7b"},
    "unnamed_model": {"model": ""},
}

FAULTS = frozenset({*ERRORS, *MANNERS, *BENT, *SHAPES})
