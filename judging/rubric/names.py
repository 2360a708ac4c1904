"""May this template run, and does everything it names exist? Answered at import, before any data.

Only the node types listed here pass; whatever Jinja2 adds in later versions is refused until somebody
adds it on purpose.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from jinja2 import TemplateSyntaxError, nodes

from judging.rubric.constants import constant_faults
from judging.rubric.faults import suggestion
from judging.rubric.filters import FILTERS, TESTS
from judging.rubric.shapes import NoSuchPart, Shape, field_shape, item_shape
from judging.rubric.templates import LOOP_FIELDS, NEIGHBOURS, parse_expression, parse_template

__all__ = ["Scope", "check_expression", "check_template", "names_used", "shape_of"]

_MAX_NODES = 400
_MAX_DEPTH = 30
_MAX_LOOPS = 2
_MAX_INTEGER = 2**53

_REFUSED = {
    "Call": "nothing can be called; use a filter, as in x | length",
    "Concat": "~ is not available; join texts with +, or write the pieces beside each other in a template",
    "Pow": "** is not available",
    "FilterBlock": "{% filter %} is not available; use x | filter",
}
_LOOP = Shape.of(
    {"type": "object", "properties": {name: {"type": ["integer", "boolean"]} for name in LOOP_FIELDS}}
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names a template may use, with what is known of their data.

    ``each`` are the names bound by ``for_each``: they have ``previous`` and ``next``. ``reserved`` are names
    that exist elsewhere in the rubric, with the reason why they are no use here.
    """

    shapes: Mapping[str, Shape | None]
    each: frozenset[str] = frozenset()
    reserved: str = ""

    def having(self, shapes: Mapping[str, Shape | None], *, each: Iterable[str] = ()) -> Scope:
        """This scope and some more names."""
        return replace(self, shapes={**self.shapes, **shapes}, each=self.each.union(each))


def check_template(source: str, scope: Scope) -> list[str]:
    """What is wrong with a template; empty if it may run."""
    return _check(source, scope, parse_template)[0]


def check_expression(source: str, scope: Scope) -> tuple[list[str], Shape | None]:
    """What is wrong with an expression, and what is known of its value."""
    if "{{" in source:
        return ["an expression is written without {{ }}, as in a.name and a.sources"], None
    return _check(source, scope, parse_expression)


def _check(source: str, scope: Scope, parse: Callable[[str], nodes.Node]) -> tuple[list[str], Shape | None]:
    try:
        tree = parse(source)
        checker = _Checker(scope)
        shape = checker.visit(tree)
        # Only what may run is tried.
        reasons = checker.reasons or list(dict.fromkeys(constant_faults(tree)))
    except TemplateSyntaxError as error:
        return [f"line {error.lineno}: {error.message}"], None
    except (RecursionError, _TooLarge):
        return ["is too long or nested too deeply; split it into several leaves"], None
    return reasons, shape


def shape_of(node: nodes.Node, scope: Scope) -> Shape | None:
    """What is known of the value of a part of an expression that was checked."""
    return _Checker(scope).visit(node)


@lru_cache(maxsize=4096)
def names_used(source: str, *, expression: bool) -> frozenset[str]:
    """The names a template or expression reads; none where it cannot be parsed."""
    try:
        tree = parse_expression(source) if expression else parse_template(source)
    except (TemplateSyntaxError, RecursionError):
        return frozenset()
    roots = [tree] if isinstance(tree, nodes.Name) else []
    return frozenset(name.name for name in (*roots, *tree.find_all(nodes.Name)))


class _TooLarge(Exception):
    """More nodes or levels than a check should have."""


class _Checker:
    """Walks a syntax tree, collects reasons, and returns what is known of each value."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.names = dict(scope.shapes)
        self.reasons: list[str] = []
        self.nodes = 0
        self.depth = 0
        self.loops = 0

    def visit(self, node: nodes.Node) -> Shape | None:
        self.nodes += 1
        self.depth += 1
        if self.nodes > _MAX_NODES or self.depth > _MAX_DEPTH:
            raise _TooLarge
        try:
            return _VISITORS.get(type(node), _Checker._refuse)(self, node)
        except NoSuchPart as problem:
            self._note(str(problem))
            return None
        finally:
            self.depth -= 1

    def _note(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)

    def _visit_all(self, several: Iterable[nodes.Node]) -> None:
        for node in several:
            self.visit(node)

    def _refuse(self, node: nodes.Node) -> None:
        name = type(node).__name__
        self._note(_REFUSED.get(name, f"{name.lower()} is not available in templates"))

    def _parts(self, node: nodes.Node) -> None:
        self._visit_all(node.iter_child_nodes())

    def _const(self, node: nodes.Const) -> None:
        if isinstance(node.value, int | float) and not abs(node.value) <= _MAX_INTEGER:
            self._note(f"the number is larger than {_MAX_INTEGER:,}")

    def _name(self, node: nodes.Name) -> Shape | None:
        if node.name not in self.names:
            known = ", ".join(sorted(self.names)) or "none"
            reason = f"unknown name {node.name!r}{suggestion(node.name, self.names)}; known are {known}"
            self._note(reason + (f" ({self.scope.reserved})" if self.scope.reserved else ""))
        return self.names.get(node.name)

    def _getattr(self, node: nodes.Getattr) -> Shape | None:
        target = node.node
        shape = self.visit(target)
        if isinstance(target, nodes.Name) and target.name in self.scope.each and node.attr in NEIGHBOURS:
            return shape
        return self._field(shape, node.attr)

    def _field(self, shape: Shape | None, name: str) -> Shape | None:
        if name.startswith("_"):
            raise NoSuchPart(f"{name!r}: names that begin with an underscore are not available")
        return field_shape(shape, name)

    def _getitem(self, node: nodes.Getitem) -> Shape | None:
        shape = self.visit(node.node)
        self.visit(node.arg)
        if isinstance(node.arg, nodes.Slice):
            return shape
        key = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(key, str):
            return self._field(shape, key)
        return item_shape(shape) if isinstance(key, int) else None

    def _compare(self, node: nodes.Compare) -> None:
        if len(node.ops) > 1 and any(operand.op in {"in", "notin"} for operand in node.ops):
            self._note("'in' cannot be chained with another comparison; put it in brackets")
        self._parts(node)

    def _test(self, node: nodes.Test) -> None:
        self._parts(node)
        self._bind("test", node.name, TESTS, node)

    def _filter(self, node: nodes.Filter) -> Shape | None:
        shape = self.visit(cast(nodes.Expr, node.node))  # None only in {% filter %}, which is refused whole
        self._visit_all([*node.args, *node.kwargs])
        self._bind("filter", node.name, FILTERS, node)
        return _FILTER_SHAPES.get(node.name, _unknown)(self, node, shape)

    def _bind(self, kind: str, name: str, known: Mapping[str, Callable[..., Any]], node: Any) -> None:
        if name not in known:
            raise NoSuchPart(
                f"unknown {kind} {name!r}{suggestion(name, known)}; known are {', '.join(sorted(known))}"
            )
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            raise NoSuchPart("* and ** are not available in arguments")
        _check_arguments(f"{kind} {name!r}", known[name], node.args, node.kwargs)

    def _for(self, node: nodes.For) -> None:
        if not isinstance(node.target, nodes.Name) or node.recursive:
            raise NoSuchPart("a loop has one name, as in {% for item in list %}")
        name = node.target.name
        if name in self.names or name.startswith("_"):
            raise NoSuchPart(f"the loop's name {name!r} is taken; choose another")
        if self.loops >= _MAX_LOOPS:
            raise NoSuchPart(f"loops stand at most {_MAX_LOOPS} deep")
        item = {name: item_shape(self.visit(node.iter))}
        outer = self.names
        # The condition is asked before the loop counts: Jinja2 has no loop there.
        self.names = {key: shape for key, shape in (outer | item).items() if key != "loop"}
        self._visit_all([node.test] if node.test else [])
        self.names = {**outer, **item, "loop": _LOOP}
        self.loops += 1
        self._visit_all(node.body)
        self.loops -= 1
        self.names = outer
        self._visit_all(node.else_)

    def item_fields(self, shape: Shape | None, path: nodes.Expr) -> Shape | None:
        """The shape behind ``attribute='a.b'`` for every item of a list."""
        shape = item_shape(shape)
        if not isinstance(path, nodes.Const) or not isinstance(path.value, str):
            raise NoSuchPart("the attribute's name must be a text in quotes")
        for part in path.value.split("."):
            shape = item_shape(shape) if part.isdigit() else self._field(shape, part)
        return shape


def _unknown(_checker: _Checker, _node: nodes.Filter, _shape: Shape | None) -> None:
    return None


def _same(_checker: _Checker, _node: nodes.Filter, shape: Shape | None) -> Shape | None:
    return shape


def _one_item(_checker: _Checker, _node: nodes.Filter, shape: Shape | None) -> Shape | None:
    return item_shape(shape)


def _selected(checker: _Checker, node: nodes.Filter, shape: Shape | None) -> Shape | None:
    checker.item_fields(shape, node.args[0])
    _check_named(node.args[1:], TESTS)
    return shape


def _filtered(_checker: _Checker, node: nodes.Filter, shape: Shape | None) -> Shape | None:
    _check_named(node.args, TESTS)
    return shape


def _mapped(checker: _Checker, node: nodes.Filter, shape: Shape | None) -> Shape | None:
    attributes = [pair.value for pair in node.kwargs if pair.key == "attribute"]
    if len(attributes) + len(node.args) != 1:
        raise NoSuchPart("map needs either attribute='…' or the name of one filter")
    if not attributes:
        _check_named(node.args, FILTERS)
        return None
    part = checker.item_fields(shape, attributes[0])
    if part is None:
        return None
    found = {"type": "array", "items": part.written}
    return Shape(found, part.document, found)


def _check_named(arguments: list[nodes.Expr], known: Mapping[str, Callable[..., Any]]) -> None:
    """The test of ``select('eq', 5)`` or the filter of ``map('lower')``, with what it is given."""
    if not arguments:
        return
    name = str(arguments[0].value) if isinstance(arguments[0], nodes.Const) else ""
    if name not in known:
        raise NoSuchPart(f"{name!r} is none of {', '.join(sorted(known))}")
    _check_arguments(name, known[name], arguments[1:])


def _check_arguments(
    what: str, callee: Callable[..., Any], positional: list[nodes.Expr], named: Iterable[nodes.Keyword] = ()
) -> None:
    """A wrong number of arguments would otherwise be found out by the first team."""
    try:
        inspect.signature(callee).bind(None, *positional, **{pair.key: pair for pair in named})
    except TypeError as error:
        raise NoSuchPart(f"{what}: {error}") from error


_FILTER_SHAPES: dict[str, Callable[[_Checker, nodes.Filter, Shape | None], Shape | None]] = {
    **dict.fromkeys(("list", "sort", "unique"), _same),
    **dict.fromkeys(("first", "last", "max", "min"), _one_item),
    **dict.fromkeys(("selectattr", "rejectattr"), _selected),
    **dict.fromkeys(("select", "reject"), _filtered),
    "map": _mapped,
}
_PASSED_THROUGH = (
    *(nodes.Template, nodes.Output, nodes.Slice, nodes.Operand, nodes.Keyword, nodes.If),
    *(nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.List, nodes.Tuple),
    *(nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Neg, nodes.Pos),
)
_VISITORS: dict[type[nodes.Node], Callable[[_Checker, Any], Shape | None]] = {
    **dict.fromkeys(_PASSED_THROUGH, _Checker._parts),
    nodes.TemplateData: _Checker._parts,
    nodes.Const: _Checker._const,
    nodes.Name: _Checker._name,
    nodes.Getattr: _Checker._getattr,
    nodes.Getitem: _Checker._getitem,
    nodes.Compare: _Checker._compare,
    nodes.Test: _Checker._test,
    nodes.Filter: _Checker._filter,
    nodes.For: _Checker._for,
}
