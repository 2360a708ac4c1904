"""What several runs of the same task say together."""

from __future__ import annotations

from math import comb


class NotEnoughRuns(ValueError):
    """k runs cannot be drawn from what there is."""


def pass_at_k(n: int, c: int, k: int) -> float:
    """Pass@k: the chance that at least one of k runs, drawn from n with c perfect ones, is perfect.

    :raises NotEnoughRuns: unless 1 ≤ k ≤ n and 0 ≤ c ≤ n.
    """
    drawn = _draws(n, c, k)
    return (drawn - comb(n - c, k)) / drawn


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Pass^k: the chance that all of k runs, drawn from n with c perfect ones, are perfect.

    :raises NotEnoughRuns: unless 1 ≤ k ≤ n and 0 ≤ c ≤ n.
    """
    drawn = _draws(n, c, k)
    return comb(c, k) / drawn


def _draws(n: int, c: int, k: int) -> int:
    if not (1 <= k <= n and 0 <= c <= n):
        raise NotEnoughRuns(f"{k} of {n} runs, {c} of them perfect")
    return comb(n, k)
