"""Criteria about the answer: is what a criterion names found together in one region of the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from judging.cascade import Finding
from judging.judges.base import AnswerState
from judging.judges.lexical.compare import Match, best_match
from judging.judges.lexical.facts import readable
from judging.judges.lexical.passages import IndexCache

__all__ = ["CriterionDecision", "judge_criterion"]

MET = 0.6
_NOT_FOUND = re.compile(
    r"\b(?:could|can|did)(?: not|n't|not) (?:be )?(?:find|found|locate|verify|verified|determine|confirm)"
    r"|\bunable to (?:find|verify|locate|determine|confirm)|\bno (?:\w{1,20} )?information\b|\bnot (?:found|available)\b"
    r"|\bno (?:reliable |public )?(?:data|sources?|results?|evidence)\b|未找到|没有找到|无法|見つかりません|nicht gefunden",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"\b(?:because|therefore|thus|hence|so|since|due to|as a result|consequently|which means|given that|owing to"
    r"|this means|for this reason|leads? to|follows|implies|suggests?|weil|daher|deshalb|porque|donc|car)\b"
    r"|因此|所以|因为|由于|从而|なので|ため|したがって",
    re.IGNORECASE,
)
_META = re.compile(
    r"\b(?:the )?(?:answer|response|report|reasoning|conclusions?|arguments?|criterion)\b"
    r"|\b(?:names?|states?|gives?|lists?|mentions?|explains?|identif(?:y|ies)|provides?|describes?|says?|notes?|reports?"
    r"|includes?|contains?|follows?|facts?|given|correct(?:ly)?|clear(?:ly)?|explicit(?:ly)?|at least|justif(?:y|ies|ied))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CriterionDecision:
    """Met or not, why, and what the answer does about the thing asked for."""

    finding: Finding
    reason: str
    quote: str
    state: AnswerState


def _region(match: Match | None, answer: str) -> str:
    return answer[slice(*match.window.span)] if match else ""


def _met(match: Match | None, region: str, rational: bool) -> bool:
    if match is None or match.coverage < MET or match.conflicting or match.missing or match.names_missing:
        return False
    return not rational or bool(_CONNECTIVE.search(region))


def _state(met: bool, region: str) -> AnswerState:
    if met:
        return AnswerState.GIVES
    return AnswerState.SAYS_NOT_FOUND if _NOT_FOUND.search(region) else AnswerState.OMITS


def judge_criterion(criterion: str, answer: str, cache: IndexCache, *, rational: bool) -> CriterionDecision:
    """Whether the answer satisfies a criterion; a rationality criterion wants a connective as well."""
    asked = _META.sub(" ", readable(criterion))
    match = best_match(asked, cache.get(answer))
    region = _region(match, answer)
    met = _met(match, region, rational)
    share = match.coverage if match else 0.0
    return CriterionDecision(
        Finding.SUPPORTED if met else Finding.REFUTED,
        f"the best region of the answer holds {share:.0%} of its words",
        region[:600],
        _state(met, region),
    )
