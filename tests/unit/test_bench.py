"""The benches measure what they say they measure."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from judging.cascade import cascade_faults, score_cascade
from judging.tree import Node, next_leaves, score_tree, tree_faults
from tests.bench import __main__ as bench
from tests.bench.measure import Figure, ratio
from tests.bench.scoring import bare, cascade, count_met, judged_in_waves, tree, walk


def nodes(root: Node) -> Iterator[Node]:
    """All nodes of a tree."""
    yield root
    for child in root.children:
        yield from nodes(child)


@pytest.mark.parametrize("size", [1, 7, 603, 6030])
def test_a_tree_has_the_size_asked_for_and_could_be_imported(size: int) -> None:
    root = tree(size)
    assert len({node.id for node in nodes(root)}) == size
    assert tree_faults(root) == []
    assert walk(root) <= size


def test_the_bench_tree_has_every_kind_of_leaf() -> None:
    score = score_tree(tree(603))
    assert score.low < score.high
    assert {node.outcome for node in nodes(tree(603)) if not node.children} == {
        "met",
        "unmet",
        "not_assessed",
    }


def test_waves_judge_the_whole_tree() -> None:
    root = bare(tree(603))
    assert len(next_leaves(root, short_circuit=True)) > 1
    judged = judged_in_waves(root)
    assert score_tree(judged).score == 1
    assert walk(judged) == sum(not node.children for node in nodes(root))


def test_a_cascade_has_the_rubrics_asked_for() -> None:
    subtasks = cascade(4_000)
    assert sum(len(s.instruction) + len(s.factuality) + len(s.rationality) for s in subtasks) == 4_000
    assert cascade_faults(subtasks) == []
    assert {subtask.factuality_open for subtask in score_cascade(subtasks).subtasks} == {True, False}
    assert count_met(subtasks) > 0


def test_a_ratio_tells_more_work_from_less() -> None:
    assert ratio(lambda: sum(range(20_000)), lambda: sum(range(1_000))) > 5


@pytest.mark.parametrize(
    ("value", "goal", "holds"), [(3, 4, True), (4, 4, True), (5, 4, False), (5, None, None)]
)
def test_a_figure_is_held_to_its_goal(value: float, goal: float | None, holds: bool | None) -> None:
    assert Figure("m", value, goal).as_dict() == {"metric": "m", "value": value, "goal": goal, "holds": holds}


@pytest.mark.parametrize(("value", "holds"), [(3, False), (4, True), (5, True)])
def test_a_figure_may_be_held_to_the_least_it_must_be(value: float, holds: bool) -> None:
    assert Figure("m", value, 4, at_least=True).holds is holds


@pytest.mark.parametrize(("value", "code"), [(1.0, 0), (3.0, 1)])
def test_a_missed_goal_is_the_exit_code(
    value: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "BENCHES", {"b": lambda: [Figure("m", value, 2.0), Figure("n", value)]})
    assert bench.main([]) == code
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {"bench": "b", "metric": "m", "value": value, "goal": 2.0, "holds": code == 0}
    assert lines[1]["holds"] is None


def test_an_unknown_bench_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["scoring", "nonsense"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "nonsense" in captured.err
