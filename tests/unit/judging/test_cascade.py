"""Scores of tasks by subtasks: the table of the rules, the profile's constants, what holds for every task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import inf, nan
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import judging.cascade.findings
import judging.cascade.scores
from judging.cascade import (
    DEFAULT_PROFILE,
    Average,
    Band,
    CascadeScore,
    Combine,
    Dimension,
    Factuality,
    Finding,
    Importance,
    InvalidProfile,
    MalformedCascade,
    ScoringProfile,
    Subtask,
    cascade_faults,
    reached_dimensions,
    score_cascade,
)
from judging.tree import Outcome

P0, P1, P2 = Importance
MET, UNMET, NOT_ASSESSED, ERROR = Outcome
SUPPORTED, REFUTED, UNDECIDED = Finding.SUPPORTED, Finding.REFUTED, Finding.UNDECIDED
UNKNOWN_CLAIMS = (Finding.NOT_ASSESSED, Finding.ERROR, None)
UNKNOWN = (NOT_ASSESSED, ERROR, None)
I, F, R = Dimension  # noqa: E741 - the letters of the rules


def claims(supported: int = 0, refuted: int = 0, undecided: int = 0, unknown: int = 0) -> Factuality:
    found = [SUPPORTED] * supported + [REFUTED] * refuted + [UNDECIDED] * undecided
    return Factuality(claims=(*found, *[Finding.NOT_ASSESSED] * unknown))


def subtask(
    importance: Importance,
    instruction: Sequence[Outcome | None] = (MET,),
    factuality: Sequence[Factuality] = (),
    rationality: Sequence[Outcome | None] = (),
    name: str = "",
) -> Subtask:
    return Subtask(
        name or f"{importance}", importance, tuple(instruction), tuple(factuality), tuple(rationality)
    )


def right(importance: Importance, name: str = "", factuality: bool = True) -> Subtask:
    """A subtask with everything right: one instruction, perhaps a claim, one rationality."""
    return subtask(importance, [MET], [claims(1)] if factuality else [], [MET], name)


def overalls(score: CascadeScore) -> list[float | None]:
    return [part.overall for part in score.subtasks]


# The table of the rules


def test_everything_right() -> None:
    score = score_cascade([right(P0), right(P1), right(P2)])
    assert (score.instruction, score.factuality, score.rationality) == (1.0, 1.0, 1.0)
    assert overalls(score) == [1.0, 1.0, 1.0]
    assert (score.overall, score.user_pref) == (1.0, 4)


def test_half_the_claims_of_the_critical_subtask_refuted() -> None:
    half = subtask(P0, [MET], [claims(3, 3)], [MET])
    score = score_cascade([half, right(P1), right(P2, factuality=False)])
    assert (score.instruction, score.rationality) == (1.0, 1.0)
    assert score.factuality == pytest.approx(2 / 3, abs=1e-15)
    assert overalls(score) == [0.75, 1.0, 1.0]
    assert score.subtasks[0].band is Band.WEAK
    assert score.overall == pytest.approx(6 / 7, abs=1e-15)
    assert score.user_pref == 2


def test_one_of_two_critical_instructions_missed() -> None:
    missed = subtask(P0, [MET, UNMET], [claims(1, 5)], [UNMET])
    score = score_cascade([missed, right(P1), right(P2, factuality=False)])
    assert score.instruction == pytest.approx(5 / 7, abs=1e-15)
    assert (score.factuality, score.rationality) == (1.0, 1.0)
    assert overalls(score) == [0.0, 1.0, 1.0]
    assert score.subtasks[0].band is Band.FAIL
    assert score.overall == pytest.approx(3 / 7, abs=1e-15)
    assert score.user_pref == 1


def test_one_of_two_major_subtasks_misses_its_only_instruction() -> None:
    missed = subtask(P1, [UNMET], [claims(1)], [MET], "P1b")
    score = score_cascade([right(P0), right(P1), missed])
    assert (score.instruction, score.factuality, score.rationality) == (0.75, 1.0, 1.0)
    assert overalls(score) == [1.0, 1.0, 0.0]
    assert score.subtasks[2].band is Band.FAIL
    assert (score.overall, score.user_pref) == (0.75, 2)


@pytest.mark.parametrize(
    ("found", "factuality", "overall", "undecided"),
    [
        (claims(3, 3), 0.5, 0.75, 0.0),
        (claims(3, 0, 3), 1.0, 0.75, 0.5),
        (claims(1, 0, 5), 1.0, 7 / 12, 5 / 6),
        (claims(0, 0, 6), None, 0.5, 1.0),
    ],
)
def test_refuted_and_undecided_claims_cost_a_reader_the_same(
    found: Factuality, factuality: float | None, overall: float, undecided: float
) -> None:
    score = score_cascade([subtask(P0, [MET], [found], [MET]), subtask(P1, [MET], [found], [MET])])
    assert (score.instruction, score.factuality, score.rationality) == (1.0, factuality, 1.0)
    assert overalls(score) == pytest.approx([overall, overall], abs=1e-15)
    assert score.overall == pytest.approx(overall, abs=1e-15)
    assert score.user_pref == 2
    assert score.undecided_share == pytest.approx(undecided, abs=1e-15)


# Single rules


def test_no_claim_at_all_is_published_as_null_and_worth_nothing_to_a_reader() -> None:
    score = score_cascade([subtask(P0, [MET], [Factuality(claims=())], [MET])])
    assert (score.factuality, score.undecided_share) == (None, None)
    assert (score.overall, score.user_pref) == (0.5, 2)
    assert (score.checks, score.coverage) == (2, 1.0)


def test_a_task_without_any_check_to_make_is_covered() -> None:
    score = score_cascade([subtask(P0, [], [Factuality(claims=())])])
    assert (score.checks, score.assessed, score.coverage) == (0, 0, 1.0)
    assert (score.overall, score.user_pref) == (0.0, 1)


def test_without_an_instruction_the_gate_is_open() -> None:
    score = score_cascade([subtask(P0, [], [claims(1)], [MET])])
    assert (score.instruction, score.factuality, score.rationality) == (None, 1.0, 1.0)
    assert (score.overall, score.user_pref) == (1.0, 4)


def test_instructions_alone_are_worth_what_they_reach() -> None:
    score = score_cascade([subtask(P0, [MET, MET, UNMET])])
    assert score.overall == pytest.approx(2 / 3, abs=1e-15)
    assert score.subtasks[0].band is Band.WEAK
    assert (score.factuality, score.rationality) == (None, None)


def test_a_factuality_rubric_may_hold_one_verdict() -> None:
    score = score_cascade([subtask(P0, [MET], [Factuality(outcome=MET), Factuality(outcome=UNMET)])])
    assert (score.factuality, score.overall) == (0.5, 0.5)
    assert (score.checks, score.undecided_share) == (3, None)


def test_a_factuality_rubric_of_claims_and_a_verdict_is_refused() -> None:
    with pytest.raises(MalformedCascade, match="not both"):
        Factuality(claims=(SUPPORTED,), outcome=MET)


def test_what_a_shut_gate_hides_is_charged_to_instruction_following_alone() -> None:
    score = score_cascade([subtask(P0, [UNMET], [claims(0, 4)], [UNMET]), right(P1)])
    assert score.instruction == pytest.approx(1 / 3, abs=1e-15)
    assert (score.factuality, score.rationality, score.undecided_share) == (1.0, 1.0, 0.0)
    assert (score.checks, score.assessed) == (4, 4)
    shut = score.subtasks[0]
    assert (shut.factuality_open, shut.rationality_open) == (False, False)
    assert (shut.instruction, shut.factuality, shut.rationality) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        # 1: any P0 fails, or there is no P0 and O < 0.5
        ([(P0, 0.4), (P0, 1.0), (P1, 1.0)], 1),
        ([(P1, 0.4), (P2, 0.4)], 1),
        ([(P2, 0.4)], 1),
        # 2: any P0 weak, or at least half of the P1 fail
        ([(P0, 0.5), (P1, 1.0)], 2),
        ([(P0, 0.7), (P0, 1.0)], 2),
        ([(P0, 1.0), (P1, 0.4), (P1, 1.0)], 2),
        ([(P1, 0.0), (P1, 1.0), (P2, 1.0)], 2),
        # 4: all P0 and P1 pass and O >= 0.95
        ([(P0, 1.0), (P1, 0.9)], 4),
        ([(P2, 1.0)], 4),
        ([(P0, 1.0), (P0, 1.0), (P0, 1.0), (P1, 1.0), (P1, 1.0), (P2, 0.2)], 4),
        # 3: the rest
        ([(P0, 1.0), (P1, 0.4), (P1, 1.0), (P1, 1.0)], 3),
        ([(P0, 0.9), (P1, 0.9)], 3),
        ([(P0, 1.0), (P0, 1.0), (P0, 1.0), (P0, 1.0), (P1, 0.7)], 3),
        ([(P2, 0.5)], 3),
        ([(P2, 0.9)], 3),
    ],
)
def test_user_pref_is_the_first_rule_that_fits(parts: list[tuple[Importance, float]], expected: int) -> None:
    # Ten instructions without further rubrics: o_k is the share of them that is met.
    subtasks = [
        subtask(importance, [MET] * round(10 * share) + [UNMET] * round(10 - 10 * share), name=str(number))
        for number, (importance, share) in enumerate(parts)
    ]
    score = score_cascade(subtasks)
    assert overalls(score) == pytest.approx([share for _, share in parts], abs=1e-15)
    assert score.user_pref == expected


def test_a_threshold_missed_by_rounding_alone_is_reached() -> None:
    # 0.1 + 0.2 + 0.3 is a hair more than the 6/10 that are met.
    profile = replace(DEFAULT_PROFILE, pass_at=0.1 + 0.2 + 0.3, fail_below=0.1 + 0.2 + 0.3)
    score = score_cascade([subtask(P0, [MET] * 6 + [UNMET] * 4)], profile)
    assert 0.1 + 0.2 + 0.3 > 0.6
    assert score.subtasks[0].band is Band.PASS
    exact = replace(profile, tolerance=0.0)
    assert score_cascade([subtask(P0, [MET] * 6 + [UNMET] * 4)], exact).subtasks[0].band is Band.FAIL


# Unknown verdicts


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_an_unknown_instruction_leaves_gate_overall_and_preference_open(unknown: Outcome | None) -> None:
    score = score_cascade([subtask(P0, [MET, unknown], [claims(1)], [MET])])
    assert (score.overall, score.user_pref) == (None, None)
    assert (score.low, score.high, score.user_pref_low, score.user_pref_high) == (0.0, 1.0, 1, 4)
    # Published from what was assessed; what may be hidden by the gate is not.
    assert (score.instruction, score.factuality, score.rationality) == (1.0, None, None)
    part = score.subtasks[0]
    assert (part.factuality_open, part.overall, part.band) == (None, None, None)
    assert (score.checks, score.assessed, score.coverage) == (4, 3, 0.75)


def test_one_surely_failing_critical_subtask_decides_whatever_another_judge_did() -> None:
    score = score_cascade(
        [subtask(P0, [UNMET], [claims(1)], name="a"), subtask(P0, [NOT_ASSESSED], name="b")]
    )
    assert (score.overall, score.user_pref) == (None, 1)
    assert score.coverage == 0.5


def test_an_unknown_verdict_behind_a_shut_gate_changes_nothing() -> None:
    score = score_cascade([subtask(P0, [UNMET], [Factuality()], [None]), right(P1)])
    assert score.overall == pytest.approx(1 / 3, abs=1e-15)
    assert (score.user_pref, score.coverage) == (1, 1.0)


def test_an_unknown_instruction_beside_an_unmet_one_leaves_the_gate_shut() -> None:
    score = score_cascade([subtask(P0, [UNMET, NOT_ASSESSED], [claims(1)], [MET])])
    assert (score.overall, score.user_pref, score.coverage) == (0.0, 1, 0.5)
    assert score.subtasks[0].factuality_open is False


@pytest.mark.parametrize("unknown", UNKNOWN_CLAIMS)
def test_an_unknown_claim_counts_at_both_ends(unknown: Finding | None) -> None:
    found = Factuality(claims=(SUPPORTED, UNDECIDED, SUPPORTED, unknown))
    score = score_cascade([subtask(P0, [MET], [found])])
    assert (score.low, score.high, score.overall) == (0.5, 0.75, None)
    assert score.user_pref == 2
    assert (score.factuality, score.undecided_share) == (1.0, 1 / 3)
    assert (score.checks, score.assessed) == (5, 4)


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_a_factuality_rubric_that_was_not_judged_is_unknown(unknown: Outcome | None) -> None:
    score = score_cascade([subtask(P0, [MET], [Factuality(outcome=unknown)])])
    assert (score.low, score.high, score.factuality) == (0.0, 1.0, None)
    assert (score.checks, score.assessed) == (2, 1)


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


# What is to be judged


def test_instructions_are_judged_first_and_an_unknown_one_keeps_the_gate_open() -> None:
    assert reached_dimensions(subtask(P0, [UNMET], [Factuality()], [None])) == {I}
    assert reached_dimensions(subtask(P0, [NOT_ASSESSED], [Factuality()], [None])) == {I, F, R}
    assert reached_dimensions(subtask(P0, [MET], [Factuality()], [None])) == {I, F, R}
    chain = ScoringProfile.from_mapping({"gates": {"rationality": ["factuality"]}})
    assert reached_dimensions(subtask(P0, [MET], [claims(1, 1)], [None]), chain) == {I, F}


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


# Tasks refused


@pytest.mark.parametrize(
    ("subtasks", "faults"),
    [
        ([], [("", "has no subtask")]),
        ([Subtask("a", P0)], [("a", "has no rubric")]),
        ([right(P0, "a"), right(P1, "a")], [("a", "id is used twice")]),
        ([Subtask("", P0, (MET,))], [("", "has no id")]),
    ],
)
def test_a_faulty_task_is_refused_by_its_subtask(
    subtasks: list[Subtask], faults: list[tuple[str, str]]
) -> None:
    assert cascade_faults(subtasks) == faults
    with pytest.raises(MalformedCascade, match=faults[0][1]):
        score_cascade(subtasks)


# What holds for every task

KNOWN_VERDICTS = st.sampled_from((MET, UNMET))
VERDICTS = st.sampled_from((MET, UNMET, *UNKNOWN))
KNOWN_FINDINGS = st.sampled_from((SUPPORTED, REFUTED, UNDECIDED))
FINDINGS = st.sampled_from((SUPPORTED, REFUTED, UNDECIDED, *UNKNOWN_CLAIMS))
PROFILES = st.builds(
    ScoringProfile,
    gate_threshold=st.sampled_from((0.5, 1.0)),
    gates=st.sampled_from((DEFAULT_PROFILE.gates, {}, {F: (I,), R: (I, F)}, {R: (F,)})),
    average=st.sampled_from(Average),
    o_combine=st.sampled_from(Combine),
)


def factualities(
    verdicts: st.SearchStrategy[Outcome | None], findings: st.SearchStrategy[Finding | None]
) -> st.SearchStrategy[Factuality]:
    of_claims = st.builds(Factuality, claims=st.lists(findings, max_size=4).map(tuple))
    return of_claims | st.builds(Factuality, outcome=verdicts)


@st.composite
def tasks(
    draw: st.DrawFn,
    verdicts: st.SearchStrategy[Outcome | None] = VERDICTS,
    findings: st.SearchStrategy[Finding | None] = FINDINGS,
    max_subtasks: int = 4,
) -> list[Subtask]:
    def one(number: int) -> Subtask:
        return Subtask(
            f"s{number}",
            draw(st.sampled_from(Importance)),
            tuple(draw(st.lists(verdicts, max_size=3))),
            tuple(draw(st.lists(factualities(verdicts, findings), max_size=2))),
            tuple(draw(st.lists(verdicts, max_size=2))),
        )

    subtasks = [one(number) for number in range(draw(st.integers(1, max_subtasks)))]
    assume(not cascade_faults(subtasks))
    return subtasks


Verdict = Outcome | Finding | None


def variants(subtasks: Sequence[Subtask], old: Verdict, new: Verdict) -> Iterator[list[Subtask]]:
    """The task with one verdict or claim equal to ``old`` replaced by ``new``, for each such place."""
    for index, task in enumerate(subtasks):
        for changed in _changed_subtasks(task, old, new):
            yield [*subtasks[:index], changed, *subtasks[index + 1 :]]


def _changed_subtasks(task: Subtask, old: Any, new: Any) -> Iterator[Subtask]:
    for changed in _changed(task.instruction, old, new):
        yield replace(task, instruction=changed)
    for changed in _changed(task.rationality, old, new):
        yield replace(task, rationality=changed)
    for index, rubric in enumerate(task.factuality):
        others = (task.factuality[:index], task.factuality[index + 1 :])
        if rubric.claims is not None:
            changes = [Factuality(claims=changed) for changed in _changed(rubric.claims, old, new)]
        else:
            changes = [Factuality(outcome=o) for (o,) in _changed((rubric.outcome,), old, new)]
        for change in changes:
            yield replace(task, factuality=(*others[0], change, *others[1]))


def _changed(values: tuple[Any, ...], old: Any, new: Any) -> Iterator[tuple[Any, ...]]:
    for index, value in enumerate(values):
        if value is old:
            yield (*values[:index], new, *values[index + 1 :])


@given(tasks(), PROFILES, st.randoms(use_true_random=False))
def test_the_order_of_subtasks_rubrics_and_claims_changes_no_digit(
    subtasks: list[Subtask], profile: ScoringProfile, random: Random
) -> None:
    def mixed(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(random.sample(values, len(values)))

    def mixed_claims(rubric: Factuality) -> Factuality:
        return rubric if rubric.claims is None else Factuality(claims=mixed(rubric.claims))

    other = [
        replace(
            task,
            instruction=mixed(task.instruction),
            factuality=mixed(tuple(map(mixed_claims, task.factuality))),
            rationality=mixed(task.rationality),
        )
        for task in mixed(tuple(subtasks))
    ]
    one, two = score_cascade(subtasks, profile), score_cascade(other, profile)
    assert replace(one, subtasks=()) == replace(two, subtasks=())
    assert sorted(one.subtasks, key=lambda s: s.id) == sorted(two.subtasks, key=lambda s: s.id)


@given(tasks(), PROFILES)
def test_scoring_twice_gives_the_same(subtasks: list[Subtask], profile: ScoringProfile) -> None:
    assert score_cascade(subtasks, profile) == score_cascade(subtasks, profile)


@given(tasks(), PROFILES)
def test_scores_are_within_bounds(subtasks: list[Subtask], profile: ScoringProfile) -> None:
    score = score_cascade(subtasks, profile)
    shares = [score.instruction, score.factuality, score.rationality, score.undecided_share]
    assert all(share is None or 0.0 <= share <= 1.0 for share in shares)
    assert 0.0 <= score.low <= score.high <= 1.0
    assert 1 <= score.user_pref_low <= score.user_pref_high <= 4
    assert 0 <= score.assessed <= score.checks
    assert score.overall in (None, score.low)
    assert score.user_pref in (None, score.user_pref_low)


def has_few_unknown(subtasks: Sequence[Subtask]) -> bool:
    verdicts = [
        verdict
        for task in subtasks
        for rubric in task.factuality
        for verdict in (rubric.claims if rubric.claims is not None else (rubric.outcome,))
    ] + [outcome for task in subtasks for outcome in (*task.instruction, *task.rationality)]
    return sum(verdict in UNKNOWN_CLAIMS or verdict in UNKNOWN for verdict in verdicts) <= 5


def completions(subtasks: Sequence[Subtask]) -> Iterator[list[Subtask]]:
    """The task with every unknown verdict decided, in every way."""

    def decided(task: Subtask) -> Iterator[Subtask]:
        instructions = product(*[_choices(o) for o in task.instruction])
        rationalities = list(product(*[_choices(o) for o in task.rationality]))
        factualities = list(product(*[list(_decided(rubric)) for rubric in task.factuality]))
        for i, f, r in product(instructions, factualities, rationalities):
            yield replace(task, instruction=i, factuality=f, rationality=r)

    return (list(chosen) for chosen in product(*[list(decided(task)) for task in subtasks]))


def _choices(outcome: Outcome | None) -> tuple[Outcome, ...]:
    return (outcome,) if outcome in (MET, UNMET) else (MET, UNMET)


def _decided(rubric: Factuality) -> Iterator[Factuality]:
    if rubric.claims is None:
        yield from (Factuality(outcome=outcome) for outcome in _choices(rubric.outcome))
        return
    choices = [
        (SUPPORTED, REFUTED, UNDECIDED) if claim in UNKNOWN_CLAIMS else (claim,) for claim in rubric.claims
    ]
    yield from (Factuality(claims=chosen) for chosen in product(*choices))


@given(tasks(max_subtasks=2).filter(has_few_unknown), PROFILES)
def test_the_ends_hold_every_completion_and_agree_only_if_all_do(
    subtasks: list[Subtask], profile: ScoringProfile
) -> None:
    unknown = score_cascade(subtasks, profile)
    scores = [score_cascade(completed, profile) for completed in completions(subtasks)]
    overall = {score.overall for score in scores}
    pref = {score.user_pref for score in scores}
    assert (unknown.low, unknown.high) == (
        min(overall, key=lambda o: o or 0.0),
        max(overall, key=lambda o: o or 0.0),
    )
    assert unknown.overall == (overall.pop() if len(overall) == 1 else None)
    assert unknown.user_pref == (pref.pop() if len(pref) == 1 else None)


RAISES: list[tuple[Verdict, Verdict]] = [(UNMET, MET), (REFUTED, SUPPORTED), (UNDECIDED, SUPPORTED)]


@given(tasks(KNOWN_VERDICTS, KNOWN_FINDINGS), PROFILES, st.sampled_from(RAISES))
def test_raising_a_verdict_or_claim_never_lowers_overall_or_preference(
    subtasks: list[Subtask], profile: ScoringProfile, change: tuple[Verdict, Verdict]
) -> None:
    before = score_cascade(subtasks, profile)
    for raised in variants(subtasks, *change):
        after = score_cascade(raised, profile)
        assert after.low >= before.low
        assert after.user_pref_low >= before.user_pref_low


@given(tasks(), PROFILES, st.sampled_from(RAISES))
def test_raising_beside_unknown_verdicts_never_lowers_either_end(
    subtasks: list[Subtask], profile: ScoringProfile, change: tuple[Verdict, Verdict]
) -> None:
    before = score_cascade(subtasks, profile)
    for raised in variants(subtasks, *change):
        after = score_cascade(raised, profile)
        assert after.low >= before.low
        assert after.high >= before.high
        assert after.user_pref_low >= before.user_pref_low
        assert after.user_pref_high >= before.user_pref_high


EVASIONS: list[tuple[Verdict, Verdict]] = [
    (REFUTED, UNDECIDED),
    *((REFUTED, unknown) for unknown in UNKNOWN_CLAIMS),
    *((UNDECIDED, unknown) for unknown in UNKNOWN_CLAIMS),
    *((UNMET, unknown) for unknown in UNKNOWN),
]


@given(tasks(), PROFILES, st.sampled_from(EVASIONS))
def test_undecided_claims_and_abstaining_judges_never_raise_overall_or_preference(
    subtasks: list[Subtask], profile: ScoringProfile, change: tuple[Verdict, Verdict]
) -> None:
    before = score_cascade(subtasks, profile)
    for evaded in variants(subtasks, *change):
        after = score_cascade(evaded, profile)
        assert after.overall is None or after.overall == before.overall
        assert after.user_pref is None or after.user_pref == before.user_pref
        assert (after.low, after.user_pref_low) == (before.low, before.user_pref_low)


@given(tasks(), PROFILES)
def test_dropping_all_refuted_claims_never_makes_an_answer_worth_more_than_without_facts(
    subtasks: list[Subtask], profile: ScoringProfile
) -> None:
    silent = [
        replace(task, factuality=tuple(Factuality(claims=()) for _ in task.factuality)) for task in subtasks
    ]
    assert score_cascade(silent, profile).low <= score_cascade(subtasks, profile).low


# Size


def test_every_rubric_is_looked_at_a_fixed_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0

    def counting(outcome: Outcome | None, unknown: float) -> float:
        nonlocal seen
        seen += 1
        return real(outcome, unknown)

    real = judging.cascade.findings._outcome_value
    monkeypatch.setattr(judging.cascade.findings, "_outcome_value", counting)
    subtasks = [subtask(P1, [MET] * 20, [], [MET] * 20, str(number)) for number in range(100)]
    score = score_cascade(subtasks)
    assert (score.checks, score.user_pref) == (4_000, 4)
    assert seen == 2 * 4_000
