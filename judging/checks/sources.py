"""A page as cited with what we hold of it, and what a check's key is made of."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from judging.canonical import digest
from judging.cascade import Finding
from judging.case import AnswerWork, Case, Shot, Snapshot
from judging.checks.shots import fingerprint, shot_of
from judging.citations import MalformedUrl
from judging.codes import VerdictCode
from judging.desk import Desk, Judgement
from judging.evidence import Standing
from judging.judges.base import Passage, Relevance
from judging.passages import overlap, select
from judging.rubric import Screenshot


class Source:
    """A URL as cited and what we hold of it."""

    __slots__ = ("shot", "snapshot", "source", "standing", "url")

    def __init__(
        self, url: str, case: Case, *, source: str = "cited", screenshot: Screenshot = "never"
    ) -> None:
        self.url = url
        self.shot: Shot | None = None
        self.source = source
        self.snapshot: Snapshot | None = None
        try:
            self.snapshot = case.snapshot(url, reference=source == "reference")
        except MalformedUrl:
            self.standing = Standing.DEAD
            return
        self.standing = case.standing(self.snapshot)
        if self.standing is Standing.READABLE:
            self.shot = shot_of(screenshot, self.snapshot)

    @property
    def identity(self) -> tuple[str, ...]:
        """Which page it is, among those of one answer, and whether with its picture."""
        return self.source, self.url, *(fingerprint(self.shot) if self.shot else ())

    def fingerprint(self) -> list[str]:
        """What of the page goes into a key: its text, its picture if it is shown, and where it stands; not its row."""
        return [
            self.source,
            self.url,
            self.standing.value,
            self.snapshot.text_sha256 if self.snapshot else "",
            *(fingerprint(self.shot) if self.shot else ()),
        ]

    def evidence(
        self,
        finding: Finding | None = None,
        *,
        passage: Passage | None = None,
        relevance: Relevance | None = None,
        **seen: str,
    ) -> dict[str, Any]:
        """What a verdict remembers of the page and its picture; ``finding`` None: it was not put before the judge."""
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
            **seen,
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


def ranked(pages: Sequence[Source], statement: str, case: Case) -> list[Source]:
    """Unreadable pages first (they cost nothing), then by overlap with the statement; ties as cited."""

    def rank(page: Source) -> float:
        if page.standing is not Standing.READABLE or page.snapshot is None:
            return float("-inf")
        return -overlap(case.read(page.snapshot.text_sha256), statement)

    return sorted(pages, key=rank) if len(pages) > 1 else list(pages)


async def remember(
    desk: Desk, work: AnswerWork, check: str, key: str, decide: Callable[[], Coroutine[Any, Any, Judgement]]
) -> Judgement:
    """What the desk knows under ``key``, or what ``decide`` finds."""
    return await desk.judgement(answer=work.id, rubric=work.rubric_id, check=check, key=key, decide=decide)
