"""One row of every system: which submission it shows, and how it stands."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.candidates import Scored, Status, choose, is_clustered, prevailing_method

T0 = dt.datetime(2026, 5, 4, tzinfo=dt.UTC)
LEXICAL, OPENAI = ("lexical", "1"), ("openai", "2")


def one(pk: int, primary: float | None = 1.0, *, system: int = 1, hours: int = 0, **fields: Any) -> Scored:
    values: dict[str, Any] = {
        "pk": pk, "system": system, "runs": 1, "withdrawn": False, "state": "judged", "primary": primary,
        "finalized_at": T0 + dt.timedelta(hours=hours), "method": LEXICAL, **fields,
    }  # fmt: skip
    return Scored(**values)


def test_the_best_submission_of_a_system_is_shown() -> None:
    assert choose([one(1, 0.2), one(2, 0.9), one(3, 0.5)], runs=1) == {2: Status.RANKED}


def test_of_equal_submissions_the_earliest_is_shown() -> None:
    assert choose([one(1, 0.5, hours=2), one(2, 0.5, hours=1)], runs=1) == {2: Status.RANKED}


def test_of_simultaneous_equals_the_first_row_is_shown() -> None:
    assert choose([one(2, 0.5), one(1, 0.5)], runs=1) == {1: Status.RANKED}


def test_zero_is_better_than_unknown() -> None:
    assert choose([one(1, None), one(2, 0.0)], runs=1) == {2: Status.RANKED}


def test_fewer_runs_than_the_set_asks_for_are_on_no_board() -> None:
    assert choose([one(1, 0.9, runs=1), one(2, 0.1, runs=3)], runs=3) == {2: Status.RANKED}


def test_every_system_has_one_row() -> None:
    found = choose([one(1, 0.1, system=1), one(2, 0.2, system=2), one(3, 0.3, system=1)], runs=1)
    assert found == {3: Status.RANKED, 2: Status.RANKED}


def test_a_complete_result_outweighs_a_later_incomplete_one() -> None:
    assert choose([one(1, 0.1), one(2, None, hours=5, state="incomplete")], runs=1) == {1: Status.RANKED}


def test_the_latest_incomplete_submission_stands_below() -> None:
    found = choose([one(1, None, state="incomplete"), one(2, None, hours=1, state="incomplete")], runs=1)
    assert found == {2: Status.INCOMPLETE}


def test_after_a_withdrawal_the_next_best_moves_up() -> None:
    assert choose([one(1, 0.9, withdrawn=True), one(2, 0.1)], runs=1) == {2: Status.RANKED}


def test_a_system_with_nothing_but_withdrawn_results_keeps_a_tombstone() -> None:
    assert choose([one(1, 0.9, withdrawn=True)], runs=1) == {1: Status.WITHDRAWN}


def test_a_board_shows_the_way_of_judging_that_most_systems_share() -> None:
    found = choose(
        [
            one(1, 0.9, system=1),
            one(2, 0.8, system=2),
            one(3, 0.7, system=3, method=OPENAI, hours=9),
        ],
        runs=1,
    )
    assert found == {1: Status.RANKED, 2: Status.RANKED, 3: Status.NOT_COMPARABLE}


def test_many_submissions_of_one_system_do_not_make_a_way_of_judging_prevail() -> None:
    many = [one(pk, 0.9, system=1, method=OPENAI) for pk in range(1, 5)]
    others = [one(11, 0.5, system=2), one(12, 0.4, system=3)]
    assert prevailing_method([*many, *others]) == LEXICAL


def test_between_equally_many_systems_the_more_recent_way_of_judging_prevails() -> None:
    assert prevailing_method([one(1, system=1), one(2, system=2, method=OPENAI, hours=1)]) == OPENAI
    assert prevailing_method([one(1, system=1, hours=1), one(2, system=2, method=OPENAI)]) == LEXICAL


def test_a_system_is_shown_by_what_fits_the_board_even_if_another_result_is_higher() -> None:
    submissions = [
        one(1, 0.9, system=1, method=OPENAI),
        one(2, 0.2, system=1),
        one(3, 0.5, system=2),
    ]
    assert choose(submissions, runs=1) == {2: Status.RANKED, 3: Status.RANKED}


def test_withdrawn_and_incomplete_results_have_no_say_in_the_way_of_judging() -> None:
    submissions = [
        one(1, system=1, method=OPENAI, withdrawn=True),
        one(2, None, system=2, method=OPENAI, state="incomplete"),
        one(3, system=3),
    ]
    assert prevailing_method(submissions) == LEXICAL
    assert prevailing_method([]) == ()


def test_nothing_chooses_nothing() -> None:
    assert choose([], runs=1) == {}


submissions = st.lists(
    st.builds(
        one,
        st.integers(1, 10**6),
        st.none() | st.sampled_from([0.0, 0.5, 1.0]),
        system=st.integers(1, 4),
        hours=st.integers(0, 3),
        runs=st.integers(1, 2),
        withdrawn=st.booleans(),
        state=st.sampled_from(["judged", "published", "incomplete"]),
        method=st.sampled_from([LEXICAL, OPENAI]),
    ),
    unique_by=lambda found: found.pk,
    max_size=12,
)


@given(submissions, st.randoms())
def test_the_order_in_which_submissions_come_changes_nothing(found: list[Scored], random: Any) -> None:
    shuffled = found.copy()
    random.shuffle(shuffled)
    assert choose(found, runs=1) == choose(shuffled, runs=1)


@given(submissions)
def test_every_system_that_has_something_to_show_has_exactly_one_row(found: list[Scored]) -> None:
    by_pk = {one.pk: one for one in found}
    chosen = choose(found, runs=1)
    assert sorted(by_pk[pk].system for pk in chosen) == sorted({one.system for one in found if one.runs == 1})
    methods = {by_pk[pk].method for pk, status in chosen.items() if status is Status.RANKED}
    assert len(methods) <= 1


def test_tasks_are_clustered_once_two_share_a_cluster() -> None:
    assert not is_clustered({})
    assert not is_clustered({1: 1, 2: "flood"})
    assert is_clustered({1: "flood", 2: 2, 3: "flood"})
