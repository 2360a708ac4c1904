"""Criteria about the answer: is what a criterion names found together in one region of the answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from judging.cascade import Finding
from judging.judges.base import AnswerState
from judging.judges.lexical.asks import Asked, asked_of
from judging.judges.lexical.compare import Match, best_match, best_section
from judging.judges.lexical.document import Reading
from judging.judges.lexical.facts import facts_of
from judging.judges.lexical.passages import Index

__all__ = ["CriterionDecision", "judge_criterion"]

MET = 0.6  # share of the criterion's words a few sentences must hold
MET_BY_SECTION = 0.75  # the same for a whole section
NEAR_ENOUGH = 0.4  # share one sentence or two must hold for their section to be looked at
MAX_QUOTE = 600
_NOT_FOUND = re.compile(
    r"\b(?:could|can|did|was|were)(?: not|n[o'’]t|n't) (?:be )?(?:able to )?(?:find|found|locate|verif|determin|confirm|establish)"
    r"|\b(?:unable|failed) to (?:find|verify|locate|determine|confirm|establish)|\bno (?:\w{1,20} )?information\b"
    r"|\bnot (?:found|available|known|public)\b|\bno (?:reliable |public |definitive )?(?:data|sources?|results?|evidence)\b"
    r"|\bcannot be (?:found|verified|determined|confirmed)|未找到|没有找到|無法|无法|見つかりません|nicht (?:gefunden|bekannt)",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"\b(?:because|therefore|thus|hence|so (?!far|much|many|called)|since (?!\d|the \d|january|february|march|april|may|june"
    r"|july|august|september|october|november|december)|due to|as a result|consequently|which means|given that|owing to"
    r"|this means|for this reason|leads? to|led to|follows (?:from|that)|implies|suggests? that|results? (?:in|from)"
    r"|thanks to|explains? why|reason(?:s)? (?:is|are|for)|weil|daher|deshalb|porque|por lo tanto|donc|parce que)\b"
    r"|因此|所以|因为|因為|由于|由於|从而|從而|なので|ため|したがって|따라서|때문",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CriterionDecision:
    """Met or not, why, and what the answer does about the thing asked for."""

    finding: Finding
    reason: str
    quote: str = ""
    state: AnswerState | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """A region of the answer against a criterion; ``lacks`` says what it lacks, empty if nothing."""

    share: float
    region: str
    lacks: str

    @property
    def met(self) -> bool:
        return not self.lacks


def _disagrees(match: Match) -> str:
    if match.conflicting or match.missing:
        return "a number or date of it"
    if match.names_missing:
        return "a name of it"
    return "its sense: the answer says the opposite" if match.flipped else ""


def _says_not_found(match: Match, index: Index) -> bool:
    """Whether a sentence of the region about the thing says that it could not be found."""
    sentences = [index.sentence(n) for n in match.window.sentences]
    return any(_NOT_FOUND.search(s) and facts_of(s).stems & match.wanted for s in sentences)


def _lacks(match: Match, asked: Asked, index: Index, floor: float, *, rational: bool) -> str:
    region = index.text[slice(*match.window.span)]
    if min(match.core, match.credited) < floor:
        return "some of its words"
    if _says_not_found(match, index) and not _NOT_FOUND.search(asked.statement):
        return "the thing itself, which the answer says it could not find"
    if rational and not _CONNECTIVE.search(region):
        return "a reason that is given as one"
    if rational:
        return _disagrees(match)
    said = [f for f in (facts_of(index.reading(n)) for n in match.window.sentences) if f.stems & match.wanted]
    return _disagrees(match) or asked.lacking(said, region)


def _found(asked: Asked, index: Index, *, rational: bool) -> _Found:
    """The best few sentences, else the best section, that satisfy the criterion; else what comes nearest."""
    near = best_match(asked.words, index)
    wide = best_section(asked.words, index) if near and near.core >= NEAR_ENOUGH else None
    tried = [
        _Found(
            m.credited, index.text[slice(*m.window.span)], _lacks(m, asked, index, floor, rational=rational)
        )
        for m, floor in ((near, MET), (wide, MET_BY_SECTION))
        if m is not None
    ]
    return next((t for t in tried if t.met), tried[0] if tried else _Found(0.0, "", "all of its words"))


def _state(found: _Found) -> AnswerState:
    if found.met:
        return AnswerState.GIVES
    return AnswerState.SAYS_NOT_FOUND if _NOT_FOUND.search(found.region) else AnswerState.OMITS


def judge_criterion(
    criterion: str, index: Index, reading: Callable[[], Reading], *, rational: bool
) -> CriterionDecision:
    """Whether the answer satisfies a criterion; a rationality criterion wants a connective as well.

    ``reading`` gives the answer's structure; it is asked for only where things are to be counted.
    """
    asked = asked_of(criterion)
    found = _found(asked, index, rational=rational)
    if not found.met and asked.count and asked.enumerated(reading()):
        found = _Found(1.0, found.region, "")
    reason = f"the best region of the answer holds {found.share:.0%} of its words"
    if found.lacks:
        reason = f"{reason}, but lacks {found.lacks}"
    if asked.forbids:
        finding = Finding.REFUTED if found.met else Finding.SUPPORTED
        return CriterionDecision(
            finding, f"the criterion forbids something; {reason}", found.region[:MAX_QUOTE]
        )
    finding = Finding.SUPPORTED if found.met else Finding.REFUTED
    return CriterionDecision(finding, reason, found.region[:MAX_QUOTE], _state(found))
