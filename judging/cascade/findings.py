"""What was found about one answer: subtasks, their rubrics in three dimensions, and the values of those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judging.tree import Outcome


class Finding(StrEnum):
    """What was found about one claim."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    UNDECIDED = "undecided"  # the evidence was looked at and does not settle it
    NOT_ASSESSED = "not_assessed"  # the judge abstained or gave no usable reply
    ERROR = "error"  # our own fault; retried alone later


class Importance(StrEnum):
    """How much a subtask matters; P0 is critical."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


class Dimension(StrEnum):
    """The three dimensions a subtask is judged in, in the order of the cascade."""

    INSTRUCTION = "instruction"
    FACTUALITY = "factuality"
    RATIONALITY = "rationality"


class MalformedCascade(ValueError):
    """The subtasks break a rule without which no score can be told."""


@dataclass(frozen=True, slots=True)
class Factuality:
    """One factuality rubric: either the findings of its claims, or one outcome; neither = not judged.

    An empty tuple of claims says that the subtask was looked at and claims nothing.

    :raises MalformedCascade: if both are given.
    """

    claims: tuple[Finding | None, ...] | None = None
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        if self.claims is not None and self.outcome is not None:
            raise MalformedCascade("a factuality rubric has claims or one verdict, not both")


@dataclass(frozen=True, slots=True)
class Subtask:
    """One subtask with what was found for each of its rubrics; None = not judged, unknown."""

    id: str
    importance: Importance
    instruction: tuple[Outcome | None, ...] = ()
    factuality: tuple[Factuality, ...] = ()
    rationality: tuple[Outcome | None, ...] = ()


_DECIDED = (Finding.SUPPORTED, Finding.REFUTED)
_LOOKED_AT = (*_DECIDED, Finding.UNDECIDED)
_ASSESSED = (Outcome.MET, Outcome.UNMET)


def cascade_faults(subtasks: Sequence[Subtask]) -> list[tuple[str, str]]:
    """What makes subtasks unfit for scoring: (id of the subtask, reason), empty if nothing does."""
    if not subtasks:
        return [("", "has no subtask")]
    return list(_subtask_faults(subtasks))


def _subtask_faults(subtasks: Sequence[Subtask]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for subtask in subtasks:
        if not subtask.id:
            yield subtask.id, "has no id"
        elif subtask.id in seen:
            yield subtask.id, "id is used twice"
        if not (subtask.instruction or subtask.factuality or subtask.rationality):
            yield subtask.id, "has no rubric"
        seen.add(subtask.id)


def reader_values(subtask: Subtask, dimension: Dimension, *, unknown: float) -> list[float]:
    """What each rubric of a dimension is worth to a reader, with ``unknown`` for every unknown verdict.

    An undecided claim is worth nothing to a reader, and neither is a rubric without any claim.
    """
    if dimension is Dimension.FACTUALITY:
        return [_reader_value(rubric, unknown) for rubric in subtask.factuality]
    return [_outcome_value(outcome, unknown) for outcome in _outcomes(subtask, dimension)]


def published_values(subtask: Subtask, dimension: Dimension) -> list[float]:
    """The values of a dimension's rubrics as far as they were assessed.

    A factuality rubric is worth supported / (supported + refuted) and has no value if nothing is decided.
    """
    if dimension is Dimension.FACTUALITY:
        values = [_published_value(rubric) for rubric in subtask.factuality]
        return [value for value in values if value is not None]
    outcomes = _outcomes(subtask, dimension)
    return [float(outcome is Outcome.MET) for outcome in outcomes if outcome in _ASSESSED]


def claims_looked_at(subtask: Subtask) -> list[Finding]:
    """The findings of all claims of a subtask that evidence was looked at for."""
    return [claim for rubric in subtask.factuality for claim in rubric.claims or () if claim in _LOOKED_AT]


def assessed_checks(subtask: Subtask, dimension: Dimension) -> list[bool]:
    """One entry a check (a claim, or a verdict on a whole rubric): was it assessed?"""
    if dimension is Dimension.FACTUALITY:
        return [assessed for rubric in subtask.factuality for assessed in _assessed(rubric)]
    return [outcome in _ASSESSED for outcome in _outcomes(subtask, dimension)]


def _outcomes(subtask: Subtask, dimension: Dimension) -> tuple[Outcome | None, ...]:
    return subtask.instruction if dimension is Dimension.INSTRUCTION else subtask.rationality


def _outcome_value(outcome: Outcome | None, unknown: float) -> float:
    if outcome in _ASSESSED:
        return float(outcome is Outcome.MET)
    return unknown


def _reader_value(rubric: Factuality, unknown: float) -> float:
    if rubric.claims is None:
        return _outcome_value(rubric.outcome, unknown)
    supported = rubric.claims.count(Finding.SUPPORTED)
    open_ = sum(claim not in _LOOKED_AT for claim in rubric.claims)
    return (supported + unknown * open_) / len(rubric.claims) if rubric.claims else 0.0


def _published_value(rubric: Factuality) -> float | None:
    if rubric.claims is None:
        return _outcome_value(rubric.outcome, 0.0) if rubric.outcome in _ASSESSED else None
    decided = [claim for claim in rubric.claims if claim in _DECIDED]
    return decided.count(Finding.SUPPORTED) / len(decided) if decided else None


def _assessed(rubric: Factuality) -> list[bool]:
    if rubric.claims is None:
        return [rubric.outcome in _ASSESSED]
    return [claim in _LOOKED_AT for claim in rubric.claims]
