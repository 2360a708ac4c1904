"""Agreement of two raters against the worked values of the papers it is taken from."""

from __future__ import annotations

import pytest

from judging.calibration.statistics import (
    Share,
    confusion,
    flips,
    kappa,
    linear,
    quadratic,
    share,
    share_by_group,
    weighted_kappa,
)

# Cohen (1960), table 1: two judges, 200 cases, three categories (rows: judge A).
COHEN = ((88, 10, 2), (14, 40, 6), (18, 10, 12))
PAIRS = [(str(i), str(j)) for i, row in enumerate(COHEN) for j, count in enumerate(row) for _ in range(count)]
GRAVE = ((0, 1, 3), (1, 0, 6), (3, 6, 0))  # Cohen (1968), table 1: how grave each disagreement is


# Newcombe (1998), table I, method 3.
@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_of_newcombe(count: int, of: int, low: float, high: float) -> None:
    found = share(count, of)
    assert (found.count, found.of, found.share) == (count, of, count / of)
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


def test_at_the_ends_of_the_scale_a_bound_is_exact() -> None:
    assert share(0, 7).low == 0.0
    assert share(7, 7).high == 1.0
    assert 0 < (share(7, 7).low or 0) < 1


def test_a_share_of_nothing_is_unknown_and_more_than_all_is_refused() -> None:
    assert share(0, 0) == Share(0, 0, None, None, None)
    for count, of in ((3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="of 2"):
            share(count, of)


def test_the_agreement_of_mind2web_2_is_told_as_there() -> None:
    raw, wrong = share(685, 720), share(7, 720)
    assert (round(raw.share or 0, 3), round(wrong.share or 0, 4)) == (0.951, 0.0097)
    assert (raw.low or 0) > 0.92


def test_kappa_is_that_of_cohen_1960() -> None:
    assert kappa(PAIRS) == pytest.approx(0.492, abs=5e-4)


def test_weighted_kappa_is_that_of_cohen_1968() -> None:
    found = weighted_kappa(PAIRS, "012", lambda i, j: GRAVE[i][j])
    assert found == pytest.approx(0.348, abs=5e-4)


def test_linear_and_quadratic_weights_are_as_worked_by_hand() -> None:
    # Mean disagreement observed over that expected: 0.40 / 0.76 and 0.60 / 1.10.
    assert weighted_kappa(PAIRS, "012", linear) == pytest.approx(1 - 0.40 / 0.76)
    assert weighted_kappa(PAIRS, "012", quadratic) == pytest.approx(1 - 0.60 / 1.10)


def test_the_scale_counts_places_that_nobody_uses() -> None:
    pairs = [("1", "1"), ("4", "4"), ("1", "4"), ("4", "4")]
    assert weighted_kappa(pairs, "1234", linear) == pytest.approx(kappa(pairs))
    assert kappa(pairs) == pytest.approx(0.5)


def test_kappa_ends_at_one_is_below_zero_for_contraries_and_unknown_without_a_choice() -> None:
    assert kappa([("a", "a"), ("b", "b")]) == 1
    assert kappa([("a", "b"), ("b", "a")]) == -1
    assert kappa([("a", "a")] * 5) is None
    assert kappa([]) is None


def test_what_is_no_category_is_refused() -> None:
    with pytest.raises(KeyError):
        weighted_kappa([("1", "5")], "1234", linear)


def test_a_confusion_matrix_counts_what_is_said_for_what() -> None:
    found = confusion([("b", "a"), ("a", "a"), ("b", "b"), ("a", "a")])
    assert found == {"a": {"a": 2}, "b": {"a": 1, "b": 1}}
    assert confusion([]) == {}


def test_groups_are_counted_apart() -> None:
    found = share_by_group([("z", True), ("a", False), ("z", False), ("z", True)])
    assert list(found) == ["a", "z"]
    assert [(one.count, one.of) for one in found.values()] == [(0, 1), (2, 3)]


def test_a_case_flips_if_any_of_its_runs_differs() -> None:
    found = flips({"a": "xxx", "b": "xxy", "c": "xyx", "d": "yyy"})
    assert (found.count, found.of, found.share) == (2, 4, 0.5)
