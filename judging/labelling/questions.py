"""The questions that judging an answer in full puts before a judge, gathered without asking one. Pure.

The pipeline runs with an onlooker in the judge's place: it notes what it is asked and decides nothing. So people see what the
judge sees, word for word, and every page of a claim, also those that the judge did not need any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from judging.cascade import Finding
from judging.case import AnswerWork, Case
from judging.desk import Desk, Judgement, Memory, Reading, settle
from judging.judges.base import (
    CallRecord,
    ClaimsReply,
    ClaimsRequest,
    ExtractOutcome,
    ExtractReply,
    ExtractRequest,
    Passage,
    VerifyReply,
    VerifyRequest,
    one_by_one,
)
from judging.pipeline import judge_answer

__all__ = ["Question", "questions_of"]

_RECORD = CallRecord("onlooker")


@dataclass(frozen=True, slots=True)
class Question:
    """A check of an answer with all that a judge is shown; ``key`` is that of its verdict."""

    answer: int
    rubric: int
    check: str
    key: str
    kind: str
    statement: str
    additional: str
    pages: tuple[dict[str, Any], ...]


@dataclass
class _Onlooker:
    """Judge and ledger at once: every question by the beginning of its key, and the check it belongs to."""

    name: str = "onlooker"
    offline: bool = True
    asked: dict[str, list[VerifyRequest]] = field(default_factory=lambda: defaultdict(list))
    found: list[Question] = field(default_factory=list)

    async def extract(self, request: ExtractRequest) -> ExtractReply:
        return ExtractReply(ExtractOutcome.FAILED, None, _RECORD)

    async def claims(self, request: ClaimsRequest) -> ClaimsReply:
        return ClaimsReply(ExtractOutcome.FAILED, (), _RECORD)

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        self.asked[request.check].append(request)
        return VerifyReply(Finding.UNDECIDED, _RECORD)  # the next page is shown as well

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        return await one_by_one(self, requests)

    def votes(self, wanted: int) -> int:
        return 1

    def set_share(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """Nobody is asked."""

    async def aclose(self) -> None:
        """Nothing is open."""

    async def judgement(self, answer: int, rubric: int, check: str, key: str, found: Judgement) -> None:
        requests = self.asked.pop(key[:12], [])
        # What code decides was never a question; a picture cannot be shown to people yet, so what rests on one is none.
        if requests and not any(request.page and request.page.picture for request in requests):
            self.found.append(_question(answer, rubric, check, key, requests))

    async def reading(self, answer: int, name: str, key: str, found: Reading) -> None:
        """What nobody has read out stays unread."""


async def questions_of(works: Sequence[AnswerWork], case: Case, memory: Memory) -> list[Question]:
    """All questions about some answers, as far as what is known was read out of them.

    Answer by answer: equal answers to one task have equal questions.
    """
    found: list[Question] = []
    for work in works:
        onlooker = _Onlooker()
        desk = Desk(Memory(readings=dict(memory.readings)), onlooker, onlooker)
        await settle([judge_answer(work, replace(case, short_circuit=False), desk)])
        found += onlooker.found
    return found


def _question(answer: int, rubric: int, check: str, key: str, requests: Sequence[VerifyRequest]) -> Question:
    first = requests[0]
    pages = {request.page.url: _page(request.page) for request in requests if request.page}
    # By address: the order in which the judge read them would say how well each fits.
    shown = tuple(pages[url] for url in sorted(pages))
    return Question(answer, rubric, check, key, first.kind, first.statement, first.additional, shown)


def _page(page: Passage) -> dict[str, Any]:
    return {
        "url": page.url,
        "title": page.title,
        "sha256": page.snapshot,
        "ranges": [list(part) for part in page.ranges],
        "truncated": page.truncated,
    }
