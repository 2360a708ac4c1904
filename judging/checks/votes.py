"""Asking several times, and what the replies say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from judging.cascade import Finding
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement, settle
from judging.judges.base import Passage, VerifyReply, VerifyRequest
from judging.scoring import error_class

Voted = tuple[VerifyReply, list[VerifyReply]]  # what speaks for the votes, and all of them


async def vote(
    desk: Desk,
    request: VerifyRequest,
    votes: int,
    *,
    page: Callable[[], Passage] | None = None,
    run: int = 0,
) -> Voted:
    """The strict majority of ``votes`` and all replies; half of them and one at once, the rest only if they disagree.

    The judge says how many there are: one that would answer the same again is asked once, of a panel every seat counts,
    also one whose model failed. The replies are in the order of the seats, whichever came first, and the first that agrees
    with the majority speaks for it. ``page`` makes what is shown of a page once it is asked about, so that checks that wait
    for their turn hold none. ``run`` numbers askings that must not share a vote.
    """
    return (await vote_together(desk, [request], votes, page=page, run=run))[0]


async def vote_together(
    desk: Desk,
    requests: Sequence[VerifyRequest],
    votes: int,
    *,
    page: Callable[[], Passage] | None = None,
    run: int = 0,
    group: Sequence[VerifyRequest] = (),
) -> list[Voted]:
    """The same for checks that share every call: each has a majority of its own, and the rest is asked about those that
    have none yet. ``group``: all that belong together, where some are known already."""
    votes = votes if desk.judge is None else desk.judge.votes(votes)
    majority, first = votes // 2 + 1, run * votes
    given = await settle(_ask(desk, requests, first + n, page, group) for n in range(majority))
    replies = [list(of_one) for of_one in zip(*given, strict=True)]
    for sample in range(first + majority, first + votes):
        if not (torn := [place for place, said in enumerate(replies) if not _majority(said, majority)]):
            break
        more = await _ask(desk, [requests[place] for place in torn], sample, page, ())
        for place, reply in zip(torn, more, strict=True):
            replies[place].append(reply)
    return [_voted(said, majority) for said in replies]


async def _ask(
    desk: Desk,
    requests: Sequence[VerifyRequest],
    sample: int,
    page: Callable[[], Passage] | None,
    group: Sequence[VerifyRequest],
) -> list[VerifyReply]:
    async with desk.call() as judge:
        shown = page() if page else None
        asked, whole = (
            [replace(request, sample=sample, page=shown or request.page) for request in some]
            for some in (requests, group)
        )
        if len(asked) == 1 and not whole:
            said = [await judge.verify(asked[0])]
        else:
            said = await judge.verify_group(asked, group=whole)
    return [_as_vote(reply, request) for reply, request in zip(said, asked, strict=True)]


def _voted(replies: list[VerifyReply], majority: int) -> Voted:
    winner = _majority(replies, majority)
    if winner is None:
        winner = replace(replies[0], finding=Finding.NOT_ASSESSED, code=VerdictCode.DISAGREEMENT, quote="")
    return winner, replies


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


def without_evidence(voted: Voted, statement: str) -> Judgement:
    """What a vote about the answer alone says of a check."""
    reply, replies = voted
    found = judgement_of(reply, replies, statement)
    if reply.finding in {Finding.REFUTED, Finding.UNDECIDED}:
        kind = error_class(answer_state=reply.answer_state or "", relevance="", dead=False, cited=False)
        found = replace(found, error_class=kind.value if kind else "")
    return found
