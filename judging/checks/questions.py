"""What is to be asked about one check, known before anything is asked; and the groups that such questions form.

Groups are formed by content alone: the checks of one unit of work (a wave of leaves, the criteria of a dimension, the
claims of a rubric) in their order, by the page that each is put before first. How busy the service is, what it already
knows and who asks has no part in it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import cast

from judging.case import AnswerWork, Case, Snapshot
from judging.checks.shots import picture_of
from judging.checks.sources import Source, passage_of, ranked
from judging.checks.votes import Voted, vote, vote_together
from judging.desk import Desk
from judging.evidence import Standing
from judging.judges.base import Passage, VerifyRequest

__all__ = ["ALONE", "Question", "Table", "table_of"]


@dataclass(frozen=True, slots=True)
class Question:
    """One check: its key, what is asked, how many votes decide.

    ``evidence`` are the pages it is held against, those of one kind together; None: it is decided without a page.
    """

    key: str
    request: VerifyRequest
    votes: int
    evidence: tuple[tuple[Source, ...], ...] | None = None

    def openings(self, case: Case) -> Iterator[Source | None]:
        """What is asked in any case: of each kind the first page that may be read, or the one question without a page."""
        if self.evidence is None:
            yield None
            return
        for pages in self.evidence:
            order = ranked(pages, self.request.statement, case)
            yield from [page for page in order if page.standing is Standing.READABLE][:1]


Seat = tuple[str, tuple[str, ...] | None]  # of a group: which check, before which page


@dataclass(slots=True)
class _Group:
    """Checks that share their calls. Whoever comes first asks for all that are still open, the others wait."""

    requests: Mapping[str, VerifyRequest]  # by key, those that are open
    whole: Sequence[VerifyRequest]  # and those that are known, if any is
    votes: int
    passage: Callable[[], Passage] | None
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    found: Mapping[str, Voted] | None = None

    async def vote(self, desk: Desk, key: str) -> Voted:
        """What became of one of the checks."""
        async with self.asking:
            self.found = self.found or await self._asked(desk)
        return self.found[key]

    async def _asked(self, desk: Desk) -> Mapping[str, Voted]:
        asked = list(self.requests.values())
        voted = await vote_together(desk, asked, self.votes, page=self.passage, group=self.whole)
        return dict(zip(self.requests, voted, strict=True))


@dataclass(frozen=True, slots=True)
class Table:
    """Where a check asks: in its group if it has one, else alone."""

    seats: Mapping[Seat, _Group] = field(default_factory=dict)

    async def vote(
        self,
        desk: Desk,
        question: Question,
        page: Source | None = None,
        passage: Callable[[], Passage] | None = None,
    ) -> Voted:
        """What the votes say of a check, before ``page`` if there is one, of which ``passage`` is shown."""
        group = self._group(question, page)
        if group is None:
            return await vote(desk, question.request, question.votes, page=passage)
        return await group.vote(desk, question.key)

    def passage(self, question: Question, page: Source, case: Case) -> Callable[[], Passage]:
        """Makes what is shown of a page: to a group the same for all."""
        group = self._group(question, page)
        return (group.passage if group else None) or shown(page, [question], case)

    def _group(self, question: Question, page: Source | None) -> _Group | None:
        return self.seats.get((question.key, page.identity if page else None))


ALONE = Table()


async def table_of(questions: Iterable[Question], case: Case, desk: Desk, work: AnswerWork) -> Table:
    """The groups of a unit of work, of at most ``case.group_claims`` checks each.

    What is remembered keeps its place in its group and is not asked again.
    """
    if case.group_claims == 1 or desk.judge is None:
        return ALONE
    asked = list(questions)
    open_ = {one.key for one in asked if (work.id, one.key) not in desk.memory.judgements}
    alike: dict[object, list[Question]] = defaultdict(list)
    places: dict[object, Source | None] = {}
    for question in asked if open_ else ():
        await asyncio.sleep(0)  # pages are looked through for each: the writer has its turn between them
        for page in question.openings(case):
            likeness = _likeness(question, page)
            alike[likeness].append(question)
            places[likeness] = page
    seats: dict[Seat, _Group] = {}
    for likeness, members in alike.items():
        for start in range(0, len(members), case.group_claims):
            seats |= _seated(members[start : start + case.group_claims], places[likeness], open_, case)
    return Table(seats)


def _likeness(question: Question, page: Source | None) -> object:
    """What checks must have in common to share a call."""
    request = question.request
    identity = page.identity if page else None
    return request.kind, request.answer is None, question.votes, identity


def _seated(
    members: Sequence[Question], page: Source | None, open_: Set[str], case: Case
) -> dict[Seat, _Group]:
    """The seats of a group for those of its members that are open; one that is a group by itself asks alone."""
    requests = {one.key: one.request for one in members if one.key in open_}
    if len(members) == 1 or not requests:
        return {}
    # Also for what is remembered, so that a page is always shown in the same way.
    passage = shown(page, members, case) if page else None
    whole = [one.request for one in members] if len(members) > len(requests) else []
    group = _Group(requests, whole, members[0].votes, passage)
    identity = page.identity if page else None
    return {(key, identity): group for key in requests}


def shown(page: Source, questions: Sequence[Question], case: Case) -> Callable[[], Passage]:
    """Makes what is shown of a page that may be read: what matters for any of the questions."""
    statements = "\n".join(question.request.statement for question in questions)

    @cache
    def passage() -> Passage:
        found = passage_of(cast(Snapshot, page.snapshot), page.url, statements, case)
        return replace(found, picture=picture_of(page.shot, case)) if page.shot else found

    return passage
