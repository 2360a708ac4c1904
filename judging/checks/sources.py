"""A page as cited with what we hold of it, and what a check's key is made of."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from judging.canonical import digest
from judging.cascade import Finding
from judging.case import AnswerWork, Case, Snapshot
from judging.citations import MalformedUrl
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement
from judging.evidence import Standing
from judging.judges.base import Passage, Relevance
from judging.passages import select


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

    def evidence(
        self,
        finding: Finding | None = None,
        *,
        passage: Passage | None = None,
        relevance: Relevance | None = None,
    ) -> dict[str, Any]:
        """What a verdict remembers of the page; ``finding`` None: it was not put before the judge."""
        return {
            "url": self.url,
            "source": self.source,
            "standing": self.standing.value,
            "snapshot": self.snapshot.id if self.snapshot else None,
            "verdict": self.snapshot.verdict if self.snapshot else None,
            "finding": finding.value if finding else None,
            "relevance": relevance.value if relevance else None,
            "ranges": [list(r) for r in passage.ranges] if passage else [],
            "truncated": bool(passage and passage.truncated),
        }


class Fingerprinted(Protocol):
    """Evidence that goes into a key."""

    def fingerprint(self) -> list[str]: ...


def unread_code(standing: Standing) -> VerdictCode:
    """The code of a page that is not put before a judge."""
    return VerdictCode(f"page_{standing.value}")


def check_key(
    kind: str, body: dict[str, Any], work: AnswerWork, case: Case, pages: Sequence[Fingerprinted] = ()
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
            "passage": case.passage,
        }
    )


def passage_of(
    snapshot: Snapshot, url: str, statement: str, case: Case, *, extracting: bool = False
) -> Passage:
    """What of a page is shown for ``statement``; ``extracting``: to the one who reads data out of it."""
    return select(
        case.read(snapshot.text_sha256),
        statement,
        budget=case.passage_characters,
        tokens=case.extract_tokens if extracting else case.passage_tokens,
        snapshot=snapshot.text_sha256,
        url=url,
        title=snapshot.title,
    )


async def remember(
    desk: Desk, work: AnswerWork, check: str, key: str, decide: Callable[[], Coroutine[Any, Any, Judgement]]
) -> Judgement:
    """What the desk knows under ``key``, or what ``decide`` finds."""
    return await desk.judgement(answer=work.id, rubric=work.rubric_id, check=check, key=key, decide=decide)
