"""Scoring is linear: a tree ten times as large may take twelve times as long, no more.

A walk that only looks at every node once is the yardstick. 603 nodes are those of the largest tree of Mind2Web 2; 4,000
rubrics are far more than one task has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from judging.cascade import Factuality, Finding, Importance, Subtask, score_cascade
from judging.tree import Mode, Node, Outcome, next_leaves, score_tree, with_outcomes
from tests.bench.measure import Figure, ratio

NODES = 603
RUBRICS = 4_000
TIMES = 10  # how much larger the larger one is
GROWTH = 12.0  # how much longer it may take
FAN_OUT = 6
CLAIMS = 4  # of a factuality rubric
PER_SUBTASK = 10  # rubrics: 4 of instruction following, 3 of factuality, 3 of rationality


def figures() -> Iterator[Figure]:
    """Every figure of this bench."""
    yield from tree_figures()
    yield from cascade_figures()


# ------------------------------------------------------------------ rubric trees
def tree_figures() -> Iterator[Figure]:
    """Scoring a tree, and asking it what to judge next."""
    small, large = tree(NODES), tree(NODES * TIMES)
    yield Figure(f"tree_{NODES}_score_per_walk", ratio(partial(score_tree, small), partial(walk, small)))
    yield _growth("score", partial(score_tree, large), partial(score_tree, small))
    small, large = bare(small), bare(large)
    yield _growth("wave", partial(wave, large), partial(wave, small))
    # Every wave looks at the whole tree: this is what a tree with many steps in sequence pays for that.
    yield Figure(
        f"tree_{NODES}_all_waves_per_score",
        ratio(partial(judged_in_waves, small), partial(score_tree, small)),
    )


def _growth(what: str, large: Callable[[], object], small: Callable[[], object]) -> Figure:
    return Figure(f"tree_{NODES * TIMES}_{what}_per_{NODES}", ratio(large, small), GROWTH)


def tree(size: int) -> Node:
    """A judged tree of exactly ``size`` nodes, six children each; a third of the leaves are gates.

    Most leaves are met, so that sequences go on and gates stay open: that is the dear case.
    """
    made: list[Node] = []
    for place in reversed(range(size)):  # children before their parent
        first = FAN_OUT * place + 1
        below = tuple(made[size - 1 - at] for at in range(first, min(first + FAN_OUT, size)))
        made.append(_inner(place, below) if below else _leaf(place))
    return made[-1]


def _inner(place: int, below: tuple[Node, ...]) -> Node:
    mode = Mode.SEQUENTIAL if place % 5 == 4 else Mode.PARALLEL
    return Node(f"n{place}", mode=mode, children=below)


def _leaf(place: int) -> Node:
    outcome = Outcome.NOT_ASSESSED if place % 97 == 0 else Outcome.UNMET if place % 31 == 0 else Outcome.MET
    return Node(f"n{place}", critical=place % 3 == 0, outcome=outcome)


def bare(root: Node) -> Node:
    """The tree before anything was judged."""
    return Node(root.id, root.critical, root.mode, children=tuple(bare(child) for child in root.children))


def walk(root: Node) -> int:
    """The yardstick: every node is looked at once; how many leaves are met."""
    met, stack = 0, [root]
    while stack:
        node = stack.pop()
        met += node.outcome is Outcome.MET
        stack.extend(node.children)
    return met


def wave(root: Node) -> Node:
    """The tree after one more gate wave, all of its leaves met; the same tree if nothing is left to judge."""
    leaves = next_leaves(root, short_circuit=True)
    return with_outcomes(root, dict.fromkeys(leaves, Outcome.MET)) if leaves else root


def judged_in_waves(root: Node) -> Node:
    """The tree judged to its end, as the pipeline does it."""
    while (after := wave(root)) is not root:
        root = after
    return root


# ------------------------------------------------------------------ cascade
def cascade_figures() -> Iterator[Figure]:
    """Scoring the findings of a task."""
    small, large = cascade(RUBRICS // TIMES), cascade(RUBRICS)
    yield Figure(
        f"cascade_{RUBRICS}_score_per_walk", ratio(partial(score_cascade, large), partial(count_met, large))
    )
    yield Figure(
        f"cascade_{RUBRICS}_score_per_{RUBRICS // TIMES}",
        ratio(partial(score_cascade, large), partial(score_cascade, small)),
        GROWTH,
    )


def cascade(rubrics: int) -> tuple[Subtask, ...]:
    """Findings for ``rubrics`` rubrics, ten a subtask, every second gate open."""
    return tuple(_subtask(number) for number in range(rubrics // PER_SUBTASK))


def _subtask(number: int) -> Subtask:
    met, unmet = Outcome.MET, Outcome.UNMET
    claims = tuple(list(Finding)[(number + n) % 4] for n in range(CLAIMS))
    return Subtask(
        id=f"s{number}",
        importance=list(Importance)[number % 3],
        instruction=(met, met, met, met if number % 2 else unmet),
        factuality=(Factuality(claims), Factuality(claims[::-1]), Factuality(())),
        rationality=(met, Outcome.NOT_ASSESSED if number % 7 == 0 else met, unmet),
    )


def count_met(subtasks: Sequence[Subtask]) -> int:
    """The yardstick: every verdict is looked at once; how many of them say yes."""
    met = 0
    for subtask in subtasks:
        for outcome in (*subtask.instruction, *subtask.rationality):
            met += outcome is Outcome.MET
        for rubric in subtask.factuality:
            for claim in rubric.claims or ():
                met += claim is Finding.SUPPORTED
    return met
