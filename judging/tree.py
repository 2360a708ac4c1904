"""Score of a rubric tree: gates, sequences and unknown verdicts (Mind2Web 2, arXiv 2506.21506).

Leaves carry the outcome of one check each; the score of every other node follows from its children by
the rules of ``docs/scoring.md``. The result is the same however often and in whatever order leaves were
judged. Unknown leaves are scored twice, all of them 0 and then all of them 1: where both ends agree the
score stands, where they differ it is None.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import fsum, nextafter
from typing import NamedTuple

__all__ = [
    "MAX_DEPTH",
    "MalformedTree",
    "Mode",
    "Node",
    "NodeScore",
    "Outcome",
    "Status",
    "TreeScore",
    "UnknownLeaf",
    "next_leaves",
    "score_tree",
    "tree_faults",
    "with_outcomes",
]

MAX_DEPTH = 100  # levels of a rubric tree accepted at import; real ones have fewer than ten


class Outcome(StrEnum):
    """What became of one check. Only ``met`` and ``unmet`` enter a score."""

    MET = "met"
    UNMET = "unmet"
    NOT_ASSESSED = "not_assessed"  # the judge abstained or gave no usable reply
    ERROR = "error"  # our own fault; retried alone later


class Mode(StrEnum):
    """Whether the children of a node stand side by side or build on one another."""

    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"


class Status(StrEnum):
    """What the score of a node means: 1, between 0 and 1, 0, or not looked at because of another node."""

    PASSED = "passed"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"


class MalformedTree(ValueError):
    """The tree breaks a rule without which no score can be told."""


class UnknownLeaf(ValueError):
    """An outcome was given for an id that is no leaf of the tree."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a rubric tree; without children it is a leaf, and ``outcome`` None means not judged."""

    id: str
    critical: bool = False
    mode: Mode = Mode.PARALLEL
    description: str = ""
    children: tuple[Node, ...] = ()
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class NodeScore:
    """Score in [0, 1] and status of one node; both None where unknown verdicts leave it open."""

    score: float | None
    status: Status | None


@dataclass(frozen=True, slots=True)
class TreeScore:
    """Score of a whole tree.

    ``reached`` holds the ids of the leaves that had to be judged, taking unknown ones as met;
    ``assessed`` counts those of them that are met or unmet, ``coverage`` is their share.
    ``low`` and ``high`` are the root's scores with all unknown leaves 0 and 1.
    """

    score: float | None
    status: Status | None
    nodes: Mapping[str, NodeScore]
    reached: frozenset[str]
    coverage: float
    assessed: int
    low: float
    high: float


class _Span(NamedTuple):
    """Score of a node on its own with unknown leaves 0 (``low``) and 1 (``high``); settled: exactly equal."""

    low: float
    high: float
    settled: bool


class _Place(NamedTuple):
    """Where a node stands: was it to be judged at all, and is it skipped at either end?"""

    reached: bool
    skipped_low: bool
    skipped_high: bool


class _Layout(NamedTuple):
    """The nodes of a tree level by level: children always stand behind their parent, side by side.

    Walking this list forwards or backwards takes the place of recursion, which a deep tree would break.
    """

    nodes: list[Node]
    first_child: list[int]

    @classmethod
    def of(cls, root: Node) -> _Layout:
        nodes = [root]
        first_child: list[int] = []
        for node in nodes:  # grows while it is walked
            first_child.append(len(nodes))
            nodes.extend(node.children)
        return cls(nodes, first_child)

    def children(self, index: int) -> range:
        first = self.first_child[index]
        return range(first, first + len(self.nodes[index].children))

    def upwards(self) -> range:
        return range(len(self.nodes) - 1, -1, -1)

    def parents(self) -> list[int]:
        """Index of every node's parent; the root is its own."""
        parents = [0] * len(self.nodes)
        for index in range(len(self.nodes)):
            for child in self.children(index):
                parents[child] = index
        return parents


def score_tree(root: Node) -> TreeScore:
    """Score every node of a tree. Order and repetition change nothing.

    :raises MalformedTree: if two nodes share an id.
    """
    layout = _distinct(_Layout.of(root))
    spans = _spans(layout)
    places = _places(layout, spans)
    nodes = {
        node.id: _node_score(span, place)
        for node, span, place in zip(layout.nodes, spans, places, strict=True)
    }
    reached = [
        node for node, place in zip(layout.nodes, places, strict=True) if place.reached and not node.children
    ]
    assessed = sum(node.outcome in (Outcome.MET, Outcome.UNMET) for node in reached)
    return TreeScore(
        score=nodes[root.id].score,
        status=nodes[root.id].status,
        nodes=nodes,
        reached=frozenset(node.id for node in reached),
        coverage=assessed / len(reached),
        assessed=assessed,
        low=spans[0].low,
        high=spans[0].high,
    )


def next_leaves(root: Node, *, short_circuit: bool) -> tuple[str, ...]:
    """Ids of the leaves to judge now, in the tree's order; empty when nothing is left to judge.

    With ``short_circuit`` they come in gate waves: the critical children of a node together, the others
    once those are through; sequential children one after another; all that is independent at once. An
    unknown leaf counts as met. Without, every leaf that is not judged comes at once.
    """
    layout = _Layout.of(root)
    open_ = _open_for_judging(layout) if short_circuit else [True] * len(layout.nodes)
    waiting: list[str] = []
    stack = [0]
    while stack:
        index = stack.pop()
        node = layout.nodes[index]
        if not node.children and node.outcome is None:
            waiting.append(node.id)
        stack.extend(child for child in reversed(layout.children(index)) if open_[child])
    return tuple(waiting)


def with_outcomes(root: Node, outcomes: Mapping[str, Outcome | None]) -> Node:
    """Return the tree with these outcomes on its leaves; leaves not named keep theirs.

    :raises UnknownLeaf: for an id that is no leaf of the tree.
    """
    layout = _Layout.of(root)
    unknown = outcomes.keys() - {node.id for node in layout.nodes if not node.children}
    if unknown:
        raise UnknownLeaf(", ".join(sorted(unknown)))
    rebuilt = list(layout.nodes)
    for index in layout.upwards():
        node = rebuilt[index]
        if node.children:
            rebuilt[index] = replace(node, children=tuple(rebuilt[i] for i in layout.children(index)))
        elif node.id in outcomes:
            rebuilt[index] = replace(node, outcome=outcomes[node.id])
    return rebuilt[0]


def tree_faults(root: Node, *, max_depth: int | None = MAX_DEPTH) -> list[tuple[str, str]]:
    """What makes a tree unfit for scoring: (path of ids from the root, reason), empty if nothing does.

    Scoring itself has no limit of depth, and ``max_depth`` None sets none.
    """
    layout = _Layout.of(root)
    parents = layout.parents()
    faults = [*_depth_faults(parents, max_depth), *_id_faults(layout), *_node_faults(layout)]
    return [(_path(layout, parents, index), reason) for index, reason in faults]


def _distinct(layout: _Layout) -> _Layout:
    for index, reason in _id_faults(layout):
        raise MalformedTree(f"{layout.nodes[index].id!r}: {reason}")
    return layout


def _depth_faults(parents: Sequence[int], max_depth: int | None) -> Iterator[tuple[int, str]]:
    depths = [1] * len(parents)
    for index in range(1, len(parents)):
        depths[index] = depths[parents[index]] + 1
        if max_depth is not None and depths[index] > max_depth:
            # Level by level: the first one is enough, all behind it are as deep.
            yield index, f"deeper than {max_depth} levels"
            return


def _id_faults(layout: _Layout) -> Iterator[tuple[int, str]]:
    seen: set[str] = set()
    for index, node in enumerate(layout.nodes):
        if not node.id:
            yield index, "has no id"
        elif node.id in seen:
            yield index, "id is used twice"
        seen.add(node.id)


def _node_faults(layout: _Layout) -> Iterator[tuple[int, str]]:
    for index, node in enumerate(layout.nodes):
        soft = [child.id for child in node.children if not child.critical]
        if node.critical and soft:
            yield index, f"critical, but its child {soft[0]!r} is not"
        if node.children and node.outcome is not None:
            yield index, "has children and a verdict"


def _path(layout: _Layout, parents: Sequence[int], index: int) -> str:
    ids = [layout.nodes[index].id]
    while index:
        index = parents[index]
        ids.append(layout.nodes[index].id)
    return "/".join(reversed(ids))


def _spans(layout: _Layout) -> list[_Span]:
    spans = [_leaf_span(node.outcome) for node in layout.nodes]
    for index in layout.upwards():
        node = layout.nodes[index]
        if node.children:
            spans[index] = _inner_span(node, [spans[child] for child in layout.children(index)])
    return spans


def _leaf_span(outcome: Outcome | None) -> _Span:
    if outcome is Outcome.MET:
        return _Span(1.0, 1.0, True)
    if outcome is Outcome.UNMET:
        return _Span(0.0, 0.0, True)
    return _Span(0.0, 1.0, False)


def _inner_span(node: Node, spans: Sequence[_Span]) -> _Span:
    if node.mode is Mode.SEQUENTIAL:
        spans = list(_after_skips(spans))
    gates = [span for child, span in zip(node.children, spans, strict=True) if child.critical]
    earners = [span for child, span in zip(node.children, spans, strict=True) if not child.critical]
    open_low = all(span.low == 1.0 for span in gates)
    open_high = all(span.high == 1.0 for span in gates)
    low = _mean([span.low for span in earners]) if open_low else 0.0
    high = _mean([span.high for span in earners]) if open_high else 0.0
    # Raising a leaf never lowers a score, so the ends are equal where the upper one is 0, or where the
    # gates are surely open and no earner is in doubt. Comparing the floats would let a small doubt drown.
    settled = high == 0.0 or (open_low and all(span.settled for span in earners))
    return _Span(low, high, settled)


def _after_skips(spans: Iterable[_Span]) -> Iterator[_Span]:
    """The spans of a sequence, with all behind the first imperfect one 0, at each end on its own."""
    on_low = on_high = True
    for span in spans:
        low = span.low if on_low else 0.0
        high = span.high if on_high else 0.0
        yield _Span(low, high, high == 0.0 or (on_low and span.settled))
        on_low = on_low and span.low == 1.0
        on_high = on_high and span.high == 1.0


def _mean(scores: Sequence[float]) -> float:
    """Unweighted mean; of nothing 1, as a node of critical children alone is worth once they hold.

    ``fsum`` rounds once, so the order of children changes no digit. Only a mean of nothing but 1 is 1 and
    only one of nothing but 0 is 0: what lies between must not round to either, however deep the tree.
    """
    if all(score == 1.0 for score in scores):
        return 1.0
    if not any(scores):
        return 0.0
    return min(max(fsum(scores) / len(scores), sys.float_info.min), nextafter(1.0, 0.0))


def _places(layout: _Layout, spans: Sequence[_Span]) -> list[_Place]:
    places = [_Place(reached=True, skipped_low=False, skipped_high=False)] * len(layout.nodes)
    for index, node in enumerate(layout.nodes):
        children = layout.children(index)
        for child, place in zip(children, _child_places(node, places[index], spans, children), strict=True):
            places[child] = place
    return places


def _child_places(node: Node, place: _Place, spans: Sequence[_Span], children: range) -> Iterator[_Place]:
    sequential = node.mode is Mode.SEQUENTIAL
    low = _opened(node, [spans[child].low == 1.0 for child in children])
    high = _opened(node, [spans[child].high == 1.0 for child in children])
    for open_low, open_high in zip(low, high, strict=True):
        yield _Place(
            reached=place.reached and open_high,
            skipped_low=place.skipped_low or (sequential and not open_low),
            skipped_high=place.skipped_high or (sequential and not open_high),
        )


def _opened(node: Node, through: Sequence[bool]) -> list[bool]:
    """Which children are looked at, given which of them let those after them through."""
    if node.mode is Mode.SEQUENTIAL:
        opened = [True] * len(through)
        for index in range(1, len(through)):
            opened[index] = opened[index - 1] and through[index - 1]
        return opened
    gate = all(ok for child, ok in zip(node.children, through, strict=True) if child.critical)
    return [child.critical or gate for child in node.children]


def _node_score(span: _Span, place: _Place) -> NodeScore:
    if place.skipped_high:
        return NodeScore(0.0, Status.SKIPPED)
    if span.high == 0.0 or (span.settled and not place.skipped_low):
        return NodeScore(span.high, _status(span.high))
    if place.reached:
        return NodeScore(None, None)
    # Behind a gate that is surely shut nobody needs to look, so what is not known there is no doubt.
    return NodeScore(0.0, Status.SKIPPED)


def _status(score: float) -> Status:
    if score == 1.0:
        return Status.PASSED
    return Status.PARTIAL if score else Status.FAILED


def _open_for_judging(layout: _Layout) -> list[bool]:
    """Which nodes may be judged now, seen from their parent: what stands before them is done and through."""
    spans = _spans(layout)
    waits = [not node.children and node.outcome is None for node in layout.nodes]
    opened = [True] * len(layout.nodes)
    for index in layout.upwards():
        node, children = layout.nodes[index], layout.children(index)
        through = [spans[child].high == 1.0 and not waits[child] for child in children]
        for child, is_open in zip(children, _opened(node, through), strict=True):
            opened[child] = is_open
            waits[index] = waits[index] or (is_open and waits[child])
    return opened
