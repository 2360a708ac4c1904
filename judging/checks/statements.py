"""The checks of a cascade: criteria about the answer, and statements it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.checks.pages import over_pages
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
    desk: Desk,
) -> Judgement:  # fmt: skip
    """A claim of the answer against the references and the pages it cites; the first kind that decides wins.

    The evidence holds what the cited pages alone say, even where a reference decides: reference support is
    computed from it.
    """
    pages = [Source(url, case) for url in dict.fromkeys(cited)]
    known = [Source(url, case, source="reference") for url in dict.fromkeys(references)]
    key = check_key("statement", {"id": check, "statement": statement}, work, case, [*known, *pages])
    request = VerifyRequest(check=key[:12], kind="claim", statement=statement, task=work.prompt)

    async def decide() -> Judgement:
        if not pages and not known:
            return Judgement(
                Finding.UNDECIDED,
                statement=statement,
                code=VerdictCode.NO_SOURCES,
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        kinds = [group for group in (known, pages) if group]
        found = await settle(over_pages(desk, case, group, request, case.votes) for group in kinds)
        return _first_that_decides(found)

    return await remember(desk, work, check, key, decide)


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
