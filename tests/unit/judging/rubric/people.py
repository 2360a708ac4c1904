"""Nodes that loop over people, and the people."""

from __future__ import annotations

from typing import Any

from judging.tree import Node

GIVEN: dict[str, Any] = {"id": "given_{{ loop.index }}", "critical": True, "assert": "a.name and a.sources",
                         "error": "incomplete.partial"}  # fmt: skip
SOURCED: dict[str, Any] = {
    "id": "sourced_{{ loop.index }}",
    "claim": "{{ a.name }} came after {{ a.previous.name or 'nobody' }}",
    "sources": "a.sources",
}
ADA = {"name": "Ada", "born": 1815, "sources": ["https://a.org/1 ", "https://a.org/2", "https://a.org/1", ""]}
BOB = {"name": "Bob", "sources": []}


def ids(node: Node) -> list[str]:
    """The ids of a node and of all below it."""
    return [node.id, *(name for child in node.children for name in ids(child))]


HOLE = "what was extracted does not fit the claim: a value that it names is missing ({})"
