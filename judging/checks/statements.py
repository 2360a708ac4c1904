"""The checks of a cascade: criteria about the answer, and statements it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.checks.pages import over_pages
from judging.checks.questions import Question, Table, table_of
from judging.checks.searches import SearchSource, found_for, over_results, unasked
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
    claims: Sequence[Stated],
    references: Sequence[str],
    work: AnswerWork,
    case: Case,
    desk: Desk,
    *,
    search: bool = False,
) -> list[Judgement]:
    """Claims of the answer against references, what a ``search`` found, and the pages they cite, in this order; the first
    kind that decides wins.

    The evidence holds what the cited pages alone say, even where another kind decides: reference support is
    computed from it.
    """
    held = [_held(one, references, work, case, search=search) for one in claims]
    table = await table_of((one.question for one in held), case, desk, work)
    return await settle(
        _decide_statement(one.check, against, work, case, desk, table)
        for one, against in zip(claims, held, strict=True)
    )


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


class _Held(NamedTuple):
    """A claim and what it is held against, a kind after the other."""

    question: Question
    references: tuple[Source, ...]
    results: tuple[SearchSource, ...]
    pages: tuple[Source, ...]


def _held(stated: Stated, references: Sequence[str], work: AnswerWork, case: Case, *, search: bool) -> _Held:
    pages = tuple(Source(url, case) for url in dict.fromkeys(stated.cited))
    known = tuple(Source(url, case, source="reference") for url in dict.fromkeys(references))
    results = tuple(found_for(stated.text, work, case)) if search else ()
    body = {"id": stated.check, "statement": stated.text}
    key = check_key("statement", body, work, case, [*known, *results, *pages])
    request = VerifyRequest(check=key[:12], kind="claim", statement=stated.text, task=work.prompt)
    question = Question(key, request, case.votes, tuple(kind for kind in (known, pages) if kind))
    return _Held(question, known, results, pages)


async def _decide_statement(
    check: str, held: _Held, work: AnswerWork, case: Case, desk: Desk, table: Table
) -> Judgement:
    async def decide() -> Judgement:
        if not held.pages and not held.references and not held.results:
            statement = held.question.request.statement
            return _unsourced(Judgement(Finding.UNDECIDED, statement, code=VerdictCode.NO_SOURCES))
        first, by_pages = await settle(
            (_before_pages(held, case, desk, table), _by_pages(held.pages, held, case, desk, table))
        )
        found = _first_that_decides([*first, *by_pages], searched=first[-1] if held.results else None)
        return found if held.pages or held.references else _unsourced(found)

    return await remember(desk, work, check, held.question.key, decide)


def _unsourced(found: Judgement) -> Judgement:
    """A claim that cites nothing, where nothing else decides it."""
    if found.finding is not Finding.UNDECIDED:
        return found
    return replace(found, error_class=ErrorClass.ATTRIBUTION_MISSING.value)


async def _by_pages(
    pages: Sequence[Source], held: _Held, case: Case, desk: Desk, table: Table
) -> list[Judgement]:
    return [await over_pages(desk, case, pages, held.question, table)] if pages else []


async def _before_pages(held: _Held, case: Case, desk: Desk, table: Table) -> list[Judgement]:
    """References, then what was found: a reference that has the word needs no search."""
    found = await _by_pages(held.references, held, case, desk, table)
    if not held.results:
        return found
    if any(one.finding is not Finding.UNDECIDED for one in found):
        return [*found, unasked(held.results)]
    return [*found, await over_results(desk, case, held.results, held.question.request, case.votes)]


def _first_that_decides(found: Sequence[Judgement], *, searched: Judgement | None) -> Judgement:
    """References, results of a search, cited pages; the evidence and cost of all are kept.

    What could not be read or searched for leaves the statement open, whatever comes after it says: it might have had
    the word, and our fault must not take that away.
    """
    winner = next((one for one in found if one.finding is not Finding.UNDECIDED), None)
    if winner is None:
        others = [one for one in found if one is not searched]
        winner = (others or found)[-1]
    return replace(
        winner,
        evidence=tuple(page for one in found for page in one.evidence),
        records=tuple(record for one in found for record in one.records),
    )
