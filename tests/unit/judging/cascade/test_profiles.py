"""Every constant of a profile is a choice; one that makes no sense is refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from judging.cascade import (
    DEFAULT_PROFILE,
    Average,
    Combine,
    InvalidProfile,
    ScoringProfile,
    score_cascade,
)
from tests.unit.judging.cascade.parts import (
    MET,
    P0,
    P1,
    P2,
    UNMET,
    claims,
    overalls,
    right,
    subtask,
)

# Other constants


def test_the_average_of_a_dimension_is_a_choice() -> None:
    subtasks = [subtask(P0, [MET]), subtask(P1, [MET, UNMET, UNMET, UNMET]), subtask(P2, [UNMET])]
    scores = {
        average: score_cascade(subtasks, replace(DEFAULT_PROFILE, average=average)).instruction
        for average in Average
    }
    assert scores == {
        Average.IMPORTANCE: pytest.approx((1 + 0.5 * 0.25) / 1.75, abs=1e-15),
        Average.RUBRIC: pytest.approx(2 / 6, abs=1e-15),
        Average.SUBTASK: pytest.approx((1 + 0.25) / 3, abs=1e-15),
    }


@pytest.mark.parametrize(
    ("combine", "expected"),
    [(Combine.CASCADE, 0.3125), (Combine.PRODUCT, 0.1875), (Combine.MIN, 0.5), (Combine.MEAN, 7 / 12)],
)
def test_how_a_subtask_is_combined_is_a_choice(combine: Combine, expected: float) -> None:
    profile = replace(DEFAULT_PROFILE, o_combine=combine, gates={})
    found = subtask(P0, [MET, UNMET], [claims(1, 1)], [MET, MET, MET, UNMET])
    assert overalls(score_cascade([found], profile)) == [pytest.approx(expected, abs=1e-15)]


def test_an_absent_instruction_earns_nothing_in_a_plain_mean() -> None:
    profile = replace(DEFAULT_PROFILE, o_combine=Combine.MEAN)
    assert score_cascade([subtask(P0, [], [claims(1, 1)])], profile).overall == 0.5


@pytest.mark.parametrize("combine", Combine)
def test_a_shut_gate_is_worth_nothing_however_a_subtask_is_combined(combine: Combine) -> None:
    profile = replace(DEFAULT_PROFILE, o_combine=combine)
    assert score_cascade([subtask(P0, [MET, UNMET], [claims(1)], [MET])], profile).overall == 0.0


def test_a_lower_gate_lets_a_subtask_through() -> None:
    profile = replace(DEFAULT_PROFILE, gate_threshold=0.5)
    score = score_cascade([subtask(P0, [MET, UNMET], [claims(1)], [MET])], profile)
    assert (score.factuality, score.overall) == (1.0, 0.5)


def test_the_stricter_chain_reaches_rationality_after_factuality() -> None:
    chain = ScoringProfile.from_mapping({"gates": {"rationality": ["instruction", "factuality"]}})
    bad_facts = subtask(P0, [MET], [claims(1, 1)], [MET])
    score = score_cascade([bad_facts], chain)
    assert (score.factuality, score.rationality, score.overall) == (0.5, None, 0.25)
    assert (score.subtasks[0].factuality_open, score.subtasks[0].rationality_open) == (True, False)
    assert score_cascade([right(P0)], chain).overall == 1.0


def test_a_gate_behind_a_shut_gate_is_shut() -> None:
    chain = ScoringProfile.from_mapping({"gates": {"rationality": ["factuality"]}})
    score = score_cascade([subtask(P0, [UNMET], [claims(1)], [MET])], chain)
    assert (score.rationality, score.overall) == (None, 0.0)


def test_weights_are_a_choice() -> None:
    profile = ScoringProfile.from_mapping({"weights": {"P1": 1}})
    score = score_cascade([subtask(P0, [MET]), subtask(P1, [UNMET]), subtask(P2, [UNMET])], profile)
    assert score.instruction == pytest.approx(1 / 2.25, abs=1e-15)


def test_the_bands_and_shares_of_user_pref_are_choices() -> None:
    poor = [subtask(P2, [MET] * 6 + [UNMET] * 4)]
    assert score_cascade(poor, replace(DEFAULT_PROFILE, overall_fail_below=0.7)).user_pref == 1
    thirds = [
        right(P0),
        *(subtask(P1, [outcome], name=str(n)) for n, outcome in enumerate([UNMET, MET, MET])),
    ]
    assert score_cascade(thirds).user_pref == 3
    assert score_cascade(thirds, replace(DEFAULT_PROFILE, p1_fail_share=1 / 3)).user_pref == 2
    good = [subtask(P0, [MET] * 9 + [UNMET])]
    assert score_cascade(good).user_pref == 3
    assert score_cascade(good, replace(DEFAULT_PROFILE, excellent=0.9)).user_pref == 4


# Profiles


def test_a_profile_survives_json() -> None:
    assert ScoringProfile.from_mapping(json.loads(json.dumps(DEFAULT_PROFILE.as_dict()))) == DEFAULT_PROFILE
    changed = ScoringProfile.from_mapping(
        {
            "name": "strict/1",
            "gates": {"rationality": ["factuality"]},
            "average": "rubric",
            "o_combine": "min",
        }
    )
    assert ScoringProfile.from_mapping(json.loads(json.dumps(changed.as_dict()))) == changed
    assert hash(changed) != hash(DEFAULT_PROFILE)


def test_the_default_profile_holds_the_published_constants() -> None:
    assert DEFAULT_PROFILE.as_dict() == {
        "name": "cascade/1",
        "gate_threshold": 1.0,
        "gates": {"factuality": ["instruction"], "rationality": ["instruction"]},
        "weights": {"P0": 1.0, "P1": 0.5, "P2": 0.25},
        "average": "importance",
        "o_combine": "cascade",
        "pass_at": 0.8,
        "fail_below": 0.5,
        "overall_fail_below": 0.5,
        "p1_fail_share": 0.5,
        "excellent": 0.95,
        "tolerance": 1e-9,
    }


def test_other_constants_never_go_by_the_published_name() -> None:
    assert ScoringProfile.from_mapping({}).name == "cascade/1"
    assert ScoringProfile.from_mapping({"pass_at": 0.8}).name == "cascade/1"
    assert ScoringProfile.from_mapping({"pass_at": 0.7}).name == "cascade/1-modified"
    assert ScoringProfile.from_mapping({"name": "cascade/1", "pass_at": 0.7}).name == "cascade/1-modified"
    assert ScoringProfile.from_mapping({"name": "mine/2", "pass_at": 0.7}).name == "mine/2"


SHARES = ("gate_threshold", "pass_at", "fail_below", "overall_fail_below", "p1_fail_share", "excellent")
NO_SHARES = (0, -0.5, 1.5, nan, inf, -inf, True, "0.5", None, 10**400)


@pytest.mark.parametrize("value", NO_SHARES)
@pytest.mark.parametrize("name", SHARES)
def test_a_constant_that_makes_no_sense_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(InvalidProfile, match=f"^{name}: "):
        ScoringProfile.from_mapping({name: value})


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ({"treshold": 1}, "treshold"),
        ({1: 1}, "1"),
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"tolerance": -1e-9}, "tolerance"),
        ({"tolerance": 0.5}, "tolerance"),
        ({"tolerance": nan}, "tolerance"),
        ({"fail_below": 0.9}, "fail_below"),
        ({"average": "median"}, "average"),
        ({"average": 1}, "average"),
        ({"o_combine": None}, "o_combine"),
        ({"weights": [1, 2, 3]}, "weights"),
        ({"weights": {"P3": 1}}, "weights"),
        ({"weights": {"P1": 0}}, r"weights\.P1"),
        ({"weights": {"P1": -1}}, r"weights\.P1"),
        ({"weights": {"P1": nan}}, r"weights\.P1"),
        ({"weights": {"P1": inf}}, r"weights\.P1"),
        ({"weights": {"P1": 1e308}}, r"weights\.P1"),
        ({"weights": {"P1": "1"}}, r"weights\.P1"),
        ({"gates": ["instruction"]}, "gates"),
        ({"gates": {"style": []}}, "gates"),
        ({"gates": {"rationality": "instruction"}}, r"gates\.rationality"),
        ({"gates": {"rationality": ["style"]}}, r"gates\.rationality"),
        ({"gates": {"factuality": ["rationality"]}}, r"gates\.factuality"),
        ({"gates": {"instruction": ["instruction"]}}, r"gates\.instruction"),
    ],
)
def test_a_faulty_profile_is_refused_by_name(source: Mapping[str, Any], name: str) -> None:
    with pytest.raises(InvalidProfile, match=f"^{name}: "):
        ScoringProfile.from_mapping(source)


def test_a_profile_built_in_code_is_checked_as_well() -> None:
    with pytest.raises(InvalidProfile, match=r"^weights\.P2: "):
        ScoringProfile(weights={P0: 1.0, P1: 0.5})
    with pytest.raises(InvalidProfile, match=r"^pass_at: "):
        replace(DEFAULT_PROFILE, pass_at=nan)
