"""From judgements to the result of one answer: numbers for the summary, and feedback for dev sets. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judging.cascade import CascadeScore, Finding
from judging.case import AnswerWork, Case
from judging.codes import VerdictCode
from judging.desk import Judgement, Reading
from judging.evidence import PageFinding, Standing, combine
from judging.feedback import blank_feedback, cascade_feedback, tree_feedback
from judging.rubric import TreeRubric
from judging.scoring import CascadeResult, References, TreeResult, cascade_hallucinated, tree_hallucinated
from judging.tree import Node, TreeScore

if TYPE_CHECKING:
    from judging.pipeline import SubtaskFindings

__all__ = ["AnswerResult", "blank_result", "cascade_result", "tree_result"]

UNMET = frozenset({Finding.REFUTED, Finding.UNDECIDED})


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """One answer, scored. ``result`` feeds the summary, ``feedback`` is for dev sets only."""

    answer: int
    result: TreeResult | CascadeResult
    feedback: dict[str, Any]

    @property
    def score(self) -> float | None:
        """The root's score, or the overall score of a cascade."""
        return self.result.score if isinstance(self.result, TreeResult) else self.result.overall

    @property
    def user_pref(self) -> int | None:
        """1 to 4, cascades only."""
        return self.result.user_pref if isinstance(self.result, CascadeResult) else None

    def metrics(self) -> dict[str, Any]:
        """Plain numbers of this answer, stored beside its score."""
        result = self.result
        found: dict[str, Any] = {
            "given": result.given,
            "checks": result.checks,
            "assessed": result.assessed,
            "errors": result.errors,
            "hallucinated": result.hallucinated,
            "seconds": result.seconds,
            "answer_chars": result.answer_chars,
        }
        if result.references:
            found["reference_ratio"] = result.references.ratio
            found["reference_support"] = result.references.support
        if isinstance(result, CascadeResult):
            for name in ("instruction", "factuality", "rationality", "overall", "undecided_share"):
                found[name] = getattr(result, name)
        return found


def _common(work: AnswerWork, case: Case) -> dict[str, Any]:
    return {
        "task": work.task,
        "run": work.run,
        "in_full": not case.short_circuit,
        "seconds": work.seconds,
        "cost_usd": work.cost_usd,
        "answer_chars": len(work.text),
    }


# ------------------------------------------------------------------ blank answers
def blank_result(work: AnswerWork, case: Case) -> AnswerResult:
    """Nothing was handed in: zero, and no call is spent on it."""
    common = {**_common(work, case), "given": False, "hallucinated": False, "answer_chars": 0}
    feedback = blank_feedback()
    if isinstance(work.rubric, TreeRubric):
        return AnswerResult(work.id, TreeResult(**common, score=0.0), feedback)
    result = CascadeResult(
        **common,
        instruction=0.0,
        factuality=None,
        rationality=None,
        overall=0.0,
        user_pref=1,
        references=References(),
    )
    return AnswerResult(work.id, result, feedback)


# ------------------------------------------------------------------ citations
def _cited(found: Judgement) -> list[PageFinding]:
    """What the pages the answer cites say, leaving references aside."""
    return [
        PageFinding(
            page["url"], Standing(page["standing"]), Finding(page["finding"]) if page["finding"] else None
        )
        for page in found.evidence
        if page["source"] == "cited"
    ]


def count_references(claims: Iterable[Judgement]) -> References:
    """The claims of an answer by what became of their citations."""
    counts = {"claims": 0, "cited": 0, "supported": 0, "unsupported": 0, "unreachable": 0, "not_assessed": 0}
    for claim in claims:
        counts["claims"] += 1
        if pages := _cited(claim):
            counts["cited"] += 1
            counts[_support(pages)] += 1
    return References(**counts)


def _support(pages: Sequence[PageFinding]) -> str:
    finding = combine(pages)
    if finding is Finding.SUPPORTED:
        return "supported"
    if finding in {Finding.ERROR, Finding.NOT_ASSESSED}:
        return "not_assessed"
    read = any(page.finding is not None for page in pages)
    return "unsupported" if read else "unreachable"


def _dead_urls(claims: Iterable[Judgement]) -> int:
    dead = {page.url for claim in claims for page in _cited(claim) if page.standing is Standing.DEAD}
    return len(dead)


def _errors(found: Iterable[Judgement]) -> int:
    return sum(judgement.finding is Finding.ERROR for judgement in found)


def _classes(found: Iterable[Judgement]) -> tuple[str | None, ...]:
    return tuple(judgement.error_class or None for judgement in found if judgement.finding in UNMET)


# ------------------------------------------------------------------ rubric trees
def tree_result(
    work: AnswerWork, case: Case, root: Node, score: TreeScore, judgements: Mapping[str, Judgement],
    readings: Mapping[str, Reading],
) -> AnswerResult:  # fmt: skip
    """The result of an answer to a ``rubric_tree`` task."""
    reached = [found for leaf, found in judgements.items() if leaf in score.reached]
    classes = _classes(judgements.values())
    unknown = sum(found.finding in {Finding.ERROR, Finding.NOT_ASSESSED} for found in judgements.values())
    sourced = [
        found for found in judgements.values() if found.evidence or found.code == VerdictCode.NO_SOURCES
    ]
    result = TreeResult(
        **_common(work, case),
        score=score.score,
        low=score.low,
        high=score.high,
        checks=len(score.reached),
        assessed=score.assessed,
        errors=_errors(reached),
        error_classes=classes,
        hallucinated=tree_hallucinated(classes, unknown=unknown),
        # A rubric that asks for no sources says nothing about citations.
        references=count_references(sourced) if sourced else None,
    )
    return AnswerResult(work.id, result, tree_feedback(root, score, judgements, readings))


# ------------------------------------------------------------------ cascade
def cascade_result(
    work: AnswerWork, case: Case, found: Sequence[SubtaskFindings], score: CascadeScore
) -> AnswerResult:
    """The result of an answer to a ``cascade`` task."""
    claims = [claim for subtask in found for rubric in subtask.factuality.values() for claim in rubric]
    every = [
        *claims,
        *(j for subtask in found for j in (*subtask.instruction.values(), *subtask.rationality.values())),
    ]
    extracted = [
        claim
        for subtask in found
        for rubric, judged in subtask.factuality.items()
        if rubric in subtask.claims
        for claim in judged
    ]
    references = count_references(extracted)
    result = CascadeResult(
        **_common(work, case),
        instruction=score.instruction,
        factuality=score.factuality,
        rationality=score.rationality,
        overall=score.overall,
        user_pref=score.user_pref,
        user_pref_low=score.user_pref_low,
        user_pref_high=score.user_pref_high,
        undecided_share=score.undecided_share,
        checks=score.checks,
        assessed=score.assessed,
        errors=_errors_of(score, every, found),
        error_classes=_classes(every),
        hallucinated=cascade_hallucinated(
            references,
            refuted_cited=sum(c.finding is Finding.REFUTED and bool(_cited(c)) for c in extracted),
            invalid_urls=_dead_urls(extracted),
            unknown=max(0, score.checks - score.assessed - references.not_assessed),
        ),
        references=references,
    )
    return AnswerResult(work.id, result, cascade_feedback(found, score))


def _errors_of(score: CascadeScore, every: Iterable[Judgement], found: Sequence[SubtaskFindings]) -> int:
    """Our own failures among the checks that were reached, failed claim extractions included."""
    readings = [reading for subtask in found for reading in subtask.claims.values()]
    failed = sum(reading.outcome.value == "error" for reading in readings)
    return min(_errors(every) + failed, score.checks - score.assessed)
