"""Worked values computed with numpy, scipy and statsmodels, and what must hold of every interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.statistics import Interval, clustered_error, mean_with_interval, task_means, wilson

PREFERENCE = (1.0, 4.0)
UNIT = (0.0, 1.0)
TEN = [2.0, 3.0, 1.0, 4.0, 2.0, 3.0, 3.0, 2.0, 1.0, 4.0]
SORTED = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 4.0, 2.0]
CLUSTERS = [0, 0, 1, 1, 2, 2, 2, 3, 3, 4]
preferences = st.lists(st.floats(1, 4), min_size=2, max_size=30)


def test_a_mean_comes_with_the_t_interval_of_the_worked_example() -> None:
    found = mean_with_interval(TEN, scale=PREFERENCE)
    assert found.mean == 2.5
    assert found.error == pytest.approx(0.341565, abs=1e-6)
    assert found.interval == pytest.approx((1.727326, 3.272674), abs=1e-6)


def test_clusters_widen_the_interval_of_the_worked_example() -> None:
    found = mean_with_interval(SORTED, scale=PREFERENCE, clusters=CLUSTERS)
    assert mean_with_interval(SORTED, scale=PREFERENCE).error == pytest.approx(0.341565, abs=1e-6)
    assert found.error == pytest.approx(0.518411, abs=1e-6)
    assert found.interval is not None
    assert found.interval.high - 2.5 == pytest.approx(1.43934, abs=1e-5)


@pytest.mark.parametrize(
    ("successes", "n", "expected"),
    [
        (0, 150, (0.0, 0.02497)),
        (3, 150, (0.00682, 0.05715)),
        (42, 150, (0.21433, 0.35666)),
        (148, 150, (0.95269, 0.99634)),
    ],
)
def test_wilson_gives_the_worked_values(successes: int, n: int, expected: tuple[float, float]) -> None:
    assert wilson(successes, n) == pytest.approx(expected, abs=5e-6)


def test_wilson_ends_exactly_at_the_ends_of_the_scale() -> None:
    none, every = wilson(0, 150), wilson(150, 150)
    assert none is not None
    assert every is not None
    assert none.low == 0.0
    assert every.high == 1.0


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_wilson_refuses_counts_that_cannot_be(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="successes of 3"):
        wilson(successes, n)


def test_runs_are_averaged_within_their_task_first() -> None:
    runs = [("a", 3.0), ("a", 3.0), ("a", 2.0), ("b", 1.0)]
    assert task_means(runs) == {"a": pytest.approx(8 / 3), "b": 1.0}


def test_the_mean_of_nothing_is_unknown() -> None:
    found = mean_with_interval([], scale=UNIT)
    assert (found.mean, found.error, found.interval) == (None, None, None)


def test_one_task_has_a_mean_and_no_interval() -> None:
    found = mean_with_interval([0.25], scale=UNIT)
    assert (found.mean, found.interval) == (0.25, None)
    assert wilson(1, 1) is None


def test_one_cluster_has_no_interval() -> None:
    assert mean_with_interval([0.0, 1.0], scale=UNIT, clusters=["x", "x"]).interval is None


def test_values_and_clusters_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="zip"):
        clustered_error([1.0, 2.0], ["a"])


def test_an_interval_never_leaves_the_scale() -> None:
    found = mean_with_interval([1.0, 4.0], scale=PREFERENCE)
    assert found.interval == Interval(1.0, 4.0)


@given(preferences)
def test_the_interval_holds_the_mean_and_lies_on_the_scale(values: list[float]) -> None:
    found = mean_with_interval(values, scale=PREFERENCE)
    assert found.interval is not None
    assert found.mean is not None
    low, high = found.interval
    assert 1.0 <= low <= high <= 4.0
    assert low - 1e-12 <= found.mean <= high + 1e-12


@given(preferences, st.randoms())
def test_the_order_of_tasks_changes_nothing(values: list[float], random: object) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis says object
    before, after = (mean_with_interval(each, scale=PREFERENCE) for each in (values, shuffled))
    assert before.mean == after.mean
    assert before.error == pytest.approx(after.error, abs=1e-12)


@given(preferences)
def test_clusters_of_one_are_no_clusters(values: list[float]) -> None:
    alone = [f"task {number}" for number in range(len(values))]
    assert mean_with_interval(values, scale=PREFERENCE, clusters=alone) == mean_with_interval(
        values, scale=PREFERENCE
    )


@given(st.integers(2, 400), st.data())
def test_wilson_holds_the_share(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    found = wilson(successes, n)
    assert found is not None
    assert 0.0 <= found.low <= successes / n <= found.high <= 1.0
