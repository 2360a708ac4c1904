"""Which leaves of a rubric tree are judged now, and what short-circuiting leaves as it is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.tree import Node, Outcome, next_leaves, score_tree, with_outcomes
from tests.unit.judging.trees import (
    ERROR,
    KNOWN,
    MET,
    NOT_ASSESSED,
    UNMET,
    chain,
    gate,
    inner,
    leaves,
    soft,
    trees,
)


def judged_in_waves(tree: Node, truth: Mapping[str, Outcome]) -> tuple[Node, list[tuple[str, ...]]]:
    waves = []
    while wave := next_leaves(tree, short_circuit=True):
        waves.append(wave)
        tree = with_outcomes(tree, {name: truth[name] for name in wave})
    return tree, waves


def test_critical_children_are_judged_before_the_others() -> None:
    tree = inner("r", soft("a"), gate("b"), soft("c"), gate("d"))
    assert next_leaves(tree, short_circuit=True) == ("b", "d")
    assert next_leaves(with_outcomes(tree, {"b": MET}), short_circuit=True) == ("d",)
    assert next_leaves(with_outcomes(tree, {"b": MET, "d": MET}), short_circuit=True) == ("a", "c")
    assert next_leaves(with_outcomes(tree, {"b": MET, "d": UNMET}), short_circuit=True) == ()


@pytest.mark.parametrize("unknown", [NOT_ASSESSED, ERROR])
def test_judging_goes_on_past_an_unknown_leaf_as_if_it_were_met(unknown: Outcome) -> None:
    assert next_leaves(inner("r", gate("a", unknown), soft("b")), short_circuit=True) == ("b",)
    assert next_leaves(chain("r", soft("a", unknown), soft("b"), soft("c")), short_circuit=True) == ("b",)


def test_sequential_children_are_judged_one_after_another() -> None:
    tree = chain("r", inner("a", soft("a1"), soft("a2")), soft("b"), soft("c"))
    assert judged_in_waves(tree, {"a1": MET, "a2": MET, "b": UNMET, "c": MET})[1] == [("a1", "a2"), ("b",)]


def test_independent_parts_are_judged_at_once_each_at_its_own_pace() -> None:
    tree = inner("r", chain("a", soft("a1"), soft("a2")), inner("b", gate("b1"), soft("b2")), soft("c"))
    truth = dict.fromkeys(("a1", "a2", "b1", "b2", "c"), MET)
    assert judged_in_waves(tree, truth)[1] == [("a1", "b1", "c"), ("a2", "b2")]


def test_without_short_circuit_every_leaf_not_judged_comes_at_once_in_order() -> None:
    tree = chain(
        "r", inner("a", soft("a1"), soft("a2", MET)), gate("b", UNMET), soft("c"), inner("d", soft("d1"))
    )
    assert next_leaves(tree, short_circuit=False) == ("a1", "c", "d1")
    assert next_leaves(tree, short_circuit=True) == ("a1",)


@given(trees(outcomes=(None,)), st.data())
def test_the_waves_end_with_exactly_the_reached_leaves_judged(tree: Node, data: st.DataObject) -> None:
    outcomes = st.sampled_from((*KNOWN, NOT_ASSESSED, ERROR))
    truth = {leaf.id: data.draw(outcomes) for leaf in leaves(tree)}
    partly, waves = judged_in_waves(tree, truth)
    asked = [name for wave in waves for name in wave]
    assert len(asked) == len(set(asked))
    assert set(asked) == score_tree(partly).reached


@given(trees(outcomes=(None,)), st.data())
def test_short_circuiting_changes_neither_root_nor_reach_nor_coverage(
    tree: Node, data: st.DataObject
) -> None:
    outcomes = st.sampled_from((*KNOWN, NOT_ASSESSED, ERROR))
    truth = {leaf.id: data.draw(outcomes) for leaf in leaves(tree)}
    partly = score_tree(judged_in_waves(tree, truth)[0])
    fully = score_tree(with_outcomes(tree, truth))
    assert (partly.score, partly.status, partly.low, partly.high) == (
        fully.score,
        fully.status,
        fully.low,
        fully.high,
    )
    assert (partly.reached, partly.coverage) == (fully.reached, fully.coverage)
