"""Score of a rubric tree: gates, sequences and unknown verdicts (Mind2Web 2, arXiv 2506.21506).

Leaves carry the outcome of one check each; the score of every other node follows from its children by
the rules of ``docs/scoring``. The result is the same however often and in whatever order leaves were
judged. Unknown leaves are scored twice, all of them 0 and then all of them 1: where both ends agree the
score stands, where they differ it is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

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


def with_outcomes(root: Node, outcomes: Mapping[str, Outcome | None]) -> Node:
    """Return the tree with the given outcomes on its leaves."""
    raise NotImplementedError


def score_tree(root: Node) -> TreeScore:
    """Score a tree."""
    raise NotImplementedError


def next_leaves(root: Node, *, short_circuit: bool) -> tuple[str, ...]:
    """Ids of the leaves to judge now."""
    raise NotImplementedError


def tree_faults(root: Node, *, max_depth: int = MAX_DEPTH) -> list[tuple[str, str]]:
    """What is wrong with a tree."""
    raise NotImplementedError
