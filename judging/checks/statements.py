"""The checks of a cascade: criteria about the answer, and statements it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.checks.pages import over_pages
from judging.checks.searches import SearchSource, found_for, over_results, unasked
from judging.checks.sources import Source, check_key, remember
from judging.checks.votes import without_evidence
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement, settle
from judging.judges.base import VerifyRequest
from judging.scoring import ErrorClass


async def decide_criterion(
    check: str,
    kind: Any,
    criterion: str,
    additional: str,
    votes: int,
    work: AnswerWork,
    case: Case,
    desk: Desk,
) -> Judgement:
    """Whether the answer satisfies a criterion (``kind``: criterion or rationality)."""
    body = {"id": check, "criterion": criterion, "additional": additional, "votes": votes}
    key = check_key(str(kind), body, work, case)
    request = VerifyRequest(
        check=key[:12],
        kind=kind,
        statement=criterion,
        task=work.prompt,
        answer=work.text,
        additional=additional,
    )

    async def decide() -> Judgement:
        return await without_evidence(request, votes, desk)

    return await remember(desk, work, check, key, decide)


async def decide_statement(
    check: str, statement: str, cited: Sequence[str], references: Sequence[str], work: AnswerWork, case: Case,
    desk: Desk, *, search: bool = False,
) -> Judgement:  # fmt: skip
    """A claim of the answer against references, what a search found, and the pages it cites, in this order; the first
    kind that decides wins.

    The evidence holds what the cited pages alone say, even where another kind decides: reference support is
    computed from it.
    """
    pages = [Source(url, case) for url in dict.fromkeys(cited)]
    known = [Source(url, case, source="reference") for url in dict.fromkeys(references)]
    results = found_for(statement, work, case) if search else []
    body = {"id": check, "statement": statement}
    key = check_key("statement", body, work, case, [*known, *results, *pages])
    request = VerifyRequest(check=key[:12], kind="claim", statement=statement, task=work.prompt)

    async def decide() -> Judgement:
        if not pages and not known and not results:
            return _unsourced(Judgement(Finding.UNDECIDED, statement, code=VerdictCode.NO_SOURCES))
        first, by_pages = await settle(
            (_before_pages(known, results, request, case, desk), _by_pages(pages, request, case, desk))
        )
        found = _first_that_decides([*first, *by_pages], searched=first[-1] if results else None)
        return found if pages or known else _unsourced(found)

    return await remember(desk, work, check, key, decide)


def _unsourced(found: Judgement) -> Judgement:
    """A claim that cites nothing, where nothing else decides it."""
    if found.finding is not Finding.UNDECIDED:
        return found
    return replace(found, error_class=ErrorClass.ATTRIBUTION_MISSING.value)


async def _by_pages(
    pages: Sequence[Source], request: VerifyRequest, case: Case, desk: Desk
) -> list[Judgement]:
    return [await over_pages(desk, case, pages, request, case.votes)] if pages else []


async def _before_pages(
    known: Sequence[Source],
    results: Sequence[SearchSource],
    request: VerifyRequest,
    case: Case,
    desk: Desk,
) -> list[Judgement]:
    """References, then what was found: a reference that has the word needs no search."""
    found = await _by_pages(known, request, case, desk)
    if not results:
        return found
    if any(one.finding is not Finding.UNDECIDED for one in found):
        return [*found, unasked(results)]
    return [*found, await over_results(desk, case, results, request, case.votes)]


def _first_that_decides(found: Sequence[Judgement], *, searched: Judgement | None) -> Judgement:
    """References, results of a search, cited pages; the evidence and cost of all are kept.

    A reference that could not be read leaves the statement open, whatever the others say: it has the first word. A
    search that gave nothing usable does so only where nothing after it decides.
    """
    winner = next((one for one in found if _decides(one, searched)), None)
    if winner is None:
        stays_open = searched is not None and searched.finding is not Finding.UNDECIDED
        others = [one for one in found if one is not searched]
        winner = searched if searched is not None and (stays_open or not others) else others[-1]
    return replace(
        winner,
        evidence=tuple(page for one in found for page in one.evidence),
        records=tuple(record for one in found for record in one.records),
    )


def _decides(one: Judgement, searched: Judgement | None) -> bool:
    open_findings = {Finding.UNDECIDED, Finding.NOT_ASSESSED} if one is searched else {Finding.UNDECIDED}
    return one.finding not in open_findings
