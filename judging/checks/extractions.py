"""Reading data out of answers and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judging.case import AnswerWork, Case
from judging.checks.sources import Source, check_key, passage_of, unread_code
from judging.codes import VerdictCode
from judging.desk import Desk, Reading
from judging.evidence import Standing
from judging.judges.base import ExtractOutcome, ExtractReply, ExtractRequest, Passage
from judging.scoring import ErrorClass

# What a page that was not there to be read says about the answer that cites it, or cites none.
_UNREAD: dict[str, str] = {
    VerdictCode.NO_SOURCES: ErrorClass.ATTRIBUTION_MISSING.value,
    VerdictCode.PAGE_DEAD: ErrorClass.ATTRIBUTION_INVALID.value,
    VerdictCode.PAGE_BLOCKED_SETTLED: "",
    VerdictCode.PAGE_OWN: "",
}


def unread_classes(readings: Mapping[str, Reading]) -> dict[str, str]:
    """By name, the error class ("" for none) of each page that gave nothing because it was not there."""
    return {
        name: _UNREAD[reading.reason]
        for name, reading in readings.items()
        if reading.outcome is ExtractOutcome.OK and reading.reason in _UNREAD
    }


async def extract(desk: Desk, request: ExtractRequest) -> ExtractReply:
    """One call."""
    async with desk.call() as judge:
        return await judge.extract(request)


def page_request(
    name: str, instruction: str, schema: Any, work: AnswerWork, passage: Passage
) -> ExtractRequest:
    """Read ``schema`` out of a page."""
    return ExtractRequest(
        name=name, instruction=instruction, schema=schema, task=work.prompt, answer="", page=passage
    )


async def read_answer(
    name: str, instruction: str, schema: Any, work: AnswerWork, case: Case, desk: Desk
) -> Reading:
    """Structured data out of the answer."""
    body = {"name": name, "instruction": instruction, "schema": dict(schema)}
    key = check_key("extract", body, work, case)

    async def decide() -> Reading:
        request = ExtractRequest(name, instruction, schema, work.prompt, work.text)
        reply = await extract(desk, request)
        return Reading(reply.outcome, reply.data, reply.reason, (reply.record,))

    return await desk.reading(answer=work.id, name=name, key=key, decide=decide)


async def read_page(
    name: str, instruction: str, schema: Any, url: str | None, work: AnswerWork, case: Case, desk: Desk
) -> Reading:
    """Structured data out of a page the answer cites.

    Where there is none to be read, the reason is a code: a page that is settled gives nothing, any other fails.
    """
    pages = [Source(url, case)] if url else []
    body = {"name": name, "instruction": instruction, "schema": dict(schema), "from": url}
    key = check_key("extract_page", body, work, case, pages)

    async def decide() -> Reading:
        if not pages:
            return Reading(ExtractOutcome.OK, None, VerdictCode.NO_SOURCES.value)
        if pages[0].standing.settled:
            return Reading(ExtractOutcome.OK, None, unread_code(pages[0].standing).value)
        return await _read_one(name, instruction, schema, pages[0], work, case, desk)

    return await desk.reading(answer=work.id, name=name, key=key, decide=decide)


async def _read_one(
    name: str, instruction: str, schema: Any, page: Source, work: AnswerWork, case: Case, desk: Desk
) -> Reading:
    if page.snapshot is None or page.standing is not Standing.READABLE:
        retry = page.standing is Standing.RETRY
        outcome = ExtractOutcome.ERROR if retry else ExtractOutcome.FAILED
        return Reading(outcome, None, unread_code(page.standing).value)
    passage = passage_of(page.snapshot, page.url, instruction, case, extracting=True)
    reply = await extract(desk, page_request(name, instruction, schema, work, passage))
    return Reading(reply.outcome, reply.data, reply.reason, (reply.record,))
