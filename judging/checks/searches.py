"""What a search found for a statement, as evidence.

Hits of the team's own are left out. One that repeats the answer supports nothing, yet it is shown: who quotes what
refutes him must not hide it by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.checks.votes import judgement_of, vote
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement
from judging.evidence import PageFinding, Standing, combine
from judging.judges.base import Passage, Relevance, VerifyReply, VerifyRequest
from judging.passages import select
from judging.quotes import occurs
from judging.search.found import query_hash
from judging.search.results import Mark, blocks_of, in_whole, marks_of, without

__all__ = ["SearchSource", "found_for", "over_results", "unasked"]


class SearchSource:
    """A query and what we hold of its result; the text is read once it is needed."""

    source = "search"

    def __init__(self, query: str, sha256: str | None, work: AnswerWork, case: Case) -> None:
        """``sha256``: of the result's text, "" for no hits, None where the search failed."""
        self.query = query
        self.url = f"search:{query}"
        self.sha256 = sha256
        self._work = work
        self._case = case

    def fingerprint(self) -> list[str]:
        """What of the result goes into a key: its text, and by what hits are left out beside the answer."""
        state = "failed" if self.sha256 is None else "found"
        return [self.source, self.url, state, self.sha256 or "", *sorted(self._case.own_domains)]

    @cached_property
    def _text(self) -> str:
        return self._case.read(self.sha256 or "")

    @cached_property
    def _blocks(self) -> Any:
        return blocks_of(self._text)

    @cached_property
    def _marks(self) -> Any:
        return marks_of(self._blocks, self._work.text, is_own=self._case.is_own)

    @cached_property
    def _own(self) -> Any:
        return {number: mark for number, mark in self._marks.items() if mark is Mark.OWN}

    @cached_property
    def shown(self) -> str:
        """The text without what decides nothing."""
        return without(self._text, self._blocks, self._own)[0]

    def finding(self, reply: VerifyReply) -> Finding:
        """What a reply about the result counts as: support is to be quoted from a hit that does not repeat the answer."""
        if reply.finding is not Finding.SUPPORTED or Mark.SELF not in self._marks.values():
            return reply.finding
        others = without(self._text, self._blocks, self._marks)[0]
        return Finding.SUPPORTED if occurs(reply.quote, [others]) else Finding.UNDECIDED

    @property
    def standing(self) -> Standing:
        """Readable also where nothing was found: that was looked at."""
        if self.sha256 is None:
            return Standing.RETRY
        return Standing.OWN if self._text and not self.shown else Standing.READABLE

    def passage(self, statement: str) -> Passage:
        """What of it is put before a judge; ranges are those of the whole text."""
        text, kept = without(self._text, self._blocks, self._own)
        found = select(
            text,
            statement,
            budget=self._case.passage_characters,
            tokens=self._case.passage_tokens,
            snapshot=self.sha256 or "",
            # Not the query: it is the claim, which must not stand among what is to prove it.
            url=f"search:{query_hash(self.query)[:12]}",
            title="Search results",
        )
        return replace(found, ranges=tuple(in_whole(found.ranges, kept)))

    def evidence(
        self,
        finding: Finding | None = None,
        *,
        passage: Passage | None = None,
        relevance: Relevance | None = None,
    ) -> dict[str, Any]:
        """What a verdict remembers of the result; ``marked`` are the hits that count less, and why."""
        verdict = "network" if self.sha256 is None else "ok" if self._text else "empty"
        return {
            "url": self.url,
            "source": self.source,
            "standing": self.standing.value,
            "snapshot": None,
            "verdict": verdict,
            "text_sha256": self.sha256 or "",
            "finding": finding.value if finding else None,
            "relevance": relevance.value if relevance else None,
            "ranges": [list(r) for r in passage.ranges] if passage else [],
            "truncated": bool(passage and passage.truncated),
            "marked": [
                {"url": self._blocks[n].hit.url, "mark": mark.value} for n, mark in self._marks.items()
            ],
        }


def found_for(statement: str, work: AnswerWork, case: Case) -> list[SearchSource]:
    """What was found for a statement, a source for every query; nothing where nothing is searched."""
    found = case.search.of(statement) if case.search else {}
    return [SearchSource(query, sha256, work, case) for query, sha256 in found.items()]


def unasked(sources: Sequence[SearchSource]) -> Judgement:
    """What is kept of results that nobody had to look at."""
    return Judgement(Finding.UNDECIDED, evidence=tuple(source.evidence() for source in sources))


async def over_results(
    desk: Desk, case: Case, sources: Sequence[SearchSource], request: VerifyRequest, votes: int
) -> Judgement:
    """Put results before the judge, one after the other, until one supports the statement."""
    findings: list[PageFinding] = []
    evidence: list[dict[str, Any]] = []
    heads: list[VerifyReply] = []
    replies: list[VerifyReply] = []
    for source in sources:
        if not source.shown:
            failed = source.standing is Standing.RETRY
            open_as = Finding.NOT_ASSESSED if failed else Finding.UNDECIDED
            findings.append(PageFinding(source.url, source.standing, open_as))
            evidence.append(source.evidence())
            continue
        passage = cache(partial(source.passage, request.statement))
        head, asked = await vote(desk, request, votes, page=passage)
        replies += asked
        finding = source.finding(head)
        if finding is head.finding:
            heads.append(head)
        findings.append(PageFinding(source.url, source.standing, finding))
        evidence.append(source.evidence(finding, passage=passage(), relevance=head.relevance))
        if finding is Finding.SUPPORTED:
            break
    return replace(
        _from_results(combine(findings), heads, request.statement),
        evidence=tuple(evidence),
        records=tuple(reply.record for reply in replies),
    )


def _from_results(finding: Finding, heads: Sequence[VerifyReply], statement: str) -> Judgement:
    """The reply that decided, or why there is none."""
    head = next((reply for reply in heads if reply.finding is finding), None)
    if head is not None:
        return judgement_of(head, (), statement)
    failed = finding is Finding.NOT_ASSESSED
    return Judgement(
        finding, statement, code=VerdictCode.SEARCH_FAILED if failed else VerdictCode.SEARCH_EMPTY
    )
