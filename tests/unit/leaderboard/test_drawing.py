"""Bars are drawn from shown numbers, inside their frame."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.drawing import MARGIN, WIDTH, Bar, axis, bar, position
from leaderboard.metrics import CASCADE, metrics_of

PREFERENCE = metrics_of(CASCADE, runs=1, clustered=False)[0]
COMPLETION = metrics_of("rubric_tree", runs=1, clustered=False)[0]


def test_the_ends_of_the_scale_are_the_ends_of_the_line() -> None:
    found = axis(PREFERENCE)
    assert (found.left, found.right) == ("5.0", "115.0")
    assert [(tick.x, tick.text) for tick in found.ticks] == [
        ("5.0", "1"),
        ("41.7", "2"),
        ("78.3", "3"),
        ("115.0", "4"),
    ]
    assert (found.line, found.line_meaning) == ("78.3", "3 = acceptable")


def test_a_share_is_drawn_in_per_cent_and_without_a_line() -> None:
    found = axis(COMPLETION)
    assert [tick.text for tick in found.ticks] == ["0", "25", "50", "75", "100"]
    assert found.line == ""


def test_a_scale_of_its_own_has_its_ends_for_ticks() -> None:
    assert [tick.text for tick in axis(replace(PREFERENCE, high=10.0)).ticks] == ["1", "10"]


def test_a_value_without_an_interval_is_a_dot() -> None:
    assert bar(PREFERENCE, 2.5, None) == Bar("60.0", "", "")
    assert bar(PREFERENCE, 2.5, (1.0, 4.0)) == Bar("60.0", "5.0", "115.0")


@given(st.floats(1, 4), st.floats(1, 4))
def test_bars_keep_their_order_and_stay_inside(a: float, b: float) -> None:
    low, high = sorted([a, b])
    assert MARGIN <= float(position(PREFERENCE, low)) <= float(position(PREFERENCE, high)) <= WIDTH - MARGIN
