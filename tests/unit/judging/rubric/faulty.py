"""Rubric trees with a fault, and the lines their author gets."""

from __future__ import annotations

from typing import Any

from tests.unit.judging.rubric.sets import LEAF, faults, tree_task

FILE = "tasks/t1.yaml: "
SOFT: dict[str, Any] = {"id": "soft", "claim": "It rains", "evidence": "none"}


def found(task: dict[str, Any]) -> list[str]:
    """The faults of a task, without the file they are all in."""
    lines = faults(task)
    assert all(line.startswith(FILE) for line in lines)
    return [line.removeprefix(FILE) for line in lines]


def node(**keys: Any) -> dict[str, Any]:
    """A tree of one child with these keys."""
    return tree_task({"children": [LEAF, {"id": "n", **keys}]})


CHILD = "tree.children[1]"
