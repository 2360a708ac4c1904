"""Short ways of asking the offline judge in tests."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from judging.judges.base import (
    ClaimsRequest,
    ExtractedClaim,
    ExtractReply,
    ExtractRequest,
    Passage,
    VerifyReply,
    VerifyRequest,
)
from judging.judges.lexical import LexicalJudge

Kind = Literal["claim", "criterion", "rationality"]


def passage(text: str, title: str = "") -> Passage:
    return Passage("0" * 64, "https://page.example/", title, text, ((0, len(text)),))


def verify(
    statement: str,
    page: str | None = None,
    *,
    kind: Kind = "claim",
    title: str = "",
    answer: str | None = None,
    task: str = "",
    judge: LexicalJudge | None = None,
) -> VerifyReply:
    seen = None if page is None else passage(page, title)
    request = VerifyRequest("c1", kind, statement, task, answer, seen)
    return asyncio.run((judge or LexicalJudge()).verify(request))


def extract(
    answer: str, schema: dict[str, Any], *, page: str | None = None, name: str = "x", instruction: str = ""
) -> ExtractReply:
    seen = None if page is None else passage(page)
    return asyncio.run(LexicalJudge().extract(ExtractRequest(name, instruction, schema, "", answer, seen)))


def claims(answer: str, subtask: str = "", limit: int = 40) -> tuple[ExtractedClaim, ...]:
    return asyncio.run(LexicalJudge().claims(ClaimsRequest(subtask, "", answer, limit))).claims
