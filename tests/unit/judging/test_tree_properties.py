"""Scores of rubric trees: what must hold for every tree."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.tree import Mode, Node, Status, score_tree, with_outcomes
from tests.unit.judging.trees import KNOWN, MET, NOT_ASSESSED, UNKNOWN, UNMET, leaves, trees


def plain_score(node: Node) -> Fraction:
    """The rules written down once more, recursively, with exact fractions, for trees fully judged."""
    if not node.children:
        return Fraction(node.outcome is MET)
    scores = [plain_score(child) for child in node.children]
    if node.mode is Mode.SEQUENTIAL:
        first = next((i for i, score in enumerate(scores) if score < 1), len(scores))
        scores[first + 1 :] = [Fraction(0)] * len(scores[first + 1 :])
    if any(child.critical and score < 1 for child, score in zip(node.children, scores, strict=True)):
        return Fraction(0)
    earned = [score for child, score in zip(node.children, scores, strict=True) if not child.critical]
    return sum(earned, Fraction(0)) / len(earned) if earned else Fraction(1)


def completions(root: Node) -> Iterator[Node]:
    open_ = [leaf.id for leaf in leaves(root) if leaf.outcome not in KNOWN]
    for outcomes in product(KNOWN, repeat=len(open_)):
        yield with_outcomes(root, dict(zip(open_, outcomes, strict=True)))


@given(trees())
def test_a_judged_tree_scores_as_the_rules_say(tree: Node) -> None:
    result = score_tree(tree)
    exact = plain_score(tree)
    assert result.score == pytest.approx(float(exact), abs=1e-12)
    assert result.status is (Status.PASSED if exact == 1 else Status.FAILED if exact == 0 else Status.PARTIAL)


@given(trees(outcomes=(*KNOWN, *UNKNOWN)), st.randoms(use_true_random=False))
def test_the_order_of_parallel_children_changes_no_digit(tree: Node, random: Random) -> None:
    def shuffled(node: Node) -> Node:
        children = [shuffled(child) for child in node.children]
        if node.mode is Mode.PARALLEL:
            random.shuffle(children)
        return Node(node.id, node.critical, node.mode, node.description, tuple(children), node.outcome)

    one, other = score_tree(tree), score_tree(shuffled(tree))
    assert (one.score, one.low, one.high) == (other.score, other.low, other.high)
    assert (one.nodes, one.reached) == (other.nodes, other.reached)


@given(trees(outcomes=(*KNOWN, *UNKNOWN)))
def test_scores_are_within_bounds_and_agree_with_their_status(tree: Node) -> None:
    result = score_tree(tree)
    assert 0.0 <= result.low <= result.high <= 1.0
    for node in result.nodes.values():
        assert (node.score is None) == (node.status is None)
        assert node.score is None or 0.0 <= node.score <= 1.0
        assert (node.score == 1.0) == (node.status is Status.PASSED)
        assert (node.score == 0.0) == (node.status in (Status.FAILED, Status.SKIPPED))


@given(trees(outcomes=(*KNOWN, *UNKNOWN), max_leaves=8))
def test_the_ends_hold_every_completion_and_agree_only_if_all_do(tree: Node) -> None:
    result = score_tree(tree)
    scores = [score_tree(completed).low for completed in completions(tree)]
    assert (min(scores), max(scores)) == (result.low, result.high)
    assert result.score == (scores[0] if len(set(scores)) == 1 else None)


@given(trees(outcomes=(*KNOWN, *UNKNOWN)), st.data())
def test_raising_a_leaf_never_lowers_the_root(tree: Node, data: st.DataObject) -> None:
    leaf = data.draw(st.sampled_from(list(leaves(tree))))
    low, unknown, high = (
        score_tree(with_outcomes(tree, {leaf.id: outcome})) for outcome in (UNMET, NOT_ASSESSED, MET)
    )
    assert low.low <= high.low
    assert low.high <= high.high
    assert (unknown.low, unknown.high) == (low.low, high.high)


@given(trees(outcomes=(*KNOWN, *UNKNOWN)), st.data())
def test_an_abstaining_judge_never_raises_a_root(tree: Node, data: st.DataObject) -> None:
    leaf = data.draw(st.sampled_from(list(leaves(tree))))
    before = score_tree(with_outcomes(tree, {leaf.id: UNMET})).score
    after = score_tree(with_outcomes(tree, {leaf.id: data.draw(st.sampled_from(UNKNOWN))})).score
    assert after is None or after == before


@given(trees(outcomes=(*KNOWN, *UNKNOWN)))
def test_coverage_is_the_assessed_share_of_the_reached_leaves(tree: Node) -> None:
    result = score_tree(tree)
    assessed = [leaf for leaf in leaves(tree) if leaf.id in result.reached and leaf.outcome in KNOWN]
    assert result.assessed == len(assessed)
    assert result.coverage == len(assessed) / len(result.reached)
