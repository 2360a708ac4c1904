"""The constants of the cascade, all of them, under a version's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

from judging.cascade.findings import Dimension, Importance

_Choice = TypeVar("_Choice", bound=StrEnum)

_WEIGHTS = (1e-6, 1e6)  # keeps sums and products of weights far from what a float cannot hold
_MAX_TOLERANCE = 0.01
_ORDER = tuple(Dimension)
_SHARES = (
    "gate_threshold",
    "pass_at",
    "fail_below",
    "overall_fail_below",
    "p1_fail_share",
    "excellent",
)


class Average(StrEnum):
    """What counts alike in a dimension score: importance-weighted subtasks, every rubric, every subtask."""

    IMPORTANCE = "importance"
    RUBRIC = "rubric"
    SUBTASK = "subtask"


class Combine(StrEnum):
    """How the dimensions of a subtask become one number.

    ``cascade``: instruction × mean of the others; ``product``, ``min``: of all; ``mean``: of those that have
    rubrics.
    """

    CASCADE = "cascade"
    PRODUCT = "product"
    MIN = "min"
    MEAN = "mean"


class InvalidProfile(ValueError):
    """A scoring profile names an unknown constant (``name``) or gives it a value that makes no sense."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringProfile:
    """Every constant of the cascade. ``name`` is the version that a score is shown with.

    ``gates`` names, for a dimension, the earlier ones that must reach ``gate_threshold`` before it counts.
    ``pass_at`` and ``fail_below`` bound the bands of a subtask. UserPref is 1 below ``overall_fail_below``
    where a task has no P0, 2 where at least ``p1_fail_share`` of the P1 fail, 4 from ``excellent`` on.
    ``tolerance`` applies to every comparison with a threshold.

    :raises InvalidProfile: for a constant that is not finite or out of range, by its name.
    """

    name: str = "cascade/1"
    gate_threshold: float = 1.0
    gates: Mapping[Dimension, tuple[Dimension, ...]] = field(
        default_factory=lambda: {
            Dimension.FACTUALITY: (Dimension.INSTRUCTION,),
            Dimension.RATIONALITY: (Dimension.INSTRUCTION,),
        },
        hash=False,  # a mapping has no hash; two profiles that differ in it alone still compare unequal
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

    def __post_init__(self) -> None:
        if not self.name:
            raise InvalidProfile("name", "is empty")
        for name in _SHARES:
            _require(name, 0.0 < getattr(self, name) <= 1.0, "must be above 0 and at most 1")
        _require("tolerance", 0.0 <= self.tolerance <= _MAX_TOLERANCE, f"must be 0 to {_MAX_TOLERANCE}")
        _require("fail_below", self.fail_below <= self.pass_at, "must not be above pass_at")
        low, high = _WEIGHTS
        for importance in Importance:
            weight = self.weights.get(importance, 0.0)
            _require(f"weights.{importance}", low <= weight <= high, f"must be {low:g} to {high:g}")
        for dimension, gates in self.gates.items():
            earlier = _ORDER[: _ORDER.index(dimension)]
            _require(f"gates.{dimension}", set(gates) <= set(earlier), "only an earlier dimension can gate")

    @classmethod
    def from_mapping(cls, source: Mapping[str, Any]) -> ScoringProfile:
        """Read the constants that depart from ``cascade/1``, as a task set or a score file gives them.

        Importances and dimensions that ``weights`` and ``gates`` do not name keep theirs. A profile that
        departs from ``cascade/1`` without a name of its own is called ``cascade/1-modified``, since scores
        of one version must be comparable.

        :raises InvalidProfile: for an unknown name, a value of the wrong kind, NaN, infinite or out of range.
        """
        known = {constant.name for constant in fields(cls)}
        for name in source:
            _require(str(name), name in known, "is no constant of a scoring profile")
        profile = replace(DEFAULT_PROFILE, **{name: _read(name, value) for name, value in source.items()})
        if profile.name == DEFAULT_PROFILE.name and profile != DEFAULT_PROFILE:
            return replace(profile, name=f"{DEFAULT_PROFILE.name}-modified")
        return profile

    def as_dict(self) -> dict[str, Any]:
        """All constants as plain JSON; ``from_mapping`` reads them back."""
        return {
            **asdict(self),
            "gates": {str(key): [str(gate) for gate in gates] for key, gates in self.gates.items()},
            "weights": {str(key): weight for key, weight in self.weights.items()},
            "average": str(self.average),
            "o_combine": str(self.o_combine),
        }


def _require(name: str, holds: bool, reason: str) -> None:
    if not holds:
        raise InvalidProfile(name, reason)


def _read(name: str, value: object) -> Any:
    match name:
        case "name":
            _require(name, isinstance(value, str), "must be a text")
            return value
        case "average":
            return _choice(name, value, Average)
        case "o_combine":
            return _choice(name, value, Combine)
        case "weights":
            return {**DEFAULT_PROFILE.weights, **_weights(value)}
        case "gates":
            return {**DEFAULT_PROFILE.gates, **_gates(value)}
        case _:
            return _number(name, value)


def _weights(value: object) -> dict[Importance, float]:
    return {
        _choice("weights", key, Importance): _number(f"weights.{key}", weight)
        for key, weight in _mapping("weights", value).items()
    }


def _gates(value: object) -> dict[Dimension, tuple[Dimension, ...]]:
    return {
        _choice("gates", key, Dimension): tuple(
            _choice(f"gates.{key}", gate, Dimension) for gate in _list(f"gates.{key}", gates)
        )
        for key, gates in _mapping("gates", value).items()
    }


def _mapping(name: str, value: object) -> Mapping[object, object]:
    if not isinstance(value, Mapping):
        raise InvalidProfile(name, "must be a mapping")
    return value


def _list(name: str, value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise InvalidProfile(name, "must be a list")
    return value


def _choice(name: str, value: object, choices: type[_Choice]) -> _Choice:
    if not isinstance(value, str) or value not in list(choices):
        raise InvalidProfile(name, f"{value!r} is none of {', '.join(choices)}")
    return choices(value)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidProfile(name, f"{value!r} is no number")
    # An integer too large for a float is as infinite to us as inf itself.
    if abs(value) > 1e300 or not isfinite(value):
        raise InvalidProfile(name, "must be finite")
    return float(value)


DEFAULT_PROFILE = ScoringProfile()
