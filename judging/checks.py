"""Deciding single checks: votes, cited pages, references; and what a check's key is made of.

Whatever a check needs of the judge goes through the :class:`~judging.desk.Desk`, which remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from judging.canonical import digest
from judging.cascade import Finding
from judging.case import AnswerWork, Case, Snapshot
from judging.citations import MalformedUrl
from judging.desk import Desk, Judgement, Reading, settle
from judging.evidence import PageFinding, Standing, combine
from judging.judges.base import (
    ExtractOutcome,
    ExtractReply,
    ExtractRequest,
    Passage,
    VerifyReply,
    VerifyRequest,
)
from judging.passages import overlap, select
from judging.rubric import Assertion, Check, Claim, PageExtraction, Unknown
from judging.scoring import ErrorClass, error_class

__all__ = ["Source", "decide_criterion", "decide_leaf", "decide_statement", "read_answer", "read_page"]


class Source:
    """A URL as cited and what we hold of it."""

    __slots__ = ("snapshot", "source", "standing", "url")

    def __init__(self, url: str, case: Case, *, source: str = "cited") -> None:
        self.url = url
        self.source = source
        self.snapshot: Snapshot | None = None
        try:
            self.snapshot = case.snapshot(url, reference=source == "reference")
        except MalformedUrl:
            self.standing = Standing.DEAD
            return
        self.standing = case.standing(self.snapshot)

    def fingerprint(self) -> list[str]:
        """What of the page goes into a key: its text and where it stands, not its row."""
        return [
            self.source,
            self.url,
            self.standing.value,
            self.snapshot.text_sha256 if self.snapshot else "",
        ]

    def evidence(self, found: VerifyReply | None, passage: Passage | None) -> dict[str, Any]:
        """What a verdict remembers of the page."""
        return {
            "url": self.url,
            "source": self.source,
            "standing": self.standing.value,
            "snapshot": self.snapshot.id if self.snapshot else None,
            "verdict": self.snapshot.verdict if self.snapshot else None,
            "finding": found.finding.value if found else None,
            "relevance": found.relevance.value if found and found.relevance else None,
            "ranges": [list(r) for r in passage.ranges] if passage else [],
            "truncated": bool(passage and passage.truncated),
        }


def check_key(
    kind: str, body: dict[str, Any], work: AnswerWork, case: Case, pages: Sequence[Source] = ()
) -> str:
    """SHA-256 of everything that shapes a verdict: check, task, answer, pages, judge profile."""
    return digest(
        {
            "kind": kind,
            "body": body,
            "task": work.prompt,
            "answer": work.sha256,
            "pages": [page.fingerprint() for page in pages],
            "profile": case.profile_hash,
            "passage": case.passage_characters,
        }
    )


# ------------------------------------------------------------------ votes
async def _vote(desk: Desk, request: VerifyRequest, votes: int) -> tuple[VerifyReply, list[VerifyReply]]:
    """The strict majority of ``votes`` and all replies; half of them at once, the rest only if they disagree.

    A deterministic judge is asked once: the same question again would get the same answer.
    """
    votes = 1 if desk.offline else votes
    majority = votes // 2 + 1
    replies = await settle(_ask(desk, replace(request, sample=n)) for n in range(majority))
    while (winner := _majority(replies, majority)) is None and len(replies) < votes:
        replies += await settle([_ask(desk, replace(request, sample=len(replies)))])
    if winner is None:
        winner = replace(replies[0], finding=Finding.NOT_ASSESSED, code="disagreement", quote="")
    return winner, replies


async def _ask(desk: Desk, request: VerifyRequest) -> VerifyReply:
    async with desk.call() as judge:
        return await judge.verify(request)


def _majority(replies: Sequence[VerifyReply], majority: int) -> VerifyReply | None:
    for finding in Finding:
        same = [reply for reply in replies if reply.finding is finding]
        if len(same) >= majority:
            return same[0]
    return None


def _judgement(reply: VerifyReply, replies: Sequence[VerifyReply], statement: str) -> Judgement:
    return Judgement(
        finding=reply.finding,
        statement=statement,
        code=reply.code,
        reason=reply.reason,
        quote=reply.quote,
        answer_state=reply.answer_state.value if reply.answer_state else "",
        relevance=reply.relevance.value if reply.relevance else "",
        records=tuple(r.record for r in replies),
    )


# ------------------------------------------------------------------ one page
def _passage(page: Source, statement: str, case: Case) -> Passage:
    if page.snapshot is None:
        raise MalformedUrl(page.url)
    snapshot = page.snapshot
    return select(
        case.read(snapshot.text_sha256),
        statement,
        budget=case.passage_characters,
        snapshot=snapshot.text_sha256,
        url=page.url,
        title=snapshot.title,
    )


async def _verify_on_page(
    desk: Desk, case: Case, work: AnswerWork, page: Source, request: VerifyRequest, votes: int
) -> tuple[VerifyReply, list[VerifyReply], Passage]:
    passage = _passage(page, request.statement, case)
    winner, replies = await _vote(desk, replace(request, page=passage), votes)
    return winner, replies, passage


async def _over_pages(
    desk: Desk, case: Case, work: AnswerWork, pages: Sequence[Source], request: VerifyRequest, votes: int
) -> Judgement:
    """Put readable pages before the judge, the best match first, until one supports the statement."""
    findings: list[PageFinding] = []
    evidence: list[dict[str, Any]] = []
    records: list[VerifyReply] = []
    best: VerifyReply | None = None
    for page in _ranked(pages, request.statement, case):
        if page.standing is not Standing.READABLE:
            findings.append(PageFinding(page.url, page.standing))
            evidence.append(page.evidence(None, None))
            continue
        if best is not None and best.finding is Finding.SUPPORTED:
            break
        reply, replies, passage = await _verify_on_page(desk, case, work, page, request, votes)
        findings.append(PageFinding(page.url, page.standing, reply.finding))
        evidence.append(page.evidence(reply, passage))
        records += replies
        best = _better(best, reply)
    finding = combine(findings)
    shown = _judgement(best, records, request.statement) if best else Judgement(finding, request.statement)
    return replace(
        shown,
        finding=finding,
        code=shown.code if best and best.finding is finding else _code_of(findings, finding),
        error_class=_error_class(finding, best, findings),
        evidence=tuple(evidence),
        records=tuple(r.record for r in records),
    )


def _ranked(pages: Sequence[Source], statement: str, case: Case) -> list[Source]:
    """Unreadable pages first (they cost nothing), then by overlap with the statement; ties as cited."""

    def rank(page: Source) -> float:
        if page.standing is not Standing.READABLE or page.snapshot is None:
            return float("-inf")
        return -overlap(case.read(page.snapshot.text_sha256), statement)

    return sorted(pages, key=rank)


_WORTH = (Finding.SUPPORTED, Finding.REFUTED, Finding.UNDECIDED, Finding.NOT_ASSESSED, Finding.ERROR)


def _better(one: VerifyReply | None, other: VerifyReply) -> VerifyReply:
    """The reply worth showing: the one that decides."""
    if one is None or _WORTH.index(other.finding) < _WORTH.index(one.finding):
        return other
    return one


def _code_of(findings: Sequence[PageFinding], finding: Finding) -> str:
    """Why a statement is unknown, or unsupported without a judge: the standing that decided it."""
    for page in findings:
        if page.finding is None and page.effective is finding:
            return f"page_{page.standing.value}"
    return ""


def _error_class(finding: Finding, best: VerifyReply | None, findings: Sequence[PageFinding]) -> str:
    if finding not in {Finding.REFUTED, Finding.UNDECIDED}:
        return ""
    found = error_class(
        answer_state=(best.answer_state or "") if best else "",
        relevance=(best.relevance or "") if best else "",
        dead=any(page.standing is Standing.DEAD for page in findings),
        cited=True,
    )
    return found.value if found else ""


# ------------------------------------------------------------------ leaves of a tree
async def decide_leaf(
    check: Check, work: AnswerWork, case: Case, desk: Desk, *, broken: bool = False
) -> Judgement:
    """The judgement of one leaf of a rubric tree. ``broken``: an extraction failed by our own fault."""
    if isinstance(check, Claim):
        return await _decide_claim(check, work, case, desk)
    if isinstance(check, PageExtraction):
        return await _decide_page_extraction(check, work, case, desk)
    if isinstance(check, Unknown):
        return await _note_unknown(check, work, case, desk, broken=broken)
    return await _decided_by_code(check, work, case, desk)


async def _remember(
    desk: Desk, work: AnswerWork, check: str, key: str, decide: Callable[[], Any]
) -> Judgement:
    return await desk.judgement(answer=work.id, rubric=work.rubric_id, check=check, key=key, decide=decide)


async def _decided_by_code(check: Assertion, work: AnswerWork, case: Case, desk: Desk) -> Judgement:
    body = {"id": check.id, "assert": check.expression, "holds": check.holds}

    async def decide() -> Judgement:
        return Judgement(
            Finding.SUPPORTED if check.holds else Finding.REFUTED,
            statement=check.expression,
            error_class="" if check.holds else check.error_class or ErrorClass.INCOMPLETE_PARTIAL.value,
            reason=check.reason,
        )

    return await _remember(desk, work, check.id, check_key("assert", body, work, case), decide)


async def _note_unknown(
    check: Unknown, work: AnswerWork, case: Case, desk: Desk, *, broken: bool
) -> Judgement:
    body = {"id": check.id, "unknown": check.reason, "broken": broken}

    async def decide() -> Judgement:
        finding = Finding.ERROR if broken else Finding.NOT_ASSESSED
        return Judgement(finding, code="extraction_failed", reason=check.reason)

    return await _remember(desk, work, check.id, check_key("unknown", body, work, case), decide)


async def _decide_claim(check: Claim, work: AnswerWork, case: Case, desk: Desk) -> Judgement:
    votes = check.votes or case.votes
    pages = [Source(url, case) for url in dict.fromkeys(check.sources or ())]
    body: dict[str, Any] = {
        "id": check.id,
        "statement": check.statement,
        "additional": check.additional,
        "votes": votes,
        "sources": check.sources is not None,
    }
    key = check_key("claim", body, work, case, pages)
    request = VerifyRequest(
        check=key[:12], kind="claim", statement=check.statement, task=work.prompt, additional=check.additional
    )

    async def decide() -> Judgement:
        if check.sources is None:
            return await _without_evidence(replace(request, answer=work.text), votes, desk)
        if not pages:
            return Judgement(
                Finding.REFUTED,
                statement=check.statement,
                code="no_sources",
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        return await _over_pages(desk, case, work, pages, request, votes)

    return await _remember(desk, work, check.id, key, decide)


async def _without_evidence(request: VerifyRequest, votes: int, desk: Desk) -> Judgement:
    reply, replies = await _vote(desk, request, votes)
    found = _judgement(reply, replies, request.statement)
    if reply.finding in {Finding.REFUTED, Finding.UNDECIDED}:
        kind = error_class(answer_state=reply.answer_state or "", relevance="", dead=False, cited=False)
        found = replace(found, error_class=kind.value if kind else "")
    return found


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
    }
    key = check_key("page", body, work, case, pages)

    async def decide() -> Judgement:
        if not pages:
            return Judgement(
                Finding.REFUTED,
                statement=check.expression,
                code="no_sources",
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        return await _judge_extraction(check, pages[0], work, case, desk)

    return await _remember(desk, work, check.id, key, decide)


async def _judge_extraction(
    check: PageExtraction, page: Source, work: AnswerWork, case: Case, desk: Desk
) -> Judgement:
    if page.standing is not Standing.READABLE:
        only = PageFinding(page.url, page.standing)
        return Judgement(
            only.effective,
            statement=check.expression,
            code=f"page_{page.standing.value}",
            error_class=_error_class(only.effective, None, [only]),
            evidence=(page.evidence(None, None),),
        )
    reply = await _extract(desk, _page_request(check.name, check.instruction, check.schema, work, page, case))
    evidence = (page.evidence(None, None),)
    if reply.outcome is not ExtractOutcome.OK:
        finding = Finding.ERROR if reply.outcome is ExtractOutcome.ERROR else Finding.NOT_ASSESSED
        return Judgement(
            finding, check.expression, code=f"extraction_{reply.outcome.value}", reason=reply.reason,
            evidence=evidence, records=(reply.record,),
        )  # fmt: skip
    decision = check.decision(reply.data)
    return Judgement(
        Finding.SUPPORTED if decision.holds else Finding.REFUTED,
        statement=check.expression,
        error_class="" if decision.holds else check.error_class or ErrorClass.UNSUPPORTED_SYNTHESIS.value,
        reason=decision.reason,
        evidence=evidence,
        records=(reply.record,),
    )


# ------------------------------------------------------------------ extractions
async def _extract(desk: Desk, request: ExtractRequest) -> ExtractReply:
    async with desk.call() as judge:
        return await judge.extract(request)


def _page_request(
    name: str, instruction: str, schema: Any, work: AnswerWork, page: Source, case: Case
) -> ExtractRequest:
    return ExtractRequest(
        name=name,
        instruction=instruction,
        schema=schema,
        task=work.prompt,
        answer="",
        page=_passage(page, instruction, case),
    )


async def read_answer(
    name: str, instruction: str, schema: Any, work: AnswerWork, case: Case, desk: Desk
) -> Reading:
    """Structured data out of the answer."""
    body = {"name": name, "instruction": instruction, "schema": dict(schema)}
    key = check_key("extract", body, work, case)

    async def decide() -> Reading:
        request = ExtractRequest(name, instruction, schema, work.prompt, work.text)
        reply = await _extract(desk, request)
        return Reading(reply.outcome, reply.data, reply.reason, (reply.record,))

    return await desk.reading(answer=work.id, name=name, key=key, decide=decide)


async def read_page(
    name: str, instruction: str, schema: Any, url: str | None, work: AnswerWork, case: Case, desk: Desk
) -> Reading:
    """Structured data out of a page the answer cites; an unreadable page reads as what its standing says."""
    pages = [Source(url, case)] if url else []
    body = {"name": name, "instruction": instruction, "schema": dict(schema), "from": url}
    key = check_key("extract_page", body, work, case, pages)

    async def decide() -> Reading:
        if not pages or pages[0].standing.settled:
            return Reading(ExtractOutcome.OK, None, "the answer gives no page that can be read")
        if pages[0].standing is not Standing.READABLE:
            retry = pages[0].standing is Standing.RETRY
            outcome = ExtractOutcome.ERROR if retry else ExtractOutcome.FAILED
            return Reading(outcome, None, f"page_{pages[0].standing.value}")
        reply = await _extract(desk, _page_request(name, instruction, schema, work, pages[0], case))
        return Reading(reply.outcome, reply.data, reply.reason, (reply.record,))

    return await desk.reading(answer=work.id, name=name, key=key, decide=decide)


# ------------------------------------------------------------------ cascade
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
        return await _without_evidence(request, votes, desk)

    return await _remember(desk, work, check, key, decide)


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
                code="no_sources",
                error_class=ErrorClass.ATTRIBUTION_MISSING.value,
            )
        kinds = [group for group in (known, pages) if group]
        found = await settle(_over_pages(desk, case, work, group, request, case.votes) for group in kinds)
        return _first_that_decides(found)

    return await _remember(desk, work, check, key, decide)


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
