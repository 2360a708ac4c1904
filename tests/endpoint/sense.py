"""Sensible replies without a model, so that a whole run through the endpoint earns its order.

The offline judge decides; here its findings are put into the words and the form the prompt asks for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, cast

from judging.cascade import Finding
from judging.judges.base import ClaimsRequest, ExtractRequest, Passage, VerifyReply, VerifyRequest
from judging.judges.lexical import LexicalJudge
from tests.endpoint.parts import Check, Parts

__all__ = ["Brain", "Sense"]

# From a prompt's parts to the object of the reply.
Brain = Callable[[Parts], Awaitable[Mapping[str, Any]]]

_CLAIM_WORDS = {
    Finding.SUPPORTED: "supported",
    Finding.REFUTED: "refuted",
    Finding.UNDECIDED: "undecided",
    Finding.NOT_ASSESSED: "cannot_judge",
}
_CRITERION_WORDS = {
    Finding.SUPPORTED: "met",
    Finding.REFUTED: "not_met",
    Finding.UNDECIDED: "not_met",
    Finding.NOT_ASSESSED: "cannot_judge",
}


class Sense:
    """The offline judge behind a prompt."""

    def __init__(self) -> None:
        self._judge = LexicalJudge()

    async def __call__(self, parts: Parts) -> Mapping[str, Any]:
        """The object of the reply."""
        if parts.checks:
            return {"verdicts": [await self._verdict(check, parts) for check in parts.checks]}
        if "subtask" in parts.texts:
            return {"claims": await self._claims(parts)}
        return {"data": await self._data(parts)}

    async def _verdict(self, check: Check, parts: Parts) -> dict[str, Any]:
        request = VerifyRequest(
            check=check.id,
            kind=cast(Literal["claim", "criterion", "rationality"], check.kind),
            statement=check.statement,
            task=parts.texts["task"],
            answer=parts.texts.get("answer"),
            page=_passage(parts),
            additional=check.additional,
        )
        worded = _worded(request, await self._judge.verify(request))
        return {"seen_in": "text", **worded} if parts.asks("seen_in") else worded

    async def _claims(self, parts: Parts) -> list[dict[str, Any]]:
        texts = parts.texts
        found = await self._judge.claims(
            ClaimsRequest(texts["subtask"], texts["task"], texts["answer"], parts.limit)
        )
        return [{"text": claim.text, "urls": list(claim.urls)} for claim in found.claims]

    async def _data(self, parts: Parts) -> Any:
        name, _, instruction = parts.texts["instruction"].partition(": ")
        request = ExtractRequest(
            name=name,
            instruction=instruction,
            schema=parts.schema["properties"]["data"],
            task=parts.texts["task"],
            answer=parts.texts.get("answer", ""),
            page=_passage(parts),
        )
        return (await self._judge.extract(request)).data


def _passage(parts: Parts) -> Passage | None:
    if parts.page is None:
        return None
    url, title, text = parts.page
    return Passage(hashlib.sha256(text.encode()).hexdigest(), url, title, text, ((0, len(text)),))


def _worded(request: VerifyRequest, reply: VerifyReply) -> dict[str, Any]:
    words = _CLAIM_WORDS if request.kind == "claim" else _CRITERION_WORDS
    verdict: dict[str, Any] = {"id": request.check, "reason": reply.reason, "quote": reply.quote}
    if reply.relevance is not None:
        verdict["relevance"] = reply.relevance
    if reply.answer_state is not None:
        verdict["answer_state"] = reply.answer_state
    word = words[reply.finding]
    if word == "refuted" and request.page is not None and not reply.quote:
        word = "undecided"  # what the instructions say of a claim that no passage of the page decides
    return verdict | {"verdict": word}
