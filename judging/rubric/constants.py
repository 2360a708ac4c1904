"""Expressions that fail whatever an answer says: they must not become a check that every team fails."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import nodes

from judging.rubric.templates import constant
from judging.rubric.values import Mismatch

__all__ = ["constant_faults"]

_SIMPLE = (nodes.Const, nodes.TemplateData, nodes.List, nodes.Tuple)  # they cannot fail
_DIVISIONS = (nodes.Div, nodes.FloorDiv, nodes.Mod)


def constant_faults(tree: nodes.Node) -> Iterator[str]:
    """Why constant parts of a checked template or expression can never be evaluated; nothing if they can."""
    if _is_constant(tree):
        yield from _evaluated(tree)
        return
    yield from _operand_faults(tree)
    for part in tree.iter_child_nodes():
        yield from constant_faults(part)


def _is_constant(node: nodes.Node) -> bool:
    return (
        isinstance(node, nodes.Expr)
        and not isinstance(node, nodes.Name | nodes.Slice)
        and next(node.find_all(nodes.Name), None) is None
    )


def _evaluated(node: nodes.Node) -> Iterator[str]:
    operators = (part for part in (node, *node.find_all(nodes.Expr)) if not isinstance(part, _SIMPLE))
    if next(operators, None) is None:
        return
    try:
        constant(node)
    except Mismatch as problem:
        yield f"can never be evaluated: {problem}"


def _operand_faults(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, _DIVISIONS) and _known(node.right) == 0:
        yield "divides by zero"
    if isinstance(node, nodes.Slice):
        if _known(node.step) == 0:
            yield "a slice has a step of 0"
        if any(_is_no_index(part) for part in (node.start, node.stop, node.step)):
            yield "a slice goes from one whole number to another"


def _known(node: nodes.Node | None) -> object:
    """The value of a constant part; None for any other."""
    if node is None or not _is_constant(node):
        return None
    try:
        return constant(node)
    except Mismatch:
        return None  # told where it stands


def _is_no_index(node: nodes.Node | None) -> bool:
    value = _known(node)
    return value is not None and (isinstance(value, bool) or not isinstance(value, int))
