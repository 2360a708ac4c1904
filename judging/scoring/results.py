"""What is known of one judged answer, and whether all answers of a submission suffice for a rank."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class InvalidResults(ValueError):
    """Results that no submission can have: counts that do not add up, a run twice, a score out of range."""


class Reason(StrEnum):
    """Why a submission is not ranked."""

    NO_ANSWERS = "no_answers"
    SCORE_UNKNOWN = "score_unknown"  # a root or a UserPref hangs on verdicts that are missing
    ERRORS_LEFT = "errors_left"  # checks failed by our fault and not yet repeated
    COVERAGE_LOW = "coverage_low"


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """The claims of an answer by what became of their citations.

    ``cited`` claims have at least one citation and are ``supported`` by one of its pages, ``unsupported``,
    ``unreachable`` (no page could be read: dead, or blocked and settled) or ``not_assessed``.

    :raises InvalidResults: if the counts do not add up.
    """

    claims: int = 0
    cited: int = 0
    supported: int = 0
    unsupported: int = 0
    unreachable: int = 0
    not_assessed: int = 0

    def __post_init__(self) -> None:
        parts = (self.supported, self.unsupported, self.unreachable, self.not_assessed)
        if min(parts) < 0 or sum(parts) != self.cited or self.cited > self.claims:
            raise InvalidResults(f"counts of claims do not add up: {self}")

    @property
    def ratio(self) -> float:
        """Reference ratio: the share of claims with a citation; 0 if there is no claim."""
        return self.cited / self.claims if self.claims else 0.0

    @property
    def support(self) -> float | None:
        """Reference support: supported cited claims among those assessed; None if there is none."""
        return _share(self.supported, self.supported + self.unsupported + self.unreachable)

    @property
    def support_reachable(self) -> float | None:
        """The same over claims with a page that could be read."""
        return _share(self.supported, self.supported + self.unsupported)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(ABC):
    """What both protocols know of one answer.

    ``run`` counts from 1. ``given`` is False for a blank or missing answer. ``checks`` were reached,
    ``assessed`` of them have a verdict, ``errors`` failed by our fault. ``error_classes`` holds one entry
    an unmet check, None or "" where nothing tells its class. ``in_full``: judged without short-circuiting.
    ``answer_chars`` is the length of the text. None means not known throughout.

    :raises InvalidResults: for counts that cannot be.
    """

    task: str
    run: int
    given: bool = True
    checks: int = 0
    assessed: int = 0
    errors: int = 0
    error_classes: tuple[str | None, ...] = ()
    hallucinated: bool | None = None
    in_full: bool = False
    references: References | None = None
    seconds: float | None = None
    answer_chars: int | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.assessed <= self.checks and 0 <= self.errors <= self.checks - self.assessed):
            raise InvalidResults(f"counts of checks do not add up: {self.task} run {self.run}")

    @property
    def coverage(self) -> float:
        """The assessed share of the reached checks; 1 if none was reached."""
        return self.assessed / self.checks if self.checks else 1.0

    @property
    @abstractmethod
    def primary_ends(self) -> tuple[float, float]:
        """The primary metric with all unknown verdicts 0 and 1; equal where it is known."""

    @property
    @abstractmethod
    def is_known(self) -> bool:
        """Whether the primary metric is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeResult(Result):
    """Root score of one answer in [0, 1], None while unknown: then between ``low`` and ``high``."""

    score: float | None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        Result.__post_init__(self)  # super() does not find its class in a dataclass with slots
        low, high = self.primary_ends
        if not 0.0 <= low <= high <= 1.0:
            raise InvalidResults(f"score out of range: {self.task} run {self.run}")

    @property
    def primary_ends(self) -> tuple[float, float]:
        return (self.low, self.high) if self.score is None else (self.score, self.score)

    @property
    def is_known(self) -> bool:
        return self.score is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeResult(Result):
    """Scores of one answer: dimensions and overall in [0, 1], UserPref 1 to 4; None where unknown.

    While UserPref is unknown it lies between ``user_pref_low`` and ``user_pref_high``.
    """

    instruction: float | None
    factuality: float | None
    rationality: float | None
    overall: float | None
    user_pref: int | None
    user_pref_low: int = 1
    user_pref_high: int = 4
    undecided_share: float | None = None

    def __post_init__(self) -> None:
        Result.__post_init__(self)
        shares = (self.instruction, self.factuality, self.rationality, self.overall, self.undecided_share)
        low, high = self.primary_ends
        if not (all(share is None or 0.0 <= share <= 1.0 for share in shares) and 1 <= low <= high <= 4):
            raise InvalidResults(f"score out of range: {self.task} run {self.run}")

    @property
    def primary_ends(self) -> tuple[float, float]:
        if self.user_pref is None:
            return float(self.user_pref_low), float(self.user_pref_high)
        return float(self.user_pref), float(self.user_pref)

    @property
    def is_known(self) -> bool:
        return self.user_pref is not None


def rankable(results: Sequence[Result], *, min_coverage: float = 0.98) -> tuple[bool, tuple[Reason, ...]]:
    """Whether a submission may be ranked, and if not, every reason why.

    No root and no UserPref may be unknown, no error left, and at least ``min_coverage`` of all reached
    checks assessed.
    """
    found = {
        Reason.NO_ANSWERS: not results,
        Reason.SCORE_UNKNOWN: not all(result.is_known for result in results),
        Reason.ERRORS_LEFT: any(result.errors for result in results),
        Reason.COVERAGE_LOW: coverage_of(results) < min_coverage,
    }
    reasons = tuple(reason for reason, holds in found.items() if holds)
    return not reasons, reasons


def coverage_of(results: Sequence[Result]) -> float:
    """The assessed share of all reached checks; 1 if none was reached."""
    checks = sum(result.checks for result in results)
    return sum(result.assessed for result in results) / checks if checks else 1.0


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
