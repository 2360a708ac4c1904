"""Sets and dictionaries come in another order in every process; scores must not."""

from __future__ import annotations

from pathlib import Path

from tests.programs import clean_environment, run

# Trees and cascades with uneven means, so that another order of adding would show in the last digits.
PROGRAM = """
from random import Random

from judging.cascade import Factuality, Finding, Importance, Subtask, score_cascade
from judging.tree import Mode, Node, Outcome, next_leaves, score_tree

chance = Random(7)
OUTCOMES = [*Outcome, Outcome.MET, Outcome.MET, Outcome.MET, None]


def some(values, most):
    return tuple(chance.choice(values) for _ in range(chance.randint(0, most)))


def tree(name, depth):
    if not depth:
        return Node(name, critical=chance.random() < 0.1, outcome=chance.choice(OUTCOMES))
    below = tuple(tree(f"{name}.{n}", depth - 1) for n in range(chance.randint(1, 7)))
    return Node(name, mode=chance.choice(list(Mode)), children=below)


def facts():
    return tuple(Factuality(claims=some([*Finding, None], 7)) for _ in range(chance.randint(0, 3)))


for number in range(200):
    root = tree(f"t{number}", chance.randint(1, 3))
    score = score_tree(root)
    print(score.score, score.status, score.coverage, sorted(score.reached), sorted(score.nodes.items()))
    print(next_leaves(root, short_circuit=True))
    subtasks = [
        Subtask(f"s{n}", chance.choice(list(Importance)), (Outcome.MET, *some(OUTCOMES, 1)), facts(), some(OUTCOMES, 3))
        for n in range(chance.randint(1, 6))
    ]
    print(score_cascade(subtasks))
"""


def scores(var: Path, seed: str) -> str:
    """What the program prints in a process of its own with this seed for hashes."""
    done = run("-c", PROGRAM, env=clean_environment(var, PYTHONHASHSEED=seed))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_scores_are_the_same_to_the_last_digit_in_every_process(tmp_path: Path) -> None:
    one, *others = (scores(tmp_path, seed) for seed in ("0", "1", "2", "424242"))
    assert one.count("\n") == 600
    assert others == [one] * 3
