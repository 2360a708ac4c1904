"""Ranks follow from what is shown, and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.ranking import Direction, Metric, Tie, Unit, in_order, ranked

PREFERENCE = Metric(
    key="user_pref", label="UserPref", meaning="", direction=Direction.HIGHER, decimals=2, unit=Unit.POINTS,
    low=1.0, high=4.0, primary=True,
)  # fmt: skip
SHARE = Metric(key="share", label="Share", meaning="", direction=Direction.HIGHER, decimals=3)
LENGTH = Metric(
    key="chars",
    label="",
    meaning="",
    direction=Direction.NEITHER,
    decimals=0,
    unit=Unit.CHARACTERS,
    high=None,
)


@dataclass(frozen=True)
class System:
    name: str
    ident: str
    value: float | None

    @property
    def tie(self) -> Tie:
        return Tie(self.name, self.ident)


def names(systems: list[System], *, descending: bool) -> list[str]:
    order = in_order(systems, value=lambda s: s.value, tie=lambda s: s.tie, descending=descending)
    return [system.name for system in order]


def ranks(systems: list[System], direction: Direction = Direction.HIGHER) -> list[tuple[int | None, str]]:
    found = ranked(systems, value=lambda s: s.value, tie=lambda s: s.tie, direction=direction)
    return [(rank, system.name) for rank, system in found]


def test_equal_shown_values_share_a_rank_and_stand_by_name() -> None:
    systems = [System("c", "1", 2.0), System("b", "2", 3.0), System("a", "3", 2.0), System("d", "4", 1.0)]
    assert ranks(systems) == [(1, "b"), (2, "a"), (2, "c"), (4, "d")]


def test_namesakes_stand_by_public_id() -> None:
    twins = [System("same", "z", 1.0), System("same", "a", 1.0)]
    found = ranked(twins, value=lambda s: s.value, tie=lambda s: s.tie, direction=Direction.HIGHER)
    assert [system.ident for _, system in found] == ["a", "z"]


def test_names_are_compared_without_case() -> None:
    assert names([System("b", "1", 1.0), System("A", "2", 1.0)], descending=False) == ["A", "b"]


def test_the_lower_the_better_ranks_the_lowest_first() -> None:
    assert ranks([System("slow", "1", 9.0), System("fast", "2", 1.0)], Direction.LOWER) == [
        (1, "fast"),
        (2, "slow"),
    ]


def test_what_is_unknown_stands_last_in_both_directions_and_has_no_rank() -> None:
    systems = [System("unknown", "1", None), System("zero", "2", 0.0), System("one", "3", 1.0)]
    assert names(systems, descending=False) == ["zero", "one", "unknown"]
    assert names(systems, descending=True) == ["one", "zero", "unknown"]
    assert ranks(systems)[-1] == (None, "unknown")
    assert ranks(systems, Direction.LOWER)[-1] == (None, "unknown")


def test_equal_values_stand_by_name_in_both_directions() -> None:
    systems = [System("b", "1", 1.0), System("a", "2", 1.0)]
    assert names(systems, descending=True) == names(systems, descending=False) == ["a", "b"]


def test_numbers_do_not_sort_as_texts() -> None:
    assert names([System("ten", "1", 10.0), System("nine", "2", 9.0)], descending=True) == ["ten", "nine"]


def test_texts_sort_without_case() -> None:
    rows = [("b", Tie("x", "1")), ("A", Tie("y", "2")), (None, Tie("z", "3"))]
    order = in_order(rows, value=lambda row: row[0], tie=lambda row: row[1], descending=False)
    assert [row[0] for row in order] == ["A", "b", None]


@pytest.mark.parametrize(
    ("metric", "value", "shown", "text"),
    [
        (PREFERENCE, 2.456, 2.46, "2.46"),
        (PREFERENCE, 4.0, 4.0, "4.00"),
        (SHARE, 0.71249, 0.712, "71.2"),
        (SHARE, 0.0, 0.0, "0.0"),
        (SHARE, -0.0, 0.0, "0.0"),
        (SHARE, 1.0, 1.0, "100.0"),
        (LENGTH, 12345.6, 12346.0, "12,346"),
    ],
)
def test_a_metric_rounds_and_writes_its_values(metric: Metric, value: float, shown: float, text: str) -> None:
    assert metric.shown(value) == shown
    assert str(metric.shown(value)) == str(shown)
    assert metric.text(shown) == text


def test_what_is_unknown_is_shown_as_unknown() -> None:
    assert SHARE.shown(None) is None


@pytest.mark.parametrize("metric", [PREFERENCE, SHARE, LENGTH])
def test_a_stored_column_gives_the_metric_back(metric: Metric) -> None:
    stored = {**metric.as_column(), "a_later_field": 1}
    assert Metric.from_column(stored) == metric


systems_of_any_kind = st.lists(
    st.builds(
        System,
        st.text(max_size=3),
        st.uuids().map(str),
        st.none() | st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1),
    ),
    max_size=12,
)


@given(systems_of_any_kind)
def test_a_rank_is_one_more_than_the_number_of_better_values(systems: list[System]) -> None:
    found = ranked(systems, value=lambda s: s.value, tie=lambda s: s.tie, direction=Direction.HIGHER)
    known = [system.value for system in systems if system.value is not None]
    for rank, system in found:
        if system.value is None:
            assert rank is None
        else:
            assert rank == 1 + sum(value > system.value for value in known)


@given(systems_of_any_kind, st.randoms(), st.sampled_from(Direction))
def test_the_order_in_which_rows_come_changes_nothing(
    systems: list[System], random: object, direction: Direction
) -> None:
    shuffled = systems.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis says object
    assert ranks(systems, direction) == ranks(shuffled, direction)


@given(systems_of_any_kind, st.booleans())
def test_unknown_values_are_always_last(systems: list[System], descending: bool) -> None:
    order = in_order(systems, value=lambda s: s.value, tie=lambda s: s.tie, descending=descending)
    known = [system.value is not None for system in order]
    assert known == sorted(known, reverse=True)
    assert len(order) == len(systems)


@given(st.floats(0, 1), st.floats(0, 1))
def test_rounding_never_turns_an_order_around(a: float, b: float) -> None:
    shown_a, shown_b = SHARE.shown(a), SHARE.shown(b)
    assert shown_a is not None
    assert shown_b is not None
    assert (a <= b) <= (shown_a <= shown_b)
