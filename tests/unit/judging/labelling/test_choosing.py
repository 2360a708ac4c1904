"""Samples and orders that a seed alone decides."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.labelling.choosing import choose, shuffled

ANSWERS = [(submission, 100 * submission + n) for submission in (1, 2, 3) for n in range(10)]


def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    assert choose(ANSWERS, seed=1, size=6) == choose(ANSWERS[::-1], seed=1, size=6)
    assert len({tuple(choose(ANSWERS, seed=seed, size=6)) for seed in range(20)}) > 15


@pytest.mark.parametrize("size", [1, 2, 3, 7, 29, 30, 99])
def test_the_submissions_take_turns(size: int) -> None:
    drawn = choose(ANSWERS, seed=4, size=size)
    assert len(drawn) == len(set(drawn)) == min(size, 30)
    counts = Counter(answer // 100 for answer in drawn)
    assert max(counts.values()) - min([*counts.values(), *([0] if len(counts) < 3 else [])]) <= 1


def test_a_small_submission_gives_what_it_has() -> None:
    drawn = choose([(1, 1), *((2, 10 + n) for n in range(5))], seed=0, size=5)
    assert 1 in drawn
    assert len(drawn) == 5


def test_of_nothing_nothing_is_drawn() -> None:
    assert choose([], seed=1, size=5) == []


@given(st.lists(st.integers(), unique=True), st.integers(), st.integers())
def test_an_order_has_all_once(numbers: list[int], seed: int, person: int) -> None:
    found = shuffled(numbers, seed, person)
    assert sorted(found) == sorted(numbers)
    assert found == shuffled(reversed(numbers), seed, person)
