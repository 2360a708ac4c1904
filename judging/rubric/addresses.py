"""Where a rubric speaks of pages: fields it uses as sources, whatever they are called, and URLs it names itself.

Such a field carries ``x-source: true`` in the schema a judge is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2 import nodes

from judging.rubric.faults import at
from judging.rubric.names import Scope, shape_of
from judging.rubric.shapes import Shape, is_kind, item_shape
from judging.rubric.spec import ClaimSpec, NodeSpec, PageSpec, TreeRubric
from judging.rubric.templates import parse_expression

__all__ = ["MARK", "addresses_in", "marked", "named_urls"]

_URL = re.compile(r"https?://\S+", re.IGNORECASE)
MARK = "x-source"
_ALTERNATIVES = (nodes.And, nodes.Or, nodes.Add)


def addresses_in(source: str, scope: Scope) -> list[Mapping[str, Any]]:
    """The parts of extraction schemas, as written, whose values a checked expression gives as URLs."""
    return [part for node in _values(parse_expression(source)) for part in _parts(shape_of(node, scope))]


def named_urls(rubric: TreeRubric) -> Iterator[tuple[str, str]]:
    """The URLs that stand in a rubric's truth and, in quotes, where it says what page is read: (path, URL)."""
    yield from _urls_of(rubric.truth, "truth")
    for extraction in rubric.extractions:
        yield from _quoted_urls(extraction.from_url, at("extract", extraction.name, "from_url"))
    yield from _urls_below(rubric.tree)


def _urls_below(node: NodeSpec) -> Iterator[tuple[str, str]]:
    if isinstance(node.leaf, ClaimSpec):
        yield from _quoted_urls(node.leaf.sources, at(node.path, "sources"))
    if isinstance(node.leaf, PageSpec):
        yield from _quoted_urls(node.leaf.from_url, at(node.path, "from_url"))
    for child in node.children:
        yield from _urls_below(child)


def _quoted_urls(expression: str | None, path: str) -> Iterator[tuple[str, str]]:
    tree = parse_expression(expression) if expression else nodes.Const("")
    for constant in (tree, *tree.find_all(nodes.Const)):
        yield from _urls_of(constant.value if isinstance(constant, nodes.Const) else None, path)


def _urls_of(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _urls_of(entry, at(path, str(key)))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _urls_of(entry, at(path, index))
    elif isinstance(value, str) and _URL.fullmatch(value.strip()):
        yield path, value.strip()


def _values(node: nodes.Node) -> Iterator[nodes.Node]:
    """The parts of an expression that may be its value: both sides of ``a or b``, the branches of a condition."""
    if isinstance(node, _ALTERNATIVES):
        yield from (value for side in (node.left, node.right) for value in _values(side))
    elif isinstance(node, nodes.CondExpr):
        branches = (node.expr1, node.expr2)
        yield from (value for branch in branches if branch is not None for value in _values(branch))
    elif isinstance(node, nodes.List):
        yield from (value for item in node.items for value in _values(item))
    elif isinstance(node, nodes.Filter) and node.name == "default" and node.node is not None:
        yield from (value for part in (node.node, *node.args) for value in _values(part))
    else:
        yield node


def _parts(shape: Shape | None) -> Iterator[Mapping[str, Any]]:
    if shape is None:
        return
    yield shape.written
    if is_kind(shape, "array") and "items" in shape.schema and (items := item_shape(shape)):
        yield items.written


def marked(schema: Any, addresses: Sequence[Mapping[str, Any]]) -> Any:
    """A copy of a schema in which the parts that hold addresses say so."""
    return _marked(schema, frozenset(map(id, addresses)))


def _marked(part: Any, addresses: frozenset[int]) -> Any:
    if isinstance(part, list):
        return [_marked(entry, addresses) for entry in part]
    if not isinstance(part, Mapping):
        return part
    copy = {key: _marked(value, addresses) for key, value in part.items()}
    return copy | {MARK: True} if id(part) in addresses else copy
