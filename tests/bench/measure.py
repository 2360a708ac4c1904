"""Timing one thing against another in the same run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

ROUNDS = 7  # of which the fastest counts: noise only ever adds
LEAST_SECONDS = 0.02  # of one timing: far above what the clock can tell apart


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured. ``goal`` is the most it may be (``at_least``: the least); None where nothing was promised."""

    metric: str
    value: float
    goal: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the goal was reached; None without one."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON, three digits after the point."""
        return {
            "metric": self.metric, "value": round(self.value, 3), "goal": self.goal, "holds": self.holds,
        }  # fmt: skip


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No garbage collection, which would charge one side for what the other left lying."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _seconds(work: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - started) / times


def _repeats(work: Callable[[], object]) -> int:
    """How often ``work`` must run to take :data:`LEAST_SECONDS`."""
    once = max(min(_seconds(work, 1), _seconds(work, 1)), 1e-9)
    return max(1, round(LEAST_SECONDS / once))


def ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """How many times as long ``one`` takes as ``other``; both by turns, so that a busy machine slows both."""
    first, second = _repeats(one), _repeats(other)
    with _undisturbed():
        timings = [(_seconds(one, first), _seconds(other, second)) for _ in range(ROUNDS)]
    return min(t[0] for t in timings) / min(t[1] for t in timings)
