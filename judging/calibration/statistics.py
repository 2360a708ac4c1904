"""How far two raters agree.

Sources: E. B. Wilson (1927) for shares, intervals as in R. G. Newcombe (1998), method 3; J. Cohen (1960) for κ and
(1968) for weighted κ; Mind2Web 2 (2025) for the rate of judge errors after adjudication.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist

__all__ = [
    "Share",
    "confusion",
    "flips",
    "kappa",
    "linear",
    "quadratic",
    "share",
    "share_by_group",
    "weighted_kappa",
]

LEVEL = 0.95
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)

Pair = tuple[str, str]  # what one rater says of a case and what the other says
Weight = Callable[[int, int], float]


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``of`` cases, in [0, 1] with the ends of its 95 % Wilson interval; all None of no cases."""

    count: int
    of: int
    share: float | None
    low: float | None
    high: float | None


def share(count: int, of: int) -> Share:
    """A share with its Wilson interval.

    :raises ValueError: ``count`` is not within 0 and ``of``.
    """
    if not 0 <= count <= of:
        raise ValueError(f"{count} of {of}")
    if not of:
        return Share(count, of, None, None, None)
    found, shrink = count / of, 1 + _Z * _Z / of
    middle = (found + _Z * _Z / (2 * of)) / shrink
    half = _Z * sqrt(found * (1 - found) / of + _Z * _Z / (4 * of * of)) / shrink
    # At the ends of the scale the formula gives them up to rounding; the bound is exact.
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == of else middle + half
    return Share(count, of, found, low, high)


def share_by_group(cases: Iterable[tuple[str, bool]]) -> dict[str, Share]:
    """Of every group the share of its cases that hold; groups in the order of their names."""
    held: Counter[str] = Counter()
    all_: Counter[str] = Counter()
    for group, holds in cases:
        held[group] += holds
        all_[group] += 1
    return {group: share(held[group], all_[group]) for group in sorted(all_)}


def confusion(pairs: Iterable[Pair]) -> dict[str, dict[str, int]]:
    """How often the second rater says what (inner keys) where the first says what (outer keys)."""
    found: dict[str, dict[str, int]] = {}
    for (first, second), count in sorted(Counter(pairs).items()):
        found.setdefault(first, {})[second] = count
    return found


def kappa(pairs: Sequence[Pair]) -> float | None:
    """Cohen's κ over the categories that occur: 1 is full agreement, 0 what chance gives.

    None where chance alone would agree on everything: no pairs, or both always say the same one thing.
    """
    categories = sorted({said for pair in pairs for said in pair})
    return weighted_kappa(pairs, categories, lambda i, j: float(i != j))


def weighted_kappa(pairs: Sequence[Pair], order: Sequence[str], weight: Weight) -> float | None:
    """Cohen's weighted κ: one minus the observed disagreement over that expected by chance.

    :param order: the categories in their order.
    :param weight: how grave it is to say the one in place j for that in place i; 0 for i = j.
    :raises KeyError: a pair holds something that is no category.
    """
    place = {category: number for number, category in enumerate(order)}
    first = Counter(place[pair[0]] for pair in pairs)
    second = Counter(place[pair[1]] for pair in pairs)
    observed = fsum(weight(place[one], place[other]) for one, other in pairs)
    expected = fsum(weight(i, j) * n * m for i, n in first.items() for j, m in second.items())
    return 1 - observed * len(pairs) / expected if expected else None


def linear(i: int, j: int) -> float:
    """The weight of a disagreement: how many places apart."""
    return float(abs(i - j))


def quadratic(i: int, j: int) -> float:
    """The weight of a disagreement: the square of how many places apart."""
    return float((i - j) ** 2)


def flips(runs: Mapping[str, Sequence[str]]) -> Share:
    """Of all cases the share of those whose runs do not all say the same."""
    return share(sum(len(set(said)) > 1 for said in runs.values()), len(runs))
