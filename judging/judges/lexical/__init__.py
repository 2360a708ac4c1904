"""The offline judge: deterministic, without a model, a key or a network.

It compares words, numbers, dates, names and negations, and looks at no picture. It is a heuristic, says so in every reply, and a
board judged by it is not for publication. Text that asks to be believed has no effect: nothing here follows
an instruction, and a word counts once however often it is repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from judging.cascade import Finding
from judging.codes import VerdictCode
from judging.judges.base import (
    CallRecord,
    ClaimsReply,
    ClaimsRequest,
    ExtractOutcome,
    ExtractReply,
    ExtractRequest,
    Relevance,
    VerifyReply,
    VerifyRequest,
    one_by_one,
)
from judging.judges.lexical.claimcheck import against_answer, against_page
from judging.judges.lexical.claims import claims_of
from judging.judges.lexical.criteria import judge_criterion
from judging.judges.lexical.document import Reading, Readings, page_markdown
from judging.judges.lexical.equality import empty_value
from judging.judges.lexical.extraction import extract
from judging.judges.lexical.passages import IndexCache

__all__ = ["VERSION", "LexicalJudge"]

VERSION = "lexical/3"
"""Raised with every change that may decide otherwise: what was decided by another version is asked again."""

RECORD = CallRecord(judge="lexical", prompt_version=VERSION)


def _record(reading: Reading) -> CallRecord:
    return replace(RECORD, truncated=reading.truncated)


class LexicalJudge:
    """Implements :class:`judging.judges.base.Judge` by rule. It abstains on an empty page and nowhere else."""

    name = "lexical"
    offline = True

    def __init__(self) -> None:
        self._cache = IndexCache()
        self._readings = Readings()

    async def extract(self, request: ExtractRequest) -> ExtractReply:
        """Data by the schema's labels and patterns; nothing found is ``ok`` with empty data."""
        await asyncio.sleep(0)  # every call gives way once: no loop over checks may starve the event loop
        source = page_markdown(request.page.text) if request.page else request.answer
        reading = self._readings.get(source)
        data = extract(reading, request.schema, hint=f"{request.name} {request.instruction}")
        return ExtractReply(
            ExtractOutcome.OK, data, _record(reading), "heuristic: read by labels, lists and tables"
        )

    async def claims(self, request: ClaimsRequest) -> ClaimsReply:
        """Sentences about the subtask that hold a number, a date, a name or a citation."""
        await asyncio.sleep(0)
        reading = self._readings.get(request.answer)
        found = claims_of(reading, request.subtask, request.limit)
        return ClaimsReply(
            ExtractOutcome.OK, found, _record(reading), "heuristic: sentences with a checkable detail"
        )

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """One check, by word overlap, numbers, dates, names and negation."""
        await asyncio.sleep(0)
        if request.kind == "claim":
            return self._claim(request)
        return self._criterion(request)

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        """One check after the other: a group means nothing here."""
        return await one_by_one(self, requests)

    def votes(self, wanted: int) -> int:
        """One: the same question again gets the same answer."""
        return 1

    def set_share(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """Nothing: nobody is asked, so there is nothing to share."""

    async def aclose(self) -> None:
        """Forget what was read."""
        self._cache = IndexCache()
        self._readings = Readings()

    def _claim(self, request: VerifyRequest) -> VerifyReply:
        page = request.page
        record = replace(RECORD, picture="ignored") if page and page.picture else RECORD
        if page is not None and not page.text.strip():
            return VerifyReply(
                Finding.NOT_ASSESSED,
                record,
                VerdictCode.EMPTY_PAGE,
                "heuristic: the page has no text",
                relevance=Relevance.UNUSABLE,
            )
        if empty_value(request.statement):
            return VerifyReply(
                Finding.REFUTED, record, reason="heuristic: the claim speaks of an empty value"
            )
        if page is not None:
            decision = against_page(request.statement, page.text, page.title, self._cache)
        else:
            decision = against_answer(request.statement, request.answer or "", request.task, self._cache)
        return VerifyReply(
            decision.finding,
            record,
            reason=f"heuristic: {decision.reason}",
            quote=decision.quote,
            relevance=decision.relevance,
        )

    def _criterion(self, request: VerifyRequest) -> VerifyReply:
        answer = request.answer or ""
        decision = judge_criterion(
            request.statement,
            self._cache.get(answer),
            partial(self._readings.get, answer),
            rational=request.kind == "rationality",
        )
        return VerifyReply(
            decision.finding,
            RECORD,
            reason=f"heuristic: {decision.reason}",
            quote=decision.quote,
            answer_state=decision.state,
        )
