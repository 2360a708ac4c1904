"""Growth is told from seconds: what is linear passes, what is not fails."""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import cycle

import pytest

from tests import growth
from tests.growth import assert_cost, assert_proportional

pytestmark = pytest.mark.costs


def burn(turns: int) -> int:
    """Work of so many turns."""
    return sum(n & 3 for n in range(turns))


@pytest.mark.parametrize(
    "turns",
    [lambda size: 100, lambda size: 10 * size, lambda size: 2 * size * size.bit_length()],
    ids=["constant", "linear", "n log n"],
)
def test_what_grows_like_its_size_passes(turns: Callable[[int], int]) -> None:
    assert_proportional(burn, turns, 800, 8_000)


@pytest.mark.parametrize(
    "turns",
    [lambda size: size**2 // 8, lambda size: 200 * size + size**2, lambda size: size**3 // 4_000],
    ids=["quadratic", "quadratic in the end", "cubic"],
)
def test_what_grows_faster_fails(turns: Callable[[int], int]) -> None:
    with pytest.raises(AssertionError, match=r"costs \d+\.\d times as much where 22\.6 is the most"):
        assert_proportional(burn, turns, 1_600)


def test_what_is_exponential_fails_before_it_takes_for_ever() -> None:
    with pytest.raises(AssertionError):
        assert_proportional(burn, lambda size: 2**size, 16, 8_000)


def test_one_thing_is_held_to_the_cost_of_another() -> None:
    assert_cost(lambda: burn(30_000), at_most=6, of=lambda: burn(10_000))
    with pytest.raises(AssertionError, match=r"where 6\.0 is the most"):
        assert_cost(lambda: burn(120_000), at_most=6, of=lambda: burn(10_000))


def test_a_machine_that_is_busy_for_a_while_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    slowness = iter([1, 9, 9, *[9, 9, 9], *[9, 1, 9], *[9, 1]])
    monkeypatch.setattr(growth, "_seconds", lambda work: work() * next(slowness))
    assert_cost(lambda: 4.0, at_most=5, of=lambda: 1.0)
    assert list(slowness) == []


def test_a_machine_that_is_busy_now_and_then_excuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    slowness = cycle([1, 9, 9, 9, 9, 1])
    monkeypatch.setattr(growth, "_seconds", lambda work: work() * next(slowness))
    with pytest.raises(AssertionError, match=r"costs 6\.0 times"):
        assert_cost(lambda: 6.0, at_most=5, of=lambda: 1.0)


def test_nothing_stays_hidden_from_the_collector() -> None:
    with pytest.raises(AssertionError):
        assert_proportional(burn, lambda size: 2**size, 16)
    assert gc.get_freeze_count() == 0
