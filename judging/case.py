"""What the judging of one submission works on, detached from the database. Pure data, immutable."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from judging.cascade import ScoringProfile
from judging.citations import MalformedUrl, host_of, url_key
from judging.evidence import Standing, standing
from judging.rubric import CascadeRubric, TreeRubric
from judging.search.found import Found

__all__ = ["AnswerWork", "Case", "Shot", "Snapshot"]


@dataclass(frozen=True, slots=True)
class Shot:
    """A stored picture of a page: its bytes' SHA-256, what they are, and pixels."""

    sha256: str
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A stored capture, as judging needs it.

    ``static_only``: HTML that nobody has seen as a browser shows it. ``collected_at``: when the submission first
    looked for the page; the clock of what blocks us runs from then, however old or new the capture is. ``characters`` are
    those of its text, ``shot`` is its picture, if it has one.
    """

    id: int
    url: str
    final_url: str
    verdict: str
    status: int | None
    probe_ok: bool | None
    static_only: bool
    text_sha256: str
    title: str
    collected_at: dt.datetime
    characters: int = 0
    shot: Shot | None = None


@dataclass(frozen=True, slots=True)
class AnswerWork:
    """One answer to judge. ``sha256`` is that of its text; a blank answer is never put before a judge."""

    id: int
    task: str  # the task's public id
    prompt: str
    run: int
    text: str
    sha256: str
    seconds: float | None
    cost_usd: float | None
    rubric_id: int
    rubric: TreeRubric | CascadeRubric

    @property
    def blank(self) -> bool:
        """Nothing was handed in, or only white space."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Case:
    """What all answers of a submission share.

    ``pages`` are the snapshots of what the submission cites, by page key; ``references`` those that came with
    the task set. ``read`` gives the text of a snapshot by hash. ``now`` is when the round began,
    ``collected_at`` when the first one did. Of a page at most ``passage_tokens`` are shown to those who decide and
    ``extract_tokens`` to the one who reads it out; ``passage_characters`` where that is None.
    ``group_claims`` checks may share a call. ``picture`` gives the bytes of a picture, None where they are gone.
    ``search`` is what was found for its claims, None where nothing is searched.
    """

    profile_hash: str
    short_circuit: bool
    split: str
    now: dt.datetime
    blocked_days: int
    scoring: ScoringProfile
    pages: Mapping[str, Snapshot]
    references: Mapping[str, Snapshot]
    read: Callable[[str], str]
    collected_at: dt.datetime
    own_domains: frozenset[str] = frozenset()
    votes: int = 1
    passage_characters: int = 24_000
    passage_tokens: int | None = None
    extract_tokens: int | None = None
    group_claims: int = 1
    picture: Callable[[Shot], bytes | None] = lambda _shot: None
    search: Found | None = None

    @property
    def passage(self) -> Any:
        """What of a page is shown at most, as a key of a verdict holds it."""
        counted = (self.passage_tokens, self.extract_tokens)
        return self.passage_characters if counted == (None, None) else list(counted)

    def snapshot(self, url: str, *, reference: bool = False) -> Snapshot | None:
        """The snapshot taken for ``url``; None if there is none.

        :raises MalformedUrl: ``url`` is not an address of a page.
        """
        return (self.references if reference else self.pages).get(url_key(url))

    def standing(self, snapshot: Snapshot | None) -> Standing:
        """What can be done with ``snapshot`` now; with none, the judge reads a URL that nobody collected."""
        if snapshot is None:
            age = self.now - self.collected_at
            return standing("network", status=None, probe_ok=None, age=age, blocked_days=self.blocked_days)
        if self.is_own(snapshot.final_url or snapshot.url):
            return Standing.OWN
        found = standing(
            snapshot.verdict,
            status=snapshot.status,
            probe_ok=snapshot.probe_ok,
            age=self.now - snapshot.collected_at,
            blocked_days=self.blocked_days,
        )
        # What a browser would have shown is not known: on a test set a person must look.
        unsure = snapshot.static_only and self.split == "test"
        return Standing.REVIEW if found is Standing.READABLE and unsure else found

    def is_own(self, url: str) -> bool:
        """Whether a page lies on one of the team's own domains: such a page decides nothing."""
        host = host_of(url)
        return any(host == own or host.endswith(f".{own}") for own in map(_as_host, self.own_domains) if own)


@lru_cache(maxsize=256)
def _as_host(domain: str) -> str:
    """A domain as hosts of URLs are written."""
    return host_of(f"https://{domain}")


def key_or_none(url: str) -> str | None:
    """The page key, or None for what names no page."""
    try:
        return url_key(url)
    except MalformedUrl:
        return None
