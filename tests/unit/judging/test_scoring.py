"""Figures of an answer: pass@k, references, error classes, hallucinations, coverage; and what may be ranked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.judges.base import AnswerState, Relevance
from judging.scoring import (
    HALLUCINATIONS,
    ErrorClass,
    InvalidResults,
    NotEnoughRuns,
    Reason,
    References,
    Result,
    cascade_hallucinated,
    error_class,
    pass_at_k,
    pass_hat_k,
    rankable,
    tree_hallucinated,
)
from tests.unit.judging.scored import cascade, tree

# Pass@k and Pass^k


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(5, 2, 3, 0.9), (5, 1, 3, 0.6), (5, 0, 3, 0.0), (10, 3, 5, 0.916667), (5, 5, 5, 1.0), (1, 1, 1, 1.0)],
)
def test_pass_at_k(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"), [(5, 2, 2, 0.1), (5, 2, 3, 0.0), (5, 5, 5, 1.0), (4, 3, 1, 0.75)]
)
def test_pass_hat_k(n: int, c: int, k: int, expected: float) -> None:
    assert pass_hat_k(n, c, k) == expected


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_both_are_shares_of_all_draws(case: tuple[int, int, int]) -> None:
    n, c, k = case
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws), abs=1e-15)
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, draws)) / len(draws), abs=1e-15)


@pytest.mark.parametrize("formula", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize(("n", "c", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (3, -1, 1), (0, 0, 1)])
def test_more_runs_than_there_are_cannot_be_drawn(
    formula: Callable[[int, int, int], float], n: int, c: int, k: int
) -> None:
    with pytest.raises(NotEnoughRuns, match=f"{k} of {n} runs, {c} of them perfect"):
        formula(n, c, k)


# References


def test_reference_ratio_and_support() -> None:
    found = References(claims=8, cited=6, supported=3, unsupported=1, unreachable=1, not_assessed=1)
    assert (found.ratio, found.support, found.support_reachable) == (0.75, 0.6, 0.75)


def test_without_claims_the_ratio_is_0_and_support_is_not_known() -> None:
    assert (References().ratio, References().support, References().support_reachable) == (0.0, None, None)
    unreachable = References(claims=1, cited=1, unreachable=1)
    assert (unreachable.ratio, unreachable.support, unreachable.support_reachable) == (1.0, 0.0, None)


@pytest.mark.parametrize(
    "counts",
    [
        {"claims": 1, "cited": 2, "supported": 2},
        {"claims": 3, "cited": 2, "supported": 1},
        {"claims": 3, "cited": 1, "supported": 2, "unsupported": -1},
    ],
)
def test_counts_of_claims_that_do_not_add_up_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(InvalidResults, match="do not add up"):
        References(**counts)


@given(
    st.builds(
        lambda s, u, r, n, more: References(
            claims=s + u + r + n + more, cited=s + u + r + n, supported=s, unsupported=u, unreachable=r,
            not_assessed=n,
        ),
        *[st.integers(0, 5)] * 5,
    )
)  # fmt: skip
def test_removing_a_supported_citation_never_raises_a_figure(found: References) -> None:
    if not found.supported:
        return
    without = replace(found, cited=found.cited - 1, supported=found.supported - 1)
    assert without.ratio < found.ratio
    assert (without.support or 0.0) <= (found.support or 0.0)


# Error classes and hallucinations


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"answer_state": AnswerState.SAYS_NOT_FOUND}, ErrorClass.INCOMPLETE_NOT_FOUND),
        ({"answer_state": AnswerState.OMITS}, ErrorClass.INCOMPLETE_PARTIAL),
        ({"answer_state": AnswerState.OMITS, "dead": True, "cited": True}, ErrorClass.INCOMPLETE_PARTIAL),
        ({"answer_state": AnswerState.GIVES}, ErrorClass.CRITERIA_VIOLATION),
        ({"dead": True, "cited": True}, ErrorClass.ATTRIBUTION_INVALID),
        ({"relevance": Relevance.IRRELEVANT, "cited": True}, ErrorClass.UNSUPPORTED_RETRIEVAL),
        ({"relevance": Relevance.RELEVANT, "cited": True}, ErrorClass.UNSUPPORTED_SYNTHESIS),
        ({"relevance": Relevance.RELEVANT, "dead": True, "cited": True}, ErrorClass.UNSUPPORTED_SYNTHESIS),
        ({"relevance": Relevance.IRRELEVANT, "dead": True, "cited": True}, ErrorClass.ATTRIBUTION_INVALID),
        ({"relevance": Relevance.UNUSABLE, "cited": True}, None),
        ({"answer_state": AnswerState.GIVES, "cited": True}, None),
        ({"cited": True}, None),
        ({}, None),
    ],
)
def test_an_error_class_is_read_and_never_guessed(
    known: Mapping[str, Any], expected: ErrorClass | None
) -> None:
    assert error_class(**known) is expected


def test_hallucinations_are_invalid_or_unsupported_sources() -> None:
    assert {str(kind) for kind in HALLUCINATIONS} == {
        "attribution.invalid",
        "unsupported.retrieval",
        "unsupported.synthesis",
    }


@pytest.mark.parametrize(
    ("classes", "unknown", "expected"),
    [
        (["attribution.invalid"], 0, True),
        (["criteria_violation", "unsupported.synthesis"], 3, True),
        (["attribution.missing", "incomplete.partial", None], 0, False),
        ([], 0, False),
        ([], 1, None),
        ([None, "criteria_violation"], 1, None),
    ],
)
def test_a_hallucination_in_a_tree(classes: list[str | None], unknown: int, expected: bool | None) -> None:
    assert tree_hallucinated(classes, unknown=unknown) is expected


@pytest.mark.parametrize(
    ("references", "more", "expected"),
    [
        ({"supported": 2}, {}, False),
        ({"unsupported": 1}, {}, True),
        ({"unreachable": 1}, {}, False),
        ({"unreachable": 1}, {"invalid_urls": 1}, True),
        ({"supported": 1}, {"refuted_cited": 1}, True),
        ({"not_assessed": 1}, {}, None),
        ({"not_assessed": 1, "unsupported": 1}, {}, True),
        ({"supported": 1}, {"unknown": 1}, None),
    ],
)
def test_a_hallucination_in_a_cascade(
    references: dict[str, int], more: dict[str, int], expected: bool | None
) -> None:
    cited = sum(references.values())
    found = References(claims=cited, cited=cited, **references)
    assert cascade_hallucinated(found, **({"refuted_cited": 0, "invalid_urls": 0} | more)) is expected


# Results


@pytest.mark.parametrize(
    "counts",
    [
        {"checks": 1, "assessed": 2},
        {"checks": 2, "assessed": 1, "errors": 2},
        {"checks": 2, "assessed": -1},
        {"checks": 2, "assessed": 1, "errors": -1},
    ],
)
def test_counts_of_checks_that_do_not_add_up_are_refused(counts: dict[str, Any]) -> None:
    with pytest.raises(InvalidResults, match="counts of checks do not add up: a run 1"):
        tree(**counts)


@pytest.mark.parametrize(
    "build",
    [
        lambda: tree(score=1.5),
        lambda: tree(score=float("nan")),
        lambda: tree(score=None, low=0.6, high=0.4),
        lambda: cascade(user_pref=0),
        lambda: cascade(user_pref=5),
        lambda: cascade(user_pref=None, user_pref_low=3, user_pref_high=2),
        lambda: cascade(factuality=-0.1),
        lambda: cascade(overall=float("inf")),
        lambda: cascade(undecided_share=float("nan")),
    ],
)
def test_scores_out_of_range_are_refused(build: Callable[[], Result]) -> None:
    with pytest.raises(InvalidResults, match="score out of range: a run 1"):
        build()


def test_coverage_is_the_assessed_share_of_the_checks() -> None:
    assert tree(checks=4, assessed=3).coverage == 0.75
    assert tree().coverage == 1.0


# Rankability


@pytest.mark.parametrize(
    ("results", "reasons"),
    [
        ([tree(checks=50, assessed=49)], []),
        ([tree(checks=1, assessed=1), cascade(checks=1, assessed=1)], []),
        ([], [Reason.NO_ANSWERS]),
        ([tree(), tree(run=2, score=None)], [Reason.SCORE_UNKNOWN]),
        ([cascade(user_pref=None)], [Reason.SCORE_UNKNOWN]),
        ([cascade(overall=None, factuality=None)], []),
        ([tree(checks=100, assessed=99, errors=1)], [Reason.ERRORS_LEFT]),
        ([tree(checks=100, assessed=97)], [Reason.COVERAGE_LOW]),
        # Over all answers together: one check of 3 missing, 97 answered elsewhere.
        ([tree(checks=3, assessed=2), tree(run=2, checks=97, assessed=97)], []),
        (
            [tree(score=None, checks=10, assessed=8, errors=1)],
            [Reason.SCORE_UNKNOWN, Reason.ERRORS_LEFT, Reason.COVERAGE_LOW],
        ),
    ],
)
def test_a_submission_is_ranked_only_when_nothing_is_missing(
    results: list[Result], reasons: list[Reason]
) -> None:
    assert rankable(results) == (not reasons, tuple(reasons))


def test_the_coverage_a_rank_needs_is_a_setting() -> None:
    assert rankable([tree(checks=10, assessed=9)], min_coverage=0.9) == (True, ())
