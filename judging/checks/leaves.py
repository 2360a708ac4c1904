"""The leaves of a rubric tree: assertions, claims, pages to be read, and what cannot be known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.checks.extractions import extract, page_request
from judging.checks.pages import class_of, over_pages
from judging.checks.questions import Question, Table, table_of
from judging.checks.sources import Source, check_key, passage_of, remember, unread_code
from judging.checks.votes import without_evidence
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement, settle
from judging.evidence import PageFinding, Standing
from judging.judges.base import ExtractOutcome, ExtractReply, VerifyRequest
from judging.rubric import Assertion, Check, Claim, PageExtraction, Unknown
from judging.scoring import ErrorClass


async def decide_leaves(
    checks: Sequence[Check], work: AnswerWork, case: Case, desk: Desk, *, broken: bool = False
) -> list[Judgement]:
    """The judgements of leaves that are judged together, in their order. ``broken``: an extraction failed by our own
    fault."""
    questions = (_question(check, work, case) for check in checks if isinstance(check, Claim))
    table = await table_of(questions, case, desk, work)
    return await settle(_decide(check, work, case, desk, table, broken) for check in checks)


async def _decide(
    check: Check, work: AnswerWork, case: Case, desk: Desk, table: Table, broken: bool
) -> Judgement:
    if isinstance(check, Claim):
        return await _decide_claim(check, work, case, desk, table)
    if isinstance(check, PageExtraction):
        return await _decide_page_extraction(check, work, case, desk)
    if isinstance(check, Unknown):
        return await _note_unknown(check, work, case, desk, broken=broken)
    return await _decided_by_code(check, work, case, desk)


async def _decided_by_code(check: Assertion, work: AnswerWork, case: Case, desk: Desk) -> Judgement:
    body = {"id": check.id, "assert": check.expression, "holds": check.holds, "error": check.error_class}

    async def decide() -> Judgement:
        if check.holds:
            return Judgement(Finding.SUPPORTED, statement=check.expression)
        kind = ErrorClass.INCOMPLETE_PARTIAL.value if check.error_class is None else check.error_class
        return Judgement(Finding.REFUTED, statement=check.expression, error_class=kind, reason=check.reason)

    return await remember(desk, work, check.id, check_key("assert", body, work, case), decide)


async def _note_unknown(
    check: Unknown, work: AnswerWork, case: Case, desk: Desk, *, broken: bool
) -> Judgement:
    body = {"id": check.id, "unknown": check.reason, "broken": broken}

    async def decide() -> Judgement:
        finding = Finding.ERROR if broken else Finding.NOT_ASSESSED
        return Judgement(finding, code=VerdictCode.EXTRACTION_FAILED, reason=check.reason)

    return await remember(desk, work, check.id, check_key("unknown", body, work, case), decide)


def _question(check: Claim, work: AnswerWork, case: Case) -> Question:
    votes = check.votes or case.votes
    pages = tuple(
        Source(url, case, screenshot=check.screenshot) for url in dict.fromkeys(check.sources or ())
    )
    body: dict[str, Any] = {
        "id": check.id,
        "statement": check.statement,
        "additional": check.additional,
        "votes": votes,
        "sources": check.sources is not None,
    }
    key = check_key("claim", body, work, case, pages)
    request = VerifyRequest(
        check=key[:12],
        kind="claim",
        statement=check.statement,
        task=work.prompt,
        answer=work.text if check.sources is None else None,
        additional=check.additional,
    )
    return Question(key, request, votes, None if check.sources is None else (pages,))


async def _decide_claim(check: Claim, work: AnswerWork, case: Case, desk: Desk, table: Table) -> Judgement:
    question = _question(check, work, case)

    async def decide() -> Judgement:
        if question.evidence is None:
            return without_evidence(await table.vote(desk, question), check.statement)
        if not question.evidence[0]:
            return Judgement(
                Finding.REFUTED,
                statement=check.statement,
                code=VerdictCode.NO_SOURCES,
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        return await over_pages(desk, case, question.evidence[0], question, table)

    return await remember(desk, work, check.id, question.key, decide)


async def _decide_page_extraction(
    check: PageExtraction, work: AnswerWork, case: Case, desk: Desk
) -> Judgement:
    pages = [Source(check.url, case)] if check.url else []
    body = {
        "id": check.id,
        "name": check.name,
        "instruction": check.instruction,
        "schema": dict(check.schema),
        "expression": check.expression,
        "error": check.error_class,
    }
    key = check_key("page", body, work, case, pages)

    async def decide() -> Judgement:
        if not pages:
            return Judgement(
                Finding.REFUTED,
                statement=check.expression,
                code=VerdictCode.NO_SOURCES,
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        return await _judge_extraction(check, pages[0], work, case, desk)

    return await remember(desk, work, check.id, key, decide)


async def _judge_extraction(
    check: PageExtraction, page: Source, work: AnswerWork, case: Case, desk: Desk
) -> Judgement:
    if page.snapshot is None or page.standing is not Standing.READABLE:
        only = PageFinding(page.url, page.standing)
        return Judgement(
            only.effective,
            statement=check.expression,
            code=unread_code(page.standing),
            error_class=class_of(only.effective, None, [only]),
            evidence=(page.evidence(),),
        )
    passage = passage_of(page.snapshot, page.url, check.instruction, case, extracting=True)
    reply = await extract(desk, page_request(check.name, check.instruction, check.schema, work, passage))
    found = _found_on_page(check, reply)
    return replace(
        found,
        statement=check.expression,
        evidence=(page.evidence(found.finding, passage=passage),),
        records=(reply.record,),
    )


def _found_on_page(check: PageExtraction, reply: ExtractReply) -> Judgement:
    if reply.outcome is not ExtractOutcome.OK:
        finding = Finding.ERROR if reply.outcome is ExtractOutcome.ERROR else Finding.NOT_ASSESSED
        return Judgement(finding, code=VerdictCode(f"extraction_{reply.outcome.value}"), reason=reply.reason)
    decision = check.decision(reply.data)
    if decision.holds:
        return Judgement(Finding.SUPPORTED, reason=decision.reason)
    kind = check.error_class or ErrorClass.UNSUPPORTED_SYNTHESIS.value
    return Judgement(Finding.REFUTED, error_class=kind, reason=decision.reason)
