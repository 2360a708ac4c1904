"""Prompts put together from requests: stable parts first, so that a provider's prompt cache can hit."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judging.judges.base import ClaimsRequest, ExtractRequest, Passage, Picture, VerifyRequest
from judging.prompts import schemas, templates
from judging.prompts.fences import fence
from judging.prompts.templates import SCHEMA_NOTE, Template

__all__ = ["Message", "Prompt", "claims_prompt", "extract_prompt", "verify_prompt"]

Message = dict[str, Any]  # role and content: a text, or a list of parts where there is a picture


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, whatever the endpoint can do. ``ids`` stand for the checks asked, in their order."""

    template: Template
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    strict: bool = True
    ids: tuple[str, ...] = ()
    snapshots: tuple[str, ...] = ()

    @property
    def shows_picture(self) -> bool:
        """Whether a picture goes with it."""
        return self.template is templates.CLAIM_BY_PICTURE

    def with_schema(self) -> Prompt:
        """The same prompt for an endpoint that takes no schema: it stands in the instructions."""
        system = self.messages[0]
        text = "\n".join((system["content"], "", SCHEMA_NOTE, _compact(self.schema)))
        return replace(self, messages=({**system, "content": text}, *self.messages[1:]))

    def again(self, reply: str) -> Prompt:
        """The same question with the unusable reply and what was wrong with it."""
        said = {"role": "assistant", "content": reply}
        wrong = {"role": "user", "content": self.template.again}
        return replace(self, messages=(*self.messages, said, wrong))


def verify_prompt(requests: Sequence[VerifyRequest], *, key: bytes, detail: str = "auto") -> Prompt:
    """One prompt for checks that share page, task, answer and kind. A picture stands behind the text of its page.

    :param detail: in which a picture is to be looked at: ``auto``, ``low`` or ``high``.

    The ids shown to the model are derived from the checks' content: they tell nothing of the author's ids,
    and the same question is the same prompt whoever asks.

    :raises ValueError: no requests, or requests that share too little.
    """
    if len({(r.page, r.task, r.answer, r.kind, r.sample) for r in requests}) != 1:
        raise ValueError("checks asked together must share page, task, answer, kind and sample")
    first = requests[0]
    template = _verify_template(first)
    ids = tuple(_check_id(request, place, key) for place, request in enumerate(requests))
    checks = [_check(request, ident, key) for request, ident in zip(requests, ids, strict=True)]
    context = _context(first, key)
    messages = _messages(template, [*context, *checks])
    picture = first.page.picture if first.page else None
    return Prompt(
        template=template,
        messages=_with_picture(messages, context[0], picture, detail) if picture else messages,
        schema=schemas.verdict_schema(
            ids,
            tuple(template.words),
            page=first.page is not None,
            answer=_asks_answer(first),
            picture=picture is not None,
        ),
        ids=ids,
        snapshots=_snapshots(first.page),
    )


def extract_prompt(request: ExtractRequest, *, key: bytes) -> Prompt:
    """Structured data out of the answer or out of one page."""
    schema, strict = schemas.extract_schema(request.schema)
    text = [] if request.page else [fence("answer", request.answer, key=key)]
    parts = [
        *([_page(request.page, key)] if request.page else []),
        fence("task", request.task, key=key),
        *text,
        fence("instruction", f"{request.name}: {request.instruction}", key=key),
    ]
    return Prompt(
        template=templates.EXTRACT,
        messages=_messages(templates.EXTRACT, parts),
        schema=schema,
        strict=strict,
        snapshots=_snapshots(request.page),
    )


def claims_prompt(request: ClaimsRequest, *, key: bytes) -> Prompt:
    """The claims of one subtask."""
    parts = [
        fence("task", request.task, key=key),
        fence("answer", request.answer, key=key),
        fence("subtask", request.subtask, key=key),
        f"List at most {request.limit} claims.",
    ]
    return Prompt(
        template=templates.CLAIMS,
        messages=_messages(templates.CLAIMS, parts),
        schema=schemas.claims_schema(),
    )


def _verify_template(request: VerifyRequest) -> Template:
    if request.kind == "criterion":
        return templates.CRITERION
    if request.kind == "rationality":
        return templates.RATIONALITY
    if request.page is None:
        return templates.CLAIM_BY_TASK
    return templates.CLAIM_BY_PICTURE if request.page.picture else templates.CLAIM_BY_PAGE


def _asks_answer(request: VerifyRequest) -> bool:
    return request.page is None and request.answer is not None


def _context(request: VerifyRequest, key: bytes) -> list[str]:
    """Page, task, answer: what many checks share comes before what only this one asks."""
    parts = [_page(request.page, key)] if request.page else []
    parts.append(fence("task", request.task, key=key))
    if request.answer is not None:
        parts.append(fence("answer", request.answer, key=key))
    return parts


def _check(request: VerifyRequest, ident: str, key: bytes) -> str:
    parts = [f"Check id: {ident}", fence(request.kind, request.statement, key=key)]
    if request.additional:
        parts.append(fence("additional", request.additional, key=key))
    return "\n".join(parts)


def _check_id(request: VerifyRequest, place: int, key: bytes) -> str:
    content = _compact([request.kind, request.statement, request.additional, place])
    return "c" + hmac.new(key, content.encode(), hashlib.sha256).hexdigest()[:10]


def _page(page: Passage, key: bytes) -> str:
    """URL and title are their author's words too: they stand inside the fence."""
    return fence("page", f"URL: {page.url}\nTitle: {page.title}\n\n{page.text}", key=key)


def _snapshots(page: Passage | None) -> tuple[str, ...]:
    if page is None:
        return ()
    shown = [page.picture.sha256] if page.picture else []
    return (_compact([page.snapshot, page.ranges, *shown]),)


def _messages(template: Template, parts: Sequence[str]) -> tuple[Message, ...]:
    return (
        {"role": "system", "content": template.system},
        {"role": "user", "content": "\n\n".join(parts)},
    )


def _with_picture(
    messages: tuple[Message, ...], page: str, picture: Picture, detail: str
) -> tuple[Message, ...]:
    """The same question in parts: the page's text, its picture, and all the rest."""
    system, question = messages
    data = base64.b64encode(picture.data).decode()
    image = {"url": f"data:{picture.media_type};base64,{data}", "detail": detail}
    parts = [
        {"type": "text", "text": page},
        {"type": "image_url", "image_url": image},
        {"type": "text", "text": question["content"].removeprefix(page).lstrip("\n")},
    ]
    return system, {**question, "content": parts}


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
