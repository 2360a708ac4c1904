"""From findings to dimension scores, the overall score O and UserPref."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum, prod
from typing import NamedTuple, TypeVar

from judging.cascade.findings import (
    Dimension,
    Finding,
    Importance,
    MalformedCascade,
    Subtask,
    assessed_checks,
    cascade_faults,
    claims_looked_at,
    published_values,
    reader_values,
)
from judging.cascade.profile import DEFAULT_PROFILE, Average, Combine, ScoringProfile

_T = TypeVar("_T")


class Band(StrEnum):
    """What a reader makes of a subtask."""

    PASS = "pass"  # noqa: S105  # a band, not a password
    WEAK = "weak"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class SubtaskScore:
    """Scores of one subtask, each in [0, 1].

    Dimensions are means of the published values, None where nothing was assessed; a shut gate does not
    hide them here. ``factuality_open``, ``rationality_open``, ``overall`` (o_k) and ``band`` are None
    where unknown verdicts leave them open.
    """

    id: str
    importance: Importance
    instruction: float | None
    factuality: float | None
    rationality: float | None
    factuality_open: bool | None
    rationality_open: bool | None
    overall: float | None
    band: Band | None


@dataclass(frozen=True, slots=True)
class CascadeScore:
    """Scores of one task: dimensions and overall in [0, 1], UserPref 1 to 4, None where unknown.

    ``undecided_share`` is the share of undecided claims among those looked at behind an open gate.
    ``checks`` counts the checks that had to be judged (taking unknown ones as met), ``assessed`` those
    with a verdict; ``coverage`` is their share. ``low`` and ``high`` are the ends of ``overall`` with all
    unknown verdicts 0 and 1, ``user_pref_low`` and ``user_pref_high`` those of UserPref.
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
    low: float
    high: float
    user_pref_low: int
    user_pref_high: int


class _End(NamedTuple):
    """One subtask with every unknown verdict taken the same way."""

    importance: Importance
    open: Mapping[Dimension, bool]
    overall: float
    band: Band


def score_cascade(subtasks: Sequence[Subtask], profile: ScoringProfile = DEFAULT_PROFILE) -> CascadeScore:
    """Score one task. The order of subtasks, rubrics and claims changes nothing but the order of ``subtasks``.

    :raises MalformedCascade: if there is no subtask, one has no rubric, or an id is empty or used twice.
    """
    for path, reason in cascade_faults(subtasks):
        raise MalformedCascade(f"{path!r}: {reason}")
    low = [_end(subtask, profile, unknown=0.0) for subtask in subtasks]
    high = [_end(subtask, profile, unknown=1.0) for subtask in subtasks]
    overall = _overall(low, profile), _overall(high, profile)
    pref = _user_pref(low, overall[0], profile), _user_pref(high, overall[1], profile)
    checks = _reached_checks(subtasks, high)
    return CascadeScore(
        **{str(d): _dimension_score(d, subtasks, low, profile) for d in Dimension},
        overall=_agreed(*overall),
        user_pref=_agreed(*pref),
        undecided_share=_undecided_share(subtasks, low),
        subtasks=tuple(map(_subtask_score, subtasks, low, high)),
        coverage=sum(checks) / len(checks) if checks else 1.0,
        checks=len(checks),
        assessed=sum(checks),
        low=overall[0],
        high=overall[1],
        user_pref_low=pref[0],
        user_pref_high=pref[1],
    )


def reached_dimensions(subtask: Subtask, profile: ScoringProfile = DEFAULT_PROFILE) -> frozenset[Dimension]:
    """The dimensions of a subtask that are to be judged: an unknown verdict keeps a gate open, as if met."""
    means = _reader_means(subtask, unknown=1.0)
    return frozenset(dimension for dimension in Dimension if _is_open(dimension, means, profile))


def _end(subtask: Subtask, profile: ScoringProfile, *, unknown: float) -> _End:
    means = _reader_means(subtask, unknown=unknown)
    open_ = {dimension: _is_open(dimension, means, profile) for dimension in Dimension}
    overall = _combined(means, open_, profile.o_combine)
    return _End(subtask.importance, open_, overall, _band(overall, profile))


def _reader_means(subtask: Subtask, *, unknown: float) -> dict[Dimension, float | None]:
    return {dimension: _mean(reader_values(subtask, dimension, unknown=unknown)) for dimension in Dimension}


def _is_open(dimension: Dimension, means: Mapping[Dimension, float | None], profile: ScoringProfile) -> bool:
    """Whether all that gates a dimension is itself reached and good enough; what has no rubric is."""
    return all(
        _is_open(gate, means, profile) and _at_least(_or_full(means[gate]), profile.gate_threshold, profile)
        for gate in profile.gates.get(dimension, ())
    )


def _combined(
    means: Mapping[Dimension, float | None], open_: Mapping[Dimension, bool], how: Combine
) -> float:
    """o_k: what a subtask is worth to a reader, in [0, 1]."""
    existing = [d for d in (Dimension.FACTUALITY, Dimension.RATIONALITY) if means[d] is not None]
    instruction = _or_full(means[Dimension.INSTRUCTION])
    if not existing:
        return instruction
    if not any(open_[dimension] for dimension in existing):
        return 0.0
    parts = [_or_full(means[dimension]) if open_[dimension] else 0.0 for dimension in existing]
    if how is Combine.PRODUCT:
        return prod(parts, start=instruction)
    if how is Combine.MIN:
        return min(instruction, *parts)
    if how is Combine.MEAN and means[Dimension.INSTRUCTION] is not None:
        return fsum([instruction, *parts]) / (1 + len(parts))
    # The cascade; and a plain mean where instruction following has no rubric: it is 1 and earns nothing.
    return instruction * (fsum(parts) / len(parts))


def _band(overall: float, profile: ScoringProfile) -> Band:
    if _at_least(overall, profile.pass_at, profile):
        return Band.PASS
    return Band.WEAK if _at_least(overall, profile.fail_below, profile) else Band.FAIL


def _overall(ends: Iterable[_End], profile: ScoringProfile) -> float:
    return _weighted_mean([(profile.weights[end.importance], end.overall) for end in ends])


def _user_pref(ends: Iterable[_End], overall: float, profile: ScoringProfile) -> int:
    """UserPref, 1 to 4: the first rule that fits, in the order 1, 2, 4, 3."""
    bands: dict[Importance, list[Band]] = {importance: [] for importance in Importance}
    for end in ends:
        bands[end.importance].append(end.band)
    critical, major = bands[Importance.P0], bands[Importance.P1]
    if _is_poor(critical, overall, profile):
        return 1
    if Band.WEAK in critical or _many_fail(major, profile):
        return 2
    all_pass = all(band is Band.PASS for band in critical + major)
    return 4 if all_pass and _at_least(overall, profile.excellent, profile) else 3


def _is_poor(critical: Sequence[Band], overall: float, profile: ScoringProfile) -> bool:
    if critical:
        return Band.FAIL in critical
    return not _at_least(overall, profile.overall_fail_below, profile)


def _many_fail(major: Sequence[Band], profile: ScoringProfile) -> bool:
    if not major:
        return False
    return _at_least(major.count(Band.FAIL) / len(major), profile.p1_fail_share, profile)


def _dimension_score(
    dimension: Dimension, subtasks: Sequence[Subtask], low: Sequence[_End], profile: ScoringProfile
) -> float | None:
    """Mean of the published values; what a gate hides, or may hide, is charged to the gate alone."""
    found = [
        (profile.weights[subtask.importance], values)
        for subtask, end in zip(subtasks, low, strict=True)
        if end.open[dimension] and (values := published_values(subtask, dimension))
    ]
    if not found:
        return None
    if profile.average is Average.RUBRIC:
        return _mean([value for _, values in found for value in values])
    means = [(weight, fsum(values) / len(values)) for weight, values in found]
    if profile.average is Average.SUBTASK:
        return _mean([mean for _, mean in means])
    return _weighted_mean(means)


def _undecided_share(subtasks: Sequence[Subtask], low: Sequence[_End]) -> float | None:
    looked_at = [
        claim
        for subtask, end in zip(subtasks, low, strict=True)
        if end.open[Dimension.FACTUALITY]
        for claim in claims_looked_at(subtask)
    ]
    return looked_at.count(Finding.UNDECIDED) / len(looked_at) if looked_at else None


def _reached_checks(subtasks: Sequence[Subtask], high: Sequence[_End]) -> list[bool]:
    return [
        assessed
        for subtask, end in zip(subtasks, high, strict=True)
        for dimension in Dimension
        if end.open[dimension]
        for assessed in assessed_checks(subtask, dimension)
    ]


def _subtask_score(subtask: Subtask, low: _End, high: _End) -> SubtaskScore:
    return SubtaskScore(
        id=subtask.id,
        importance=subtask.importance,
        **{str(dimension): _mean(published_values(subtask, dimension)) for dimension in Dimension},
        factuality_open=_agreed(low.open[Dimension.FACTUALITY], high.open[Dimension.FACTUALITY]),
        rationality_open=_agreed(low.open[Dimension.RATIONALITY], high.open[Dimension.RATIONALITY]),
        overall=_agreed(low.overall, high.overall),
        band=_agreed(low.band, high.band),
    )


def _agreed(low: _T, high: _T) -> _T | None:
    return low if low == high else None


def _at_least(value: float, threshold: float, profile: ScoringProfile) -> bool:
    return value >= threshold - profile.tolerance


def _or_full(mean: float | None) -> float:
    """A dimension without a rubric stands in nobody's way."""
    return 1.0 if mean is None else mean


def _mean(values: Sequence[float]) -> float | None:
    # fsum rounds once, so the order of rubrics changes no digit.
    return fsum(values) / len(values) if values else None


def _weighted_mean(weighted: Sequence[tuple[float, float]]) -> float:
    return fsum(weight * value for weight, value in weighted) / fsum(weight for weight, _ in weighted)
