"""From answers to the figures of a submission."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.scoring import InvalidResults, References, TreeResult, summarise_cascade, summarise_tree
from tests.unit.judging.scored import cascade, tree


def test_partial_completion_and_success_rate_are_means_over_tasks_of_means_over_runs() -> None:
    results = [tree("a", 1, 1.0), tree("a", 2, 0.5), tree("b", 1, 0.0), tree("b", 2, 0.25)]
    summary = summarise_tree(results, 2)
    assert (summary.tasks, summary.runs, summary.answers, summary.unknown) == (2, 2, 4, 0)
    assert summary.partial_completion == (0.75 + 0.125) / 2
    assert (summary.partial_completion_low, summary.partial_completion_high) == (0.4375, 0.4375)
    assert summary.success_rate == 0.25
    assert summary.pass_at == {1: 0.25, 2: 0.5}
    assert summary.pass_hat == {1: 0.25, 2: 0.0}


def test_a_missing_answer_counts_0_and_stays_in_the_denominator() -> None:
    summary = summarise_tree([tree("a", 1)], 2, ["a", "b"])
    assert (summary.tasks, summary.answers) == (2, 1)
    assert (summary.partial_completion, summary.success_rate) == (0.25, 0.25)
    assert summary.pass_at == {1: 0.25, 2: 0.5}


def test_an_unknown_root_makes_the_metrics_null_and_leaves_their_range() -> None:
    summary = summarise_tree([tree("a", 1), tree("a", 2, None), tree("b"), tree("b", 2, None, low=0.5)], 2)
    assert summary.unknown == 2
    assert (summary.partial_completion, summary.success_rate) == (None, None)
    assert (summary.partial_completion_low, summary.partial_completion_high) == (0.625, 1.0)
    assert (summary.pass_at, summary.pass_hat) == ({1: None, 2: None}, {1: None, 2: None})


def test_the_mean_of_nothing_is_null() -> None:
    summary = summarise_tree([], 1)
    assert (summary.partial_completion, summary.success_rate, summary.coverage) == (None, None, 1.0)
    assert summary.pass_at == {1: None}
    assert (summary.hallucination_rate, summary.hallucination_answers) == (None, 0)
    assert (summary.seconds, summary.minutes, summary.answer_chars) == (None, None, None)


@pytest.mark.parametrize(
    ("results", "tasks", "reason"),
    [
        ([tree("a", 1), tree("a", 1)], None, "a run 1 of 2: twice, or out of range"),
        ([tree("a", 3)], None, "a run 3 of 2: twice, or out of range"),
        ([tree("a", 0)], None, "a run 0 of 2: twice, or out of range"),
        ([tree("a"), tree("z"), tree("y")], ["a"], "no task of this set: y, z"),
    ],
)
def test_results_that_no_submission_can_have_are_refused(
    results: list[TreeResult], tasks: list[str] | None, reason: str
) -> None:
    with pytest.raises(InvalidResults, match=reason):
        summarise_tree(results, 2, tasks)


def test_time_length_and_cost_are_means_over_the_answers_that_tell_them() -> None:
    results = [
        tree("a", 1, seconds=60.0, answer_chars=100, cost_usd=0.5),
        tree("a", 2, seconds=180.0, answer_chars=300),
        tree("b", 1, seconds=None, answer_chars=1_000),
        tree("b", 2, score=0.0, given=False, seconds=9.0, answer_chars=0, cost_usd=9.0),
    ]
    summary = summarise_tree(results, 2)
    assert (summary.seconds, summary.minutes, summary.seconds_tasks) == (120.0, 2.0, 1)
    assert (summary.answer_chars, summary.answer_chars_tasks) == (600.0, 2)
    assert (summary.cost_usd, summary.cost_usd_tasks) == (0.5, 1)


def test_coverage_is_taken_over_all_checks_together() -> None:
    results = [tree("a", checks=10, assessed=5), tree("b", checks=90, assessed=90)]
    assert summarise_tree(results, 1).coverage == 0.95


def test_references_are_means_over_the_tasks_that_have_them() -> None:
    some = References(claims=8, cited=6, supported=3, unsupported=1, unreachable=1, not_assessed=1)
    results = [tree("a", references=some), tree("b", references=References()), tree("c")]
    summary = summarise_tree(results, 1)
    assert (summary.reference_ratio, summary.reference_ratio_tasks) == (0.375, 2)
    assert (summary.reference_support, summary.reference_support_tasks) == (0.6, 1)
    assert (summary.reference_support_reachable, summary.reference_support_reachable_tasks) == (0.75, 1)


def test_error_classes_are_shared_out_over_what_could_be_classed() -> None:
    results = [
        tree("a", error_classes=("criteria_violation", "attribution.invalid", None)),
        tree("b", error_classes=("criteria_violation", "criteria_violation", "")),
    ]
    summary = summarise_tree(results, 1)
    assert summary.error_counts == {"criteria_violation": 3, "attribution.invalid": 1}
    assert summary.error_shares == {"criteria_violation": 0.75, "attribution.invalid": 0.25}
    assert summary.errors_unclassified == 2


def test_an_unheard_of_error_class_is_refused() -> None:
    with pytest.raises(ValueError, match="bad_luck"):
        summarise_tree([tree(error_classes=("bad_luck",))], 1)


# Hallucination rate


def answers(number: int, *, hallucinated: bool | None, in_full: bool, start: int = 0) -> list[TreeResult]:
    return [tree(f"t{n}", hallucinated=hallucinated, in_full=in_full) for n in range(start, start + number)]


def hallucination(results: list[TreeResult]) -> tuple[float | None, bool, int]:
    summary = summarise_tree(results, 1)
    return summary.hallucination_rate, summary.hallucination_at_least, summary.hallucination_answers


def test_answers_all_judged_in_full_give_the_rate() -> None:
    results = answers(1, hallucinated=True, in_full=True)
    results += answers(3, hallucinated=False, in_full=True, start=1)
    assert hallucination(results) == (0.25, False, 4)


def test_a_sample_of_a_hundred_judged_in_full_stands_for_all() -> None:
    results = answers(25, hallucinated=True, in_full=True)
    results += answers(75, hallucinated=False, in_full=True, start=25)
    results += answers(100, hallucinated=False, in_full=False, start=100)
    assert hallucination(results) == (0.25, False, 100)
    assert hallucination(results[1:]) == (24 / 199, True, 199)


def test_short_circuited_answers_give_at_least_a_rate() -> None:
    results = answers(1, hallucinated=True, in_full=False)
    results += answers(1, hallucinated=False, in_full=False, start=1)
    assert hallucination(results) == (0.5, True, 2)


def test_an_answer_in_doubt_makes_it_at_least() -> None:
    results = answers(1, hallucinated=True, in_full=True) + answers(
        1, hallucinated=None, in_full=True, start=1
    )
    assert hallucination(results) == (0.5, True, 2)


def test_an_answer_that_was_not_given_hallucinates_nothing_and_is_not_counted() -> None:
    results = [tree("a", hallucinated=True, in_full=True), tree("b", score=0.0, given=False)]
    assert hallucination(results) == (1.0, False, 1)


# Summaries of cascades


def test_dimension_scores_are_means_over_the_tasks_that_have_one_with_their_count() -> None:
    results = [
        cascade("a", 1, 4, factuality=0.5),
        cascade("a", 2, 2, factuality=None, rationality=0.5, overall=0.5, undecided_share=0.25),
        cascade("b", 1, 1, instruction=0.0, factuality=None, rationality=None, overall=0.0),
        cascade("b", 2, 2, instruction=0.5, factuality=None, rationality=0.0, overall=0.5),
    ]
    summary = summarise_cascade(results, 2)
    assert (summary.instruction, summary.instruction_tasks) == (0.625, 2)
    assert (summary.factuality, summary.factuality_tasks) == (0.5, 1)
    assert (summary.rationality, summary.rationality_tasks) == (0.375, 2)
    assert (summary.undecided_share, summary.undecided_share_tasks) == (0.25, 1)
    assert (summary.overall, summary.user_pref) == (0.5, 2.25)
    assert (summary.user_pref_low, summary.user_pref_high) == (2.25, 2.25)


def test_a_missing_answer_to_a_cascade_follows_no_instruction() -> None:
    summary = summarise_cascade([cascade("a")], 1, ["a", "b"])
    assert (summary.user_pref, summary.overall, summary.instruction) == (2.5, 0.5, 0.5)
    assert (summary.factuality, summary.factuality_tasks) == (1.0, 1)
    assert (summary.reference_ratio, summary.reference_ratio_tasks) == (0.0, 1)


def test_an_unknown_preference_makes_the_mean_null_and_leaves_its_range() -> None:
    summary = summarise_cascade([cascade("a"), cascade("b", user_pref=None, user_pref_low=2)], 1)
    assert (summary.user_pref, summary.user_pref_low, summary.user_pref_high) == (None, 3.0, 4.0)
    assert (summary.unknown, summary.overall) == (1, 1.0)
    assert summarise_cascade([cascade("a", overall=None)], 1).overall is None


# What holds for every summary

SCORES = st.none() | st.floats(0, 1)


@st.composite
def submissions(draw: st.DrawFn) -> tuple[list[TreeResult], int]:
    runs = draw(st.integers(1, 3))
    places = [(f"t{task}", run) for task in range(draw(st.integers(0, 4))) for run in range(1, runs + 1)]
    results = [
        tree(task, run, draw(SCORES), hallucinated=draw(st.sampled_from([True, False, None])))
        for task, run in places
        if draw(st.booleans())
    ]
    return results, runs


@given(submissions(), st.randoms(use_true_random=False))
def test_a_summary_is_plain_json_and_does_not_depend_on_order(
    submission: tuple[list[TreeResult], int], random: Any
) -> None:
    results, runs = submission
    plain = summarise_tree(results, runs).as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    mixed = random.sample(results, len(results))
    assert summarise_tree(mixed, runs).as_dict() == plain


@given(submissions())
def test_leaving_a_task_out_never_raises_a_mean(submission: tuple[list[TreeResult], int]) -> None:
    results, runs = submission
    tasks = [f"t{number}" for number in range(4)]
    before = summarise_tree(results, runs, tasks)
    for index in range(len(results)):
        after = summarise_tree(results[:index] + results[index + 1 :], runs, tasks)
        assert (after.partial_completion_low or 0.0) <= (before.partial_completion_low or 0.0)
        assert (after.partial_completion_high or 0.0) <= (before.partial_completion_high or 0.0)


def test_a_cascade_summary_is_plain_json_too() -> None:
    plain = summarise_cascade([cascade(seconds=30.0)], 1).as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["minutes"] == 0.5
