"""Rubric trees to score: by hand, and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import strategies as st

from judging.tree import Mode, Node, Outcome

MET, UNMET, NOT_ASSESSED, ERROR = Outcome.MET, Outcome.UNMET, Outcome.NOT_ASSESSED, Outcome.ERROR
KNOWN = (MET, UNMET)
UNKNOWN = (NOT_ASSESSED, ERROR, None)


def soft(name: str, outcome: Outcome | None = None) -> Node:
    """A leaf that earns its share."""
    return Node(name, outcome=outcome)


def gate(name: str, outcome: Outcome | None = None) -> Node:
    """A critical leaf."""
    return Node(name, critical=True, outcome=outcome)


def inner(name: str, *children: Node, critical: bool = False) -> Node:
    """A node whose children stand side by side."""
    return Node(name, critical=critical, children=children)


def chain(name: str, *children: Node, critical: bool = False) -> Node:
    """A node whose children are steps."""
    return Node(name, critical=critical, mode=Mode.SEQUENTIAL, children=children)


def leaves(root: Node) -> Iterator[Node]:
    """The leaves, in the order in which they stand."""
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.children))
        if not node.children:
            yield node


@st.composite
def trees(draw: st.DrawFn, outcomes: tuple[Outcome | None, ...] = KNOWN, max_leaves: int = 24) -> Node:
    """Trees that obey rule 7, at most four levels deep."""
    names = (f"n{number}" for number in count())
    budget = [max_leaves]

    def node(depth: int, critical: bool) -> Node:
        name = next(names)
        size = draw(st.integers(0, 4)) if depth < 4 else 0
        if size == 0 or budget[0] < size:
            return Node(name, critical=critical, outcome=draw(st.sampled_from(outcomes)))
        budget[0] -= size
        children = tuple(node(depth + 1, critical or draw(st.booleans())) for _ in range(size))
        return Node(name, critical=critical, mode=draw(st.sampled_from(Mode)), children=children)

    return node(0, draw(st.booleans()))
