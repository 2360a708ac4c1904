"""What stands around a mean: standard errors and intervals. The task is the unit. Pure.

Sources: scoring rules §3; E. B. Wilson (1927) for shares; Cameron and Miller (2015) for clustered errors (CR1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import NamedTuple, TypeVar

from scipy.special import ndtri, stdtrit

LEVEL = 0.95

Key = TypeVar("Key", bound=Hashable)


class Interval(NamedTuple):
    """A confidence interval at :data:`LEVEL`, both ends included."""

    low: float
    high: float

    def clipped(self, low: float, high: float) -> Interval:
        """The part of it that lies on the scale from ``low`` to ``high``."""
        return Interval(min(max(self.low, low), high), min(max(self.high, low), high))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over tasks. ``error`` is its standard error; None, like ``interval``, where it cannot be estimated."""

    mean: float | None
    error: float | None
    interval: Interval | None


def task_means(values: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """The mean of every task over its runs, tasks in the order in which they first come."""
    runs: defaultdict[Key, list[float]] = defaultdict(list)
    for task, value in values:
        runs[task].append(value)
    return {task: mean_of(found) for task, found in runs.items()}


def mean_of(values: Sequence[float]) -> float:
    """The arithmetic mean, the same in any order.

    :raises ZeroDivisionError: the mean of nothing.
    """
    return fsum(values) / len(values)


def mean_with_interval(
    values: Sequence[float], *, scale: tuple[float, float], clusters: Sequence[Hashable] | None = None
) -> Estimate:
    """The mean of one value a task with a t interval, clipped to the scale.

    ``clusters`` names the cluster of each task: tasks that share one are not independent, so the error is
    clustered (CR1) and t has one degree of freedom less than there are clusters.
    """
    if not values:
        return Estimate(None, None, None)
    labels = range(len(values)) if clusters is None else clusters
    mean, groups = mean_of(values), len(set(labels))
    error = clustered_error(values, labels)
    if error is None:
        return Estimate(mean, None, None)
    half = float(stdtrit(groups - 1, (1 + LEVEL) / 2)) * error
    return Estimate(mean, error, Interval(mean - half, mean + half).clipped(*scale))


def clustered_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The standard error of the mean, clustered (CR1); s/√n if every value is a cluster of its own.

    None for fewer than two clusters.
    """
    mean = mean_of(values)
    sums: defaultdict[Hashable, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster].append(value - mean)
    groups = len(sums)
    if groups < 2:
        return None
    squares = fsum(fsum(residuals) ** 2 for residuals in sums.values())
    return sqrt(squares * groups / (groups - 1)) / len(values)


def wilson(successes: int, n: int) -> Interval | None:
    """The Wilson score interval of a share of ``n`` tasks; None for fewer than two.

    :raises ValueError: ``successes`` is not within 0 and ``n``.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n < 2:
        return None
    z = float(ndtri((1 + LEVEL) / 2))
    share, shrink = successes / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / shrink
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / shrink
    # At the ends of the scale the formula gives them up to rounding; the bound is exact.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return Interval(low, high)
