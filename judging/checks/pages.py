"""One statement over several pages: which is asked first, and which one decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judging.cascade import Finding
from judging.case import Case
from judging.checks.questions import Question, Table
from judging.checks.shots import told
from judging.checks.sources import Source, ranked, unread_code
from judging.checks.votes import judgement_of
from judging.desk import Desk, Judgement
from judging.evidence import PageFinding, Standing, combine
from judging.judges.base import VerifyReply
from judging.scoring import error_class


async def over_pages(
    desk: Desk, case: Case, pages: Sequence[Source], question: Question, table: Table
) -> Judgement:
    """Put readable pages before the judge, the best match first, until one supports the statement."""
    statement = question.request.statement
    findings: list[PageFinding] = []
    evidence: list[dict[str, Any]] = []
    heads: list[VerifyReply] = []
    replies: list[VerifyReply] = []
    for page in ranked(pages, statement, case):
        if page.snapshot is None or page.standing is not Standing.READABLE:
            findings.append(PageFinding(page.url, page.standing))
            evidence.append(page.evidence())
            continue
        passage = table.passage(question, page, case)
        head, asked = await table.vote(desk, question, page, passage)
        heads.append(head)
        replies += asked
        findings.append(PageFinding(page.url, page.standing, head.finding))
        shown = passage()
        seen = told(page.shot, shown.picture, head)
        evidence.append(page.evidence(head.finding, passage=shown, relevance=head.relevance, **seen))
        if head.finding is Finding.SUPPORTED:
            break
    return replace(
        _from_pages(combine(findings), heads, findings, statement),
        evidence=tuple(evidence),
        records=tuple(reply.record for reply in replies),
    )


def _from_pages(
    finding: Finding, heads: Sequence[VerifyReply], findings: Sequence[PageFinding], statement: str
) -> Judgement:
    """What is shown for a statement: the reply that decided, or the standing of the page that did."""
    head = next((reply for reply in heads if reply.finding is finding), None)
    kind = class_of(finding, head, findings)
    if head is not None:
        return replace(judgement_of(head, (), statement), error_class=kind)
    by = next(page for page in findings if page.finding is None and page.effective is finding)
    return Judgement(finding, statement, code=unread_code(by.standing), error_class=kind)


def class_of(finding: Finding, head: VerifyReply | None, findings: Sequence[PageFinding]) -> str:
    """The error class of an unmet statement, or nothing where no page tells it."""
    if finding not in {Finding.REFUTED, Finding.UNDECIDED}:
        return ""
    found = error_class(
        answer_state=(head.answer_state or "") if head else "",
        relevance=(head.relevance or "") if head else "",
        dead=any(page.standing is Standing.DEAD for page in findings),
        cited=True,
    )
    return found.value if found else ""
