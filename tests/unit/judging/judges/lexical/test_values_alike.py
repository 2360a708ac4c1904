"""Claims decided without any text: two values are the same, or in order."""

from __future__ import annotations

import pytest

from judging.judges.lexical.comparison import comparison
from judging.judges.lexical.equality import empty_value, equality, same_value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Larry E. Travis", "Prof. Larry Travis"), ("Yan, Xifeng", "Xifeng Yan"), ("J. Han", "Jiawei Han"),
        ("Müller, Jürgen", "Juergen Mueller"), ("Richard Montague", "Montague"), ("Lantern Col", "Lantern Col Hut"),
        ("12 €", "12.00 EUR"), ("3 May 2024", "2024-05-03"), ("MIT", "Massachusetts Institute of Technology"),
        ("李文华", "李文华教授"), ("Bob Smith", "Robert Smith"), ("University of Harn", "Harn University"),
        ("José Álvarez", "Jose Alvarez"), ("The Patient Otter", "Patient Otter"), ("O'Brien", "Sean O'Brien"),
        ("Liv Anna Harrowgill", "Liv Harrowgill"), ("1,234", "1234"), ("Ida Kelmer (architect)", "Ida Kelmer"),
        ("Glimmer 200", "glimmer-200"), ("4:58:51", "4:58:51"), ("5 m", "500 cm"),
    ],
)  # fmt: skip
def test_values_that_mean_the_same_are_the_same_both_ways(one: str, other: str) -> None:
    assert same_value(one, other)
    assert same_value(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jiawei Han", "Jiawei Yan"), ("Hollow Beacon Hut", "Hollow Hut"), ("12 €", "13 €"), ("12 €", "12 $"),
        ("李文华", "李文清"), ("Glimmer 200", "Glimmer 100"), ("Glimmer 200", "Glimmer"), ("New York", "New York Times"),
        ("Saltmarsh Hare", "Blue Thimble"), ("University", "University of Harn"), ("", "Harn"), ("", ""),
        ("J.", "Jiawei"), ("Liv", "Liv Harrowgill"), ("Hut 3", "Refuge 3"), ("Dr.", "Prof."),
    ],
)  # fmt: skip
def test_values_that_differ_differ_both_ways(one: str, other: str) -> None:
    assert not same_value(one, other)
    assert not same_value(other, one)


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("'Ida Kelmer' and 'Kelmer, Ida' are the same person", True),
        ("'Ida Kelmer' and 'Anton Pryce' are the same person", False),
        ("“Ida Kelmer” and “Ida Kelmer” refer to the same person", True),
        ("'12 €' is the same price as '12 EUR'", True),
        ("'Ida Kelmer' and 'Anton Pryce' are different people", True),
        ("'Ida Kelmer' is not the same as 'Ida Kelmer'", False),
        ("Xifeng Yan and Yan Xifeng are the same person", True),
        ("Torvale equals Harn", False),
        ("'O'Brien' and 'Sean O'Brien' are the same person", True),
    ],
)
def test_a_claim_of_equality_is_decided_by_its_values(claim: str, holds: bool) -> None:
    decided = equality(claim)
    assert decided is not None
    assert decided[0] is holds


@pytest.mark.parametrize(
    "claim",
    [
        "The hut has 24 beds", "'a' is the same", "the same " * 100, "'a', 'b' and 'c' are the same",
        "x" * 90 + " and y are the same thing",
    ],
)  # fmt: skip
def test_other_claims_are_no_claims_of_equality(claim: str) -> None:
    assert equality(claim) is None


@pytest.mark.parametrize(
    "claim", ["'' and 'B' are the same", "' ' has 24 beds", 'The name is ""', "“” is high"]
)
def test_an_empty_value_shows(claim: str) -> None:
    assert empty_value(claim)


@pytest.mark.parametrize(
    "claim", ["'A' 'B' are the same", "the huts' beds and the clubs' dogs", "it's '24'", "plain"]
)
def test_a_value_that_is_there_is_not_empty(claim: str) -> None:
    assert not empty_value(claim)


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("58 is at most 60", True), ("The price of 61 marks is at most 60 marks", False), ("'58' is less than 60", True),
        ("2018 is before 2020", True), ("14:30 is after 12:00", True), ("12 km is more than 11,000 m", True),
        ("3 May 2024 is before 4 May 2024", True), ("60 is not more than 60", True), ("24 beds is at least 30", False),
        ("890 m is between 800 m and 900 m", True), ("890 m is not between 800 m and 900 m", False),
        ("It weighs less than 5", None), ("The hut is open", None), ("12 kg is more than 5 m", None),
        ("12 is between 5 m and 7 kg", None), ("12 is between 5 and many", None), ("5 and 6 is below 7", None),
    ],
)  # fmt: skip
def test_a_comparison_is_computed_where_it_can_be(claim: str, holds: bool | None) -> None:
    decided = comparison(claim)
    assert (decided[0] if decided else None) is holds
