"""What a snapshot means for a check that needs its page: the table of ``docs/scoring.md``, and nothing else. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from judging.cascade import Finding

__all__ = ["PageFinding", "Standing", "combine", "standing"]


class Standing(StrEnum):
    """What can be done with a snapshot."""

    READABLE = "readable"  # there is text to judge
    DEAD = "dead"  # the team's fault: settled, no support
    BLOCKED_SETTLED = "blocked_settled"  # inaccessible for too long: settled, no support
    REVIEW = "review"  # a person must look
    BLOCKED = "blocked"  # a person must look; settles by the clock
    RETRY = "retry"  # our own failure
    OWN = "own"  # a page of the team's own: it decides nothing

    @property
    def settled(self) -> bool:
        """Whether the page is done with and gave no support."""
        return self in {Standing.DEAD, Standing.BLOCKED_SETTLED, Standing.OWN}


_READABLE = frozenset({"ok", "partial"})
_DEAD = frozenset({"not_found", "malformed", "denied", "unsupported_type"})
_REVIEW = frozenset({"soft_404", "parked", "empty", "too_large", "pdf_failed", "error_status"})
_BLOCKED = frozenset({"challenge", "login_wall", "consent_wall", "blocked_status"})
GONE = 410


def standing(
    verdict: str,
    *,
    status: int | None,
    probe_ok: bool | None,
    age: dt.timedelta,
    blocked_days: int,
) -> Standing:
    """Where a snapshot stands.

    :param age: time since it was taken; what blocks us for ``blocked_days`` settles as no support
        (Mind2Web 2: inaccessible is unsupported).
    :param probe_ok: whether known good hosts answered at that time: only then is a dead name the team's fault.
    """
    if verdict in _READABLE:
        return Standing.READABLE
    if verdict in _DEAD or (verdict == "error_status" and status == GONE):
        return Standing.DEAD
    if verdict == "dead_host" and probe_ok:
        return Standing.DEAD
    if verdict in _REVIEW:
        return Standing.REVIEW
    if age >= dt.timedelta(days=blocked_days):
        return Standing.BLOCKED_SETTLED
    return Standing.BLOCKED if verdict in _BLOCKED else Standing.RETRY


@dataclass(frozen=True, slots=True)
class PageFinding:
    """What one page says about one claim; ``finding`` None for a page that was not put before the judge."""

    url: str
    standing: Standing
    finding: Finding | None = None

    @property
    def effective(self) -> Finding:
        """The finding, or what the standing alone says."""
        if self.finding is not None:
            return self.finding
        if self.standing.settled:
            return Finding.UNDECIDED
        return Finding.ERROR if self.standing is Standing.RETRY else Finding.NOT_ASSESSED


def combine(pages: Iterable[PageFinding]) -> Finding:
    """One finding from all cited pages of a claim; independent of their order.

    One supporting page suffices. Without support the claim is unknown while any page is: it may be the one.
    Otherwise it is refuted if a page refutes it, else undecided.
    """
    found = {page.effective for page in pages}
    for finding in (Finding.SUPPORTED, Finding.ERROR, Finding.NOT_ASSESSED, Finding.REFUTED):
        if finding in found:
            return finding
    return Finding.UNDECIDED
