"""The table of the rules, single rules, unknown verdicts, and what is to be judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

import judging.cascade.findings
from judging.cascade import (
    DEFAULT_PROFILE,
    Band,
    Factuality,
    Finding,
    Importance,
    MalformedCascade,
    ScoringProfile,
    Subtask,
    cascade_faults,
    reached_dimensions,
    score_cascade,
)
from judging.tree import Outcome
from tests.unit.judging.cascade.parts import (
    MET,
    NOT_ASSESSED,
    P0,
    P1,
    P2,
    SUPPORTED,
    UNDECIDED,
    UNKNOWN,
    UNKNOWN_CLAIMS,
    UNMET,
    F,
    I,
    R,
    claims,
    overalls,
    right,
    subtask,
)

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


# What is to be judged


def test_instructions_are_judged_first_and_an_unknown_one_keeps_the_gate_open() -> None:
    assert reached_dimensions(subtask(P0, [UNMET], [Factuality()], [None])) == {I}
    assert reached_dimensions(subtask(P0, [NOT_ASSESSED], [Factuality()], [None])) == {I, F, R}
    assert reached_dimensions(subtask(P0, [MET], [Factuality()], [None])) == {I, F, R}
    chain = ScoringProfile.from_mapping({"gates": {"rationality": ["factuality"]}})
    assert reached_dimensions(subtask(P0, [MET], [claims(1, 1)], [None]), chain) == {I, F}


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
