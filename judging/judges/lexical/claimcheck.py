"""A claim against a page, or against task and answer where no page is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from judging.cascade import Finding
from judging.judges.base import Relevance
from judging.judges.lexical.compare import Match, best_match
from judging.judges.lexical.comparison import comparison
from judging.judges.lexical.equality import equality
from judging.judges.lexical.facts import facts_of
from judging.judges.lexical.membership import is_membership, member
from judging.judges.lexical.passages import Index, IndexCache

__all__ = ["Decision", "against_answer", "against_page"]

SUPPORT = 0.7  # coverage of the words that are not the page's topic, where no number speaks
SUPPORT_WITH_NUMBERS = 0.5  # the same where every number of the claim agrees
CONTRADICT = 0.5  # coverage from which differing numbers are about the same thing
FLIP = 0.55  # coverage from which a negation is about the same thing
SUBSTITUTED = 0.7  # coverage of what a claim says of a name that the page never has
PREDICATE = 0.4  # least share of what a claim says of its names: the names alone bear out nothing
PLANNED = 0.5  # share of a claim that a page only plans from which it is no fact
RELEVANT = 0.35
_JOINTS = re.compile(r";|,? \band\b |, (?:of |in )?which |, where |, while |, but ")
_SUBJECT = re.compile(r"(?:The |A |An )?(?:[A-Z][\w'’-]{0,40} ?){1,5}")
MAX_QUOTE = 600  # characters


@dataclass(frozen=True, slots=True)
class Decision:
    """What was found and why, before it becomes a reply."""

    finding: Finding
    reason: str
    quote: str = ""
    relevance: Relevance | None = None


def _substitutes(match: Match) -> bool:
    """Whether the passage says of another name what the claim says of one that the page never has."""
    return bool(match.rivals) and (match.predicate or 0.0) >= SUBSTITUTED


def _contradiction(match: Match) -> str:
    floor = CONTRADICT - 0.1 if match.agreed else CONTRADICT
    if match.conflicting and min(match.core, match.credited) >= floor:
        return "the passage about it gives a different number or date"
    if match.flipped and match.core >= FLIP and match.credited >= FLIP:
        return "the passage denies it or says the opposite"
    if _substitutes(match):
        return "the passage about it names somebody or something else"
    return ""


def _is_only_names(match: Match) -> bool:
    """Whether the passage has the names of a claim and little of what it says of them."""
    return match.predicate is not None and match.predicate < PREDICATE


def _supports(match: Match) -> bool:
    if match.names_missing or match.conflicting or match.missing or match.flipped:
        return False
    if match.planned >= PLANNED or (not match.agreed and _is_only_names(match)):
        return False
    floor = SUPPORT_WITH_NUMBERS if match.agreed else SUPPORT
    return min(match.core, match.credited) >= floor


def _decide(match: Match) -> tuple[Finding, str]:
    share = f"{match.credited:.0%} of its words"
    if _supports(match):
        return Finding.SUPPORTED, f"the best passage holds {share} and its numbers and names agree"
    contradiction = _contradiction(match)
    if contradiction:
        return Finding.REFUTED, f"{contradiction} ({share} match)"
    lacks = "names" if match.names_missing else "numbers" if match.missing else "words"
    return Finding.UNDECIDED, f"the best passage holds {share}, but not all of its {lacks}"


def _quote(match: Match, text: str) -> str:
    start, end = match.window.span
    return text[start : min(end, start + MAX_QUOTE)]


def _whole(claim: str, index: Index) -> Decision:
    match = best_match(claim, index)
    if match is None or (match.credited < RELEVANT and not _substitutes(match)):
        return Decision(Finding.UNDECIDED, "no passage is about it", relevance=Relevance.IRRELEVANT)
    finding, reason = _decide(match)
    return Decision(finding, reason, _quote(match, index.text), Relevance.RELEVANT)


def _parts(claim: str) -> list[str]:
    """The statements a compound claim makes one after another, each with the name that the claim begins with."""
    parts = [part.strip() for part in _JOINTS.split(claim)]
    if len(parts) < 2 or not all(
        len(facts_of(part).stems) >= 2 and facts_of(part).quantities for part in parts
    ):
        return []
    subject = _SUBJECT.match(claim)
    named = subject.group() if subject else ""
    return [parts[0], *(part if facts_of(part).names else f"{named} {part}" for part in parts[1:])]


def against_page(claim: str, text: str, title: str, cache: IndexCache) -> Decision:
    """Whether a page bears out a claim; the quote is a verbatim part of the page."""
    index = cache.get(text, title)
    decision = _whole(claim, index)
    if decision.finding is Finding.SUPPORTED:
        return decision
    parts = [_whole(part, index) for part in _parts(claim)]
    if parts and all(part.finding is Finding.SUPPORTED for part in parts):
        return replace(parts[0], reason="separate passages bear out each part of it")
    return decision


def against_answer(claim: str, answer: str, task: str, cache: IndexCache) -> Decision:
    """Whether the answer, else the task, bears out a claim that needs no page."""
    decided = member(claim) if is_membership(claim) else equality(claim) or comparison(claim)
    if decided is not None:
        holds, reason = decided
        return Decision(Finding.SUPPORTED if holds else Finding.REFUTED, reason)
    decision = against_page(claim, answer, "", cache)
    if decision.finding is Finding.UNDECIDED and task:
        asked = against_page(claim, task, "", cache)
        if asked.finding is not Finding.UNDECIDED:
            decision = asked
    return Decision(decision.finding, decision.reason, decision.quote)
