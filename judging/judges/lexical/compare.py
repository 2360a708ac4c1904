"""How far a passage bears out a claim: coverage of its words, names and quantities, and contradictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judging.judges.lexical.facts import Facts, facts_of, terms_of
from judging.judges.lexical.passages import Index, Window, weights
from judging.judges.lexical.quantities import Quantity, agrees, comparable
from judging.judges.lexical.words import OPPOSED

__all__ = ["Match", "best_match"]

OWN = 0.3  # least share of a claim's words that must stand in the passage itself, not above it


@dataclass(frozen=True, slots=True)
class Match:
    """One claim against one window."""

    window: Window
    coverage: float  # weighted share of the claim's words found in the window or above it
    own: float  # the same for the window alone
    core: float  # the same for the words that are not the topic of the page (its title and headings)
    names_missing: frozenset[str]
    agreed: tuple[Quantity, ...]
    conflicting: tuple[Quantity, ...]
    missing: tuple[Quantity, ...]
    flipped: frozenset[str]  # words said of one and denied of the other, or opposites

    @property
    def rank(self) -> float:
        """What orders the windows of a text; more than one sentence costs a little."""
        numbers = len(self.agreed) - 0.5 * len(self.conflicting)
        return self.coverage + 0.5 * self.own + 0.4 * numbers - 0.03 * len(self.window.sentences)


def _share(found: frozenset[str], weight: Mapping[str, float]) -> float:
    total = sum(weight.values())
    return sum(w for t, w in weight.items() if t in found) / total if total else 1.0


def _sorted_out(
    claim: Facts, window: Facts
) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...], tuple[Quantity, ...]]:
    agreed = tuple(q for q in claim.quantities if any(agrees(q, p) for p in window.quantities))
    open_ones = [q for q in claim.quantities if q not in agreed]
    free = [p for p in window.quantities if not any(agrees(q, p) for q in claim.quantities)]
    conflicting = tuple(q for q in open_ones if any(comparable(q, p) for p in free))
    return agreed, conflicting, tuple(q for q in open_ones if q not in conflicting)


def _flipped(claim: Facts, window: Facts) -> frozenset[str]:
    shared = claim.stems & window.stems
    denied_there = {s for s in shared if s in claim.asserted and s in window.negated}
    denied_here = {s for s in shared if s in claim.negated and s in window.asserted}
    opposed = {
        s
        for s in claim.stems - window.stems
        if OPPOSED.get(s, frozenset()) & window.stems and not OPPOSED[s] & claim.stems
    }
    flips = frozenset(denied_there | denied_here) | frozenset(opposed)
    if window.denied != claim.denied:
        return frozenset() if flips else shared
    return flips


def _match(
    claim: Facts, weight: Mapping[str, float], topic: frozenset[str], lead: frozenset[str], window: Window
) -> Match:
    here = window.facts.stems
    reach = here | window.context
    core = {t: w for t, w in weight.items() if t not in topic} or weight
    agreed, conflicting, missing = _sorted_out(claim, window.facts)
    return Match(
        window,
        _share(reach, weight),
        _share(here, weight),
        _share(reach, core),
        claim.names - reach - lead,
        agreed,
        conflicting,
        missing,
        _flipped(claim, window.facts),
    )


def best_match(claim: str, index: Index) -> Match | None:
    """The window that says most about the claim, None if no word of it stands in the text."""
    facts = facts_of(claim)
    weight = weights(sorted(facts.stems), facts.names, index)
    matches = [
        _match(facts, weight, index.title, index.lead, window) for window in index.windows(terms_of(claim))
    ]
    return max(matches, key=lambda m: (round(m.rank, 9), -m.window.span.start), default=None)
