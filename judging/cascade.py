"""Score of a task by subtasks: instruction following gates factuality and rationality.

After DailyReport (arXiv 2606.12871), whose equations are not public in a form we could read: profile
``cascade/1`` follows what is known and is not fitted, so its figures are not comparable with the
paper's. Every constant is a field of :class:`ScoringProfile`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from judging.tree import Outcome

__all__ = [
    "DEFAULT_PROFILE",
    "Average",
    "Band",
    "CascadeScore",
    "Combine",
    "Dimension",
    "Factuality",
    "Finding",
    "Importance",
    "InvalidProfile",
    "ScoringProfile",
    "Subtask",
    "SubtaskScore",
    "score_cascade",
]


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


class Average(StrEnum):
    """What counts alike in a dimension score: importance-weighted subtasks, every rubric, every subtask."""

    IMPORTANCE = "importance"
    RUBRIC = "rubric"
    SUBTASK = "subtask"


class Combine(StrEnum):
    """How the dimensions of a subtask become one number."""

    CASCADE = "cascade"
    PRODUCT = "product"
    MIN = "min"
    MEAN = "mean"


class Band(StrEnum):
    """What a reader makes of a subtask."""

    PASS = "pass"  # noqa: S105 - a band, not a password
    WEAK = "weak"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Factuality:
    """One factuality rubric: either the findings of its claims, or one outcome; neither = not judged.

    An empty tuple of claims says that the subtask was looked at and claims nothing.
    """

    claims: tuple[Finding | None, ...] | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Subtask:
    """One subtask with what was found for each of its rubrics; None = not judged, unknown."""

    id: str
    importance: Importance
    instruction: tuple[Outcome | None, ...] = ()
    factuality: tuple[Factuality, ...] = ()
    rationality: tuple[Outcome | None, ...] = ()


class InvalidProfile(ValueError):
    """A scoring profile names an unknown constant or gives one a value that makes no sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringProfile:
    """Every constant of the cascade. ``name`` is the version a score is shown with."""

    name: str = "cascade/1"
    gate_threshold: float = 1.0
    gates: Mapping[Dimension, tuple[Dimension, ...]] = field(
        default_factory=lambda: {
            Dimension.FACTUALITY: (Dimension.INSTRUCTION,),
            Dimension.RATIONALITY: (Dimension.INSTRUCTION,),
        },
        hash=False,
    )
    weights: Mapping[Importance, float] = field(
        default_factory=lambda: {Importance.P0: 1.0, Importance.P1: 0.5, Importance.P2: 0.25}, hash=False
    )
    average: Average = Average.IMPORTANCE
    o_combine: Combine = Combine.CASCADE
    pass_at: float = 0.8
    fail_below: float = 0.5
    overall_fail_below: float = 0.5
    p1_fail_share: float = 0.5
    excellent: float = 0.95
    tolerance: float = 1e-9

    @classmethod
    def from_mapping(cls, source: Mapping[str, Any]) -> ScoringProfile:
        """Read the constants that depart from the default profile.

        :raises InvalidProfile: for an unknown name, a value that is no number, NaN, infinite or out of range.
        """
        raise NotImplementedError


DEFAULT_PROFILE = ScoringProfile()


@dataclass(frozen=True, slots=True)
class SubtaskScore:
    """Scores of one subtask, each in [0, 1].

    Dimensions are the means of the published values, None where nothing was assessed. ``gate_open`` and
    ``overall`` (o_k) and ``band`` are None where unknown verdicts leave them open.
    """

    id: str
    importance: Importance
    instruction: float | None
    factuality: float | None
    rationality: float | None
    gate_open: bool | None
    overall: float | None
    band: Band | None


@dataclass(frozen=True, slots=True)
class CascadeScore:
    """Scores of one task: dimensions and overall in [0, 1], UserPref 1 to 4, None where unknown.

    ``undecided_share`` is the share of undecided claims among those looked at behind an open gate.
    ``checks`` counts the checks that had to be judged (taking unknown ones as met), ``assessed`` those
    with a verdict; ``coverage`` is their share.
    """

    instruction: float | None
    factuality: float | None
    rationality: float | None
    overall: float | None
    user_pref: int | None
    undecided_share: float | None
    subtasks: tuple[SubtaskScore, ...]
    coverage: float
    checks: int
    assessed: int


def score_cascade(subtasks: tuple[Subtask, ...], profile: ScoringProfile = DEFAULT_PROFILE) -> CascadeScore:
    """Score one task."""
    raise NotImplementedError
