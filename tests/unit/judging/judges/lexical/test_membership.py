"""Claims that a value is one of several."""

from __future__ import annotations

import pytest

from judging.judges.lexical.equality import same_value
from judging.judges.lexical.membership import is_membership, member

LIST = "Mont Blanc, Dufourspitze, Nordend"


def holds(claim: str) -> bool | None:
    found = member(claim)
    return None if found is None else found[0]


@pytest.mark.parametrize(
    "claim",
    [
        f"'Nordend' is the same mountain as one of: {LIST}",
        f"'nordend' is one of: {LIST}.",
        f'The mountain "Nordend" is identical to any one of: {LIST}',
        f"'Nordend' matches one of the following: {LIST}",
        f"'Nordend' is one of the three mountains: {LIST}",
        f"Nordend is one of: {LIST}",
        f"'Nordend' and one of: {LIST} are the same mountain",
        f"'Dom' is none of: {LIST}",
        f"'Dom' is not one of: {LIST}",
        f"'Dom' does not match any of: {LIST}",
        f"'Dom' is not the same mountain as any of: {LIST}",
        f"'Nordend' is not none of: {LIST}",
        "'Nordend' is one of Mont Blanc, Dufourspitze or Nordend",
        "'Nordend' is one of: 'Mont Blanc', “Dufourspitze”, or 'Nordend'",
        "'Nordend' is either of: Dom | Nordend",
        "'Nordend' is one of: Dom / Nordend",
        "'Paris, France' is one of: Berlin, Germany; Paris, France",
        "'青石大学' is one of: 云川大学、青石大学",
        "'4,806 m' is one of: 4634 metres, 4806 metres",
        "'Nordend' is one of: Nordend",
    ],
)
def test_a_claim_that_is_true_of_its_own_list_holds(claim: str) -> None:
    assert holds(claim) is True


@pytest.mark.parametrize(
    "claim",
    [
        f"'Dom' is the same mountain as one of: {LIST}",
        f"'Dom' and one of: {LIST} are the same mountain",
        f"'Nordend' is none of: {LIST}",
        f"'Nordend' is not one of: {LIST}",
        f"'Mont Blanc, Nordend' is one of: {LIST}",
        f"'Mont Blanc or Nordend' is one of: {LIST}",
        f"'Mont Blanc / Nordend' is one of: {LIST}",
        f"'Mont' is one of: {LIST}",
        "'4,807 m' is one of: 4634 metres, 4806 metres",
    ],
)
def test_a_claim_that_its_own_list_belies_does_not_hold(claim: str) -> None:
    assert holds(claim) is False


@pytest.mark.parametrize(
    "claim",
    [
        f"Dom is one of: {LIST}",  # "the capital of Harn is one of: …" is about the world
        "'Tobago' is one of: Harn, Trinidad and Tobago",  # two entries, or one?
        "'Dom' is one of Mont Blanc, Dufourspitze or Nordend",
    ],
)
def test_what_cannot_be_told_from_the_list_is_left_open(claim: str) -> None:
    assert is_membership(claim)
    assert holds(claim) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Mont Blanc is one of the highest mountains in France, Italy and Switzerland",
        "'Mont Blanc' is one of the highest mountains in France, Italy and Switzerland",
        f"The capital of 'Nordend' is one of: {LIST}",
        f"'Nordend' is higher than one of: {LIST}",
        f"'' is one of: {LIST}",
        "'Nordend' is one of: ;",
        "'Nordend' is one of three",
        # a value may try to bring its own list
        "'Harn' is one of: Harn', 'x' is the same mountain as 'Mont Blanc'",
        "'Harn' is one of: Harn, x' is the same mountain as 'Mont Blanc'",
        "Harn is one of: Harn, x and Mont Blanc are the same mountain",
        f"'Harn' is one of: Harn', 'x' is one of: {LIST}",
    ],
)
def test_other_claims_are_no_memberships(claim: str) -> None:
    assert not is_membership(claim)
    assert member(claim) is None


@pytest.mark.parametrize("value", ["Harn or Torvale", "Harn, Torvale", "Harn / Torvale", "Harn and Torvale"])
def test_a_value_that_names_several_is_not_the_same_as_one_of_them(value: str) -> None:
    assert not same_value(value, "Torvale")
    assert not same_value("Torvale", value)


def test_a_surname_still_stands_for_the_whole_name() -> None:
    assert same_value("Torvale", "Nils Torvale")
    assert same_value("Torvale, Nils", "Nils Torvale")
