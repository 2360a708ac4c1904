"""The checks of a cascade: criteria about the answer, and statements it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.checks.pages import over_pages
from judging.checks.questions import Question, Table, table_of
from judging.checks.sources import Source, check_key, remember
from judging.checks.votes import without_evidence
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement, settle
from judging.judges.base import VerifyRequest
from judging.scoring import ErrorClass


class Asked(NamedTuple):
    """A criterion, or a fact the answer must state."""

    check: str
    text: str
    additional: str = ""
    votes: int | None = None


class Stated(NamedTuple):
    """A claim of the answer and what it cites for it."""

    check: str
    text: str
    cited: Sequence[str]


async def decide_criteria(
    kind: Any, criteria: Sequence[Asked], work: AnswerWork, case: Case, desk: Desk
) -> list[Judgement]:
    """Whether the answer satisfies criteria of one ``kind`` (criterion, rationality, claim), in their order."""
    table = await table_of((_criterion(kind, one, work, case) for one in criteria), case, desk, work)
    return await settle(_decide_criterion(kind, one, work, case, desk, table) for one in criteria)


async def decide_statements(
    claims: Sequence[Stated], references: Sequence[str], work: AnswerWork, case: Case, desk: Desk
) -> list[Judgement]:
    """Claims of the answer against the references and the pages they cite; the first kind that decides wins.

    The evidence holds what the cited pages alone say, even where a reference decides: reference support is
    computed from it.
    """
    table = await table_of((_statement(one, references, work, case) for one in claims), case, desk, work)
    return await settle(_decide_statement(one, references, work, case, desk, table) for one in claims)


def _criterion(kind: Any, asked: Asked, work: AnswerWork, case: Case) -> Question:
    votes = asked.votes or case.votes
    body = {"id": asked.check, "criterion": asked.text, "additional": asked.additional, "votes": votes}
    key = check_key(str(kind), body, work, case)
    request = VerifyRequest(
        check=key[:12],
        kind=kind,
        statement=asked.text,
        task=work.prompt,
        answer=work.text,
        additional=asked.additional,
    )
    return Question(key, request, votes)


async def _decide_criterion(
    kind: Any, asked: Asked, work: AnswerWork, case: Case, desk: Desk, table: Table
) -> Judgement:
    question = _criterion(kind, asked, work, case)

    async def decide() -> Judgement:
        return without_evidence(await table.vote(desk, question), asked.text)

    return await remember(desk, work, asked.check, question.key, decide)


def _statement(stated: Stated, references: Sequence[str], work: AnswerWork, case: Case) -> Question:
    pages = tuple(Source(url, case) for url in dict.fromkeys(stated.cited))
    known = tuple(Source(url, case, source="reference") for url in dict.fromkeys(references))
    body = {"id": stated.check, "statement": stated.text}
    key = check_key("statement", body, work, case, [*known, *pages])
    request = VerifyRequest(check=key[:12], kind="claim", statement=stated.text, task=work.prompt)
    return Question(key, request, case.votes, tuple(kind for kind in (known, pages) if kind))


async def _decide_statement(
    stated: Stated, references: Sequence[str], work: AnswerWork, case: Case, desk: Desk, table: Table
) -> Judgement:
    question = _statement(stated, references, work, case)

    async def decide() -> Judgement:
        if not question.evidence:
            return Judgement(
                Finding.UNDECIDED,
                statement=stated.text,
                code=VerdictCode.NO_SOURCES,
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        found = await settle(over_pages(desk, case, pages, question, table) for pages in question.evidence)
        return _first_that_decides(found)

    return await remember(desk, work, stated.check, question.key, decide)


def _first_that_decides(found: Sequence[Judgement]) -> Judgement:
    """References before cited pages; the evidence and cost of both are kept.

    A reference that could not be read leaves the statement open, whatever the cited pages say: it has the
    first word.
    """
    winner = next((one for one in found if one.finding is not Finding.UNDECIDED), found[-1])
    return replace(
        winner,
        evidence=tuple(page for one in found for page in one.evidence),
        records=tuple(record for one in found for record in one.records),
    )
