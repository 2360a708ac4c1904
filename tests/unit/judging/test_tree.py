"""Scores of rubric trees: the table of the rules, leaves in doubt, trees refused, size."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given

import judging.tree
from judging.tree import (
    MAX_DEPTH,
    MalformedTree,
    Mode,
    Node,
    NodeScore,
    Outcome,
    Status,
    UnknownLeaf,
    next_leaves,
    score_tree,
    tree_faults,
    with_outcomes,
)
from tests.unit.judging.trees import (
    ERROR,
    KNOWN,
    MET,
    NOT_ASSESSED,
    UNKNOWN,
    UNMET,
    chain,
    gate,
    inner,
    soft,
    trees,
)

TABLE: Mapping[str, tuple[Node, float, Status]] = {
    "critical met, soft met, soft unmet": (
        inner("r", gate("a", MET), soft("b", MET), soft("c", UNMET)),
        0.5,
        Status.PARTIAL,
    ),
    "critical met, soft unmet": (inner("r", gate("a", MET), soft("b", UNMET)), 0.0, Status.FAILED),
    "two critical, both met": (inner("r", gate("a", MET), gate("b", MET)), 1.0, Status.PASSED),
    "critical inner node of two critical leaves, one unmet; soft met": (
        inner("r", inner("a", gate("a1", MET), gate("a2", UNMET), critical=True), soft("b", MET)),
        0.0,
        Status.FAILED,
    ),
    "sequential: met, unmet, met": (
        chain("r", soft("a", MET), soft("b", UNMET), soft("c", MET)),
        1 / 3,
        Status.PARTIAL,
    ),
    "sequential: met, partial 0.5, met": (
        chain("r", soft("a", MET), inner("b", soft("b1", MET), soft("b2", UNMET)), soft("c", MET)),
        0.5,
        Status.PARTIAL,
    ),
    "sequential: soft unmet, then critical met": (
        chain("r", soft("a", UNMET), gate("b", MET)),
        0.0,
        Status.FAILED,
    ),
    "sequential of sequences": (
        chain(
            "r",
            chain("a", soft("a1", MET), soft("a2", UNMET), soft("a3", MET)),
            chain("b", soft("b1", MET)),
            soft("c", MET),
        ),
        1 / 9,
        Status.PARTIAL,
    ),
}


@pytest.mark.parametrize(("tree", "score", "status"), TABLE.values(), ids=TABLE.keys())
def test_the_table_of_the_rules(tree: Node, score: float, status: Status) -> None:
    result = score_tree(tree)
    assert result.score == pytest.approx(score, abs=1e-15)
    assert result.status is status
    assert (result.low, result.high) == (result.score, result.score)


def test_a_single_leaf_is_a_tree() -> None:
    assert score_tree(soft("a", MET)).score == 1.0
    assert score_tree(gate("a", UNMET)).status is Status.FAILED


def test_a_critical_leaf_gates_its_parent() -> None:
    result = score_tree(inner("r", gate("a", UNMET), soft("b", MET)))
    assert result.nodes == {
        "r": NodeScore(0.0, Status.FAILED),
        "a": NodeScore(0.0, Status.FAILED),
        "b": NodeScore(1.0, Status.PASSED),
    }


def test_a_partial_critical_node_shuts_the_gate() -> None:
    # Such a node is refused at import; the rule itself says that anything below 1 shuts.
    half = inner("a", soft("a1", MET), soft("a2", UNMET), critical=True)
    assert score_tree(inner("r", half, soft("b", MET))).score == 0.0


def test_critical_children_earn_nothing() -> None:
    assert (
        score_tree(inner("r", gate("a", MET), gate("b", MET), soft("c", UNMET), soft("d", MET))).score == 0.5
    )


def test_what_follows_a_failed_step_is_skipped_with_its_whole_subtree() -> None:
    tree = chain("r", soft("a", UNMET), inner("b", soft("b1", MET), inner("b2", soft("b3", MET))))
    nodes = score_tree(tree).nodes
    assert {nodes[name] for name in ("b", "b1", "b2", "b3")} == {NodeScore(0.0, Status.SKIPPED)}


def test_a_skipped_subtree_is_the_same_whether_or_not_it_was_judged() -> None:
    judged = chain("r", soft("a", UNMET), inner("b", gate("b1", MET), soft("b2", ERROR)))
    unjudged = with_outcomes(judged, {"b1": None, "b2": None})
    assert score_tree(judged) == score_tree(unjudged)


def test_what_a_shut_gate_hides_is_skipped_where_nobody_looked() -> None:
    tree = inner("r", gate("a", UNMET), soft("b"), inner("c", soft("c1", MET), soft("c2", NOT_ASSESSED)))
    result = score_tree(tree)
    assert (result.score, result.status) == (0.0, Status.FAILED)
    assert result.nodes["b"] == NodeScore(0.0, Status.SKIPPED)
    assert result.nodes["c"] == NodeScore(0.0, Status.SKIPPED)
    assert result.nodes["c1"] == NodeScore(1.0, Status.PASSED)
    assert (result.reached, result.coverage) == (frozenset({"a"}), 1.0)


# Unknown leaves


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_an_unknown_leaf_that_could_change_the_root_leaves_it_open(unknown: Outcome | None) -> None:
    result = score_tree(inner("r", soft("a", MET), soft("b", unknown)))
    assert (result.score, result.status) == (None, None)
    assert result.nodes["b"] == NodeScore(None, None)
    assert (result.low, result.high) == (0.5, 1.0)
    assert (result.assessed, result.coverage) == (1, 0.5)


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_an_unknown_leaf_beside_a_shut_gate_changes_nothing(unknown: Outcome | None) -> None:
    result = score_tree(inner("r", gate("a", UNMET), gate("b", unknown), soft("c", MET)))
    assert (result.score, result.status) == (0.0, Status.FAILED)
    assert (result.reached, result.coverage) == (frozenset({"a", "b"}), 0.5)


def test_unknown_leaves_are_varied_together_and_not_one_by_one() -> None:
    # One by one, each gate alone changes nothing: the other one, taken as 0, keeps the root at 0.
    result = score_tree(inner("r", gate("a", NOT_ASSESSED), gate("b", NOT_ASSESSED), soft("c", MET)))
    assert (result.score, result.low, result.high) == (None, 0.0, 1.0)


def test_a_step_behind_an_unknown_one_is_judged_and_in_doubt() -> None:
    tree = chain("r", soft("a", NOT_ASSESSED), soft("b", MET), soft("c", UNMET), soft("d", MET))
    result = score_tree(tree)
    assert result.reached == {"a", "b", "c"}
    assert result.nodes["b"] == NodeScore(None, None)
    assert result.nodes["c"] == NodeScore(0.0, Status.FAILED)
    assert result.nodes["d"] == NodeScore(0.0, Status.SKIPPED)
    assert (result.score, result.low, result.high) == (None, 0.0, 0.5)


def test_a_step_that_earns_nothing_at_either_end_is_no_doubt() -> None:
    tree = chain("r", soft("a", MET), chain("b", gate("b1", UNMET), soft("b2", NOT_ASSESSED)))
    assert score_tree(tree).score == 0.5


def test_a_doubt_too_small_for_a_float_still_leaves_the_root_open() -> None:
    tree = soft("leaf", NOT_ASSESSED)
    for level in range(200):
        tree = inner(f"n{level}", tree, soft(f"met{level}", MET), soft(f"unmet{level}", UNMET))
    result = score_tree(tree)
    assert result.low == result.high == pytest.approx(0.5)
    assert (result.score, result.status) == (None, None)


def test_a_fault_too_small_for_a_float_still_spoils_perfection() -> None:
    tree = soft("leaf", UNMET)
    for level in range(200):
        tree = inner(f"n{level}", tree, soft(f"met{level}", MET))
    result = score_tree(tree)
    assert result.status is Status.PARTIAL
    assert 1 - 1e-15 < result.low < 1.0


def test_a_merit_too_small_for_a_float_is_still_no_failure() -> None:
    tree = soft("leaf", MET)
    for level in range(2_000):
        tree = inner(f"n{level}", tree, soft(f"unmet{level}", UNMET))
    result = score_tree(tree)
    assert result.status is Status.PARTIAL
    assert 0.0 < result.high < 1e-300


# Outcomes put on a tree, and trees refused


def test_outcomes_are_put_on_leaves_and_nothing_else_changes() -> None:
    tree = chain("r", gate("a", MET), inner("b", Node("b1", description="x"), soft("b2", UNMET)))
    changed = with_outcomes(tree, {"b1": MET, "b2": None})
    assert changed == chain(
        "r", gate("a", MET), inner("b", Node("b1", description="x", outcome=MET), soft("b2"))
    )
    assert with_outcomes(tree, {}) == tree


def test_an_outcome_for_no_leaf_is_refused_by_name() -> None:
    with pytest.raises(UnknownLeaf, match="b, z"):
        with_outcomes(inner("r", soft("a"), inner("b", soft("b1"))), {"a": MET, "z": MET, "b": MET})


@given(trees(outcomes=(*KNOWN, *UNKNOWN)))
def test_a_tree_that_obeys_the_rules_has_no_faults(tree: Node) -> None:
    assert tree_faults(tree) == []


FAULTY: Mapping[str, tuple[Callable[[], Node], list[tuple[str, str]]]] = {
    "a soft child of a critical node": (
        lambda: inner("r", inner("a", gate("a1"), soft("a2"), critical=True)),
        [("r/a", "critical, but its child 'a2' is not")],
    ),
    "a critical root with a soft child": (
        lambda: inner("r", soft("a"), critical=True),
        [("r", "critical, but its child 'a' is not")],
    ),
    "an id used twice": (
        lambda: inner("r", soft("a"), inner("b", soft("a"))),
        [("r/b/a", "id is used twice")],
    ),
    "no id": (lambda: inner("r", soft("")), [("r/", "has no id")]),
    "children and a verdict": (
        lambda: Node("r", children=(soft("a"),), outcome=MET),
        [("r", "has children and a verdict")],
    ),
}


@pytest.mark.parametrize(("build", "faults"), FAULTY.values(), ids=FAULTY.keys())
def test_a_faulty_tree_is_refused_with_its_path(
    build: Callable[[], Node], faults: list[tuple[str, str]]
) -> None:
    assert tree_faults(build()) == faults


def test_an_absurdly_deep_tree_is_refused_once_at_import() -> None:
    tree = soft("leaf")
    for level in range(MAX_DEPTH + 5):
        tree = inner(f"n{level}", tree)
    [(path, reason)] = tree_faults(tree)
    assert path.count("/") == MAX_DEPTH
    assert reason == f"deeper than {MAX_DEPTH} levels"
    assert tree_faults(tree, max_depth=MAX_DEPTH + 6) == []


def test_a_tree_with_a_doubled_id_is_not_scored() -> None:
    with pytest.raises(MalformedTree, match="'a': id is used twice"):
        score_tree(inner("r", soft("a", MET), soft("a", UNMET)))


# Size


def deep_and_wide() -> Node:
    """2,000 levels of 50 leaves each, the next level being the 51st child."""
    tree = soft("core", MET)
    for level in range(2_000):
        side = tuple(soft(f"{level}.{number}", MET) for number in range(50))
        tree = Node(f"level{level}", mode=(Mode.PARALLEL, Mode.SEQUENTIAL)[level % 2], children=(*side, tree))
    return tree


def test_a_hundred_thousand_nodes_two_thousand_deep_are_scored_without_recursion() -> None:
    tree = deep_and_wide()
    assert score_tree(tree).score == 1.0
    assert score_tree(with_outcomes(tree, {"core": UNMET})).status is Status.PARTIAL
    assert next_leaves(with_outcomes(tree, {"core": None}), short_circuit=True) == ("core",)
    assert [reason for _, reason in tree_faults(tree)] == [f"deeper than {MAX_DEPTH} levels"]


@pytest.mark.parametrize("size", [603, 6_030])
def test_every_node_is_looked_at_once(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Outcome | None] = []

    def counting(outcome: Outcome | None) -> judging.tree._Span:
        looked_at.append(outcome)
        return real(outcome)

    real = judging.tree._leaf_span
    monkeypatch.setattr(judging.tree, "_leaf_span", counting)
    groups = (chain(f"g{g}", *(soft(f"g{g}.{n}", MET) for n in range(8))) for g in range(size // 9))
    score_tree(inner("r", *groups))
    assert len(looked_at) == size // 9 * 9 + 1
