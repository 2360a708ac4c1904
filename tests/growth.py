"""What work costs, as ratios of CPU time within one run: seconds tell of the machine, ratios of the program.

Noise only ever adds. So of several timings the fastest counts, and a bound that was missed is tried again with both
sides measured anew: a busy machine meets it in the end, work that costs too much never does.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import TypeVar

LEAST_SECONDS = 0.01  # of one timing: far above what the clock can tell apart
TIMINGS = 3
TRIES = 3
STEP = 8  # times as much to do

T = TypeVar("T")


def assert_cost(work: Callable[[], object], *, at_most: float, of: Callable[[], object]) -> None:
    """``work`` takes at most ``at_most`` times the CPU time of ``of``.

    :raises AssertionError: it takes more, however often it is measured.
    """
    with _own_garbage_only():
        ratio = _least((_ratio(work, of, at_most) for _ in range(TRIES)), at_most)
    assert ratio <= at_most, f"costs {ratio:.1f} times as much where {at_most:.1f} is the most"


def assert_proportional(work: Callable[[T], object], make: Callable[[int], T], *sizes: int) -> None:
    """Work on what ``make`` gives for a size costs in proportion to that size, or less.

    :data:`STEP` times as much takes linear work STEP times as long and quadratic work STEP² times; the bound is
    STEP to the power of 1.5. Sizes are tried in order: what is exponential fails at a small one, before it takes
    for ever at a large one.

    :raises AssertionError: it grows faster.
    """
    for size in sizes:
        small, large = make(size // STEP), make(size)
        assert_cost(partial(work, large), at_most=STEP**1.5, of=partial(work, small))


def _ratio(work: Callable[[], object], of: Callable[[], object], enough: float) -> float:
    base = min(_seconds(of) for _ in range(TIMINGS))
    return _least((_seconds(work) / base for _ in range(TIMINGS)), enough)


def _least(values: Iterable[float], enough: float) -> float:
    """The least of the values, or the first that is small enough."""
    least = inf
    for value in values:
        least = min(least, value)
        if least <= enough:
            break
    return least


def _seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process for one call, from as many calls as the clock needs."""
    began, calls, spent = time.process_time(), 0, 0.0
    while spent < LEAST_SECONDS:
        work()
        calls += 1
        spent = time.process_time() - began
    return spent / calls


@contextmanager
def _own_garbage_only() -> Iterator[None]:
    """Collections look at what was made since, not at all that the tests before left lying."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
