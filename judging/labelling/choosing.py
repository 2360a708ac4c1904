"""Which answers are labelled and in which order: by hashes of a seed, so the same choice again comes out the same. Pure."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

__all__ = ["choose", "shuffled"]


def shuffled(numbers: Iterable[int], *seed: int) -> list[int]:
    """The numbers in an order that the seed alone decides."""
    prefix = ":".join(map(str, seed))

    def place(number: int) -> tuple[str, int]:
        return hashlib.sha256(f"{prefix}:{number}".encode()).hexdigest(), number

    return sorted(numbers, key=place)


def choose(answers: Sequence[tuple[int, int]], *, seed: int, size: int) -> list[int]:
    """A random sample, stratified by submission: they take turns, so no two differ by more than one while both have some.

    :param answers: (submission, answer) of all there are.
    :param size: how many at most.
    """
    strata: dict[int, list[int]] = defaultdict(list)
    for submission, answer in answers:
        strata[submission].append(answer)
    queues = [shuffled(strata[submission], seed) for submission in shuffled(strata, seed)]
    turns = range(max(map(len, queues), default=0))
    dealt = [queue[turn] for turn in turns for queue in queues if turn < len(queue)]
    return dealt[:size]
