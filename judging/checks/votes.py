"""Asking several times, and what the replies say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from judging.cascade import Finding
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement, settle
from judging.judges.base import Passage, VerifyReply, VerifyRequest
from judging.scoring import error_class


async def vote(
    desk: Desk,
    request: VerifyRequest,
    votes: int,
    *,
    page: Callable[[], Passage] | None = None,
    run: int = 0,
) -> tuple[VerifyReply, list[VerifyReply]]:
    """The strict majority of ``votes`` and all replies; half of them and one at once, the rest only if they disagree.

    The judge says how many there are: one that would answer the same again is asked once, of a panel every seat counts,
    also one whose model failed. The replies are in the order of the seats, whichever came first, and the first that agrees
    with the majority speaks for it. ``page`` makes what is shown of a page once it is asked about, so that checks that wait
    for their turn hold none. ``run`` numbers askings that must not share a vote.
    """
    votes = votes if desk.judge is None else desk.judge.votes(votes)
    majority, first = votes // 2 + 1, run * votes
    replies = await settle(_ask(desk, replace(request, sample=first + n), page) for n in range(majority))
    while (winner := _majority(replies, majority)) is None and len(replies) < votes:
        replies += await settle([_ask(desk, replace(request, sample=first + len(replies)), page)])
    if winner is None:
        winner = replace(replies[0], finding=Finding.NOT_ASSESSED, code=VerdictCode.DISAGREEMENT, quote="")
    return winner, replies


async def _ask(desk: Desk, request: VerifyRequest, page: Callable[[], Passage] | None) -> VerifyReply:
    async with desk.call() as judge:
        asked = replace(request, page=page()) if page else request
        return _as_vote(await judge.verify(asked), asked)


def _as_vote(reply: VerifyReply, request: VerifyRequest) -> VerifyReply:
    """The reply, whose record says which vote it is, on what, and what it said."""
    record = replace(
        reply.record,
        sample=request.sample,
        page=request.page.url if request.page else "",
        finding=reply.finding.value,
        code=reply.code.value,
    )
    return replace(reply, record=record)


def _majority(replies: Sequence[VerifyReply], majority: int) -> VerifyReply | None:
    for finding in Finding:
        same = [reply for reply in replies if reply.finding is finding]
        if len(same) >= majority:
            return same[0]
    return None


def judgement_of(reply: VerifyReply, replies: Sequence[VerifyReply], statement: str) -> Judgement:
    """A reply as a judgement, with the calls of all of them."""
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


async def without_evidence(request: VerifyRequest, votes: int, desk: Desk) -> Judgement:
    """A check about the answer alone."""
    reply, replies = await vote(desk, request, votes)
    found = judgement_of(reply, replies, request.statement)
    if reply.finding in {Finding.REFUTED, Finding.UNDECIDED}:
        kind = error_class(answer_state=reply.answer_state or "", relevance="", dead=False, cited=False)
        found = replace(found, error_class=kind.value if kind else "")
    return found
