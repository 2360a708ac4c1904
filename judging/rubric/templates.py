"""Templates and expressions of rubrics: Jinja2's sandbox, with nothing but data within reach.

Three walls stand one behind the other. A template is parsed and every node of it checked against a short
list before it may run (:mod:`judging.rubric.names`): no calls, no assignments, no includes, no ``**``. What
runs sees plain JSON through :mod:`judging.rubric.values`, so that no attribute of a Python object can be
named. And it runs in Jinja2's immutable sandbox. Text that comes from an answer is a value; it is never
parsed, whatever braces it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, TemplateError, nodes
from jinja2.environment import Template, TemplateExpression
from jinja2.parser import Parser
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from judging.rubric.filters import FILTERS, TESTS, contained, first_items, number_of, sliced
from judging.rubric.values import Mismatch, Missing, entry_of, field_of, text_of

__all__ = [
    "LOOP_FIELDS",
    "NEIGHBOURS",
    "constant",
    "evaluate",
    "neighbour",
    "parse_expression",
    "parse_template",
    "render",
]

LOOP_FIELDS = ("index", "index0", "first", "last", "length")
NEIGHBOURS = ("previous", "next")

_MAX_TEXT = 100_000  # characters two texts may have together when `+` joins them
_MAX_LIST = 10_000
_MAX_NUMBER = 10**18
_INTERNAL = {"_first_items": first_items, "_contained": contained, "_sliced": sliced}
_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%"})


def neighbour(which: str, loop_name: str) -> str:
    """The variable behind ``a.previous`` and ``a.next``; authors cannot write names like it."""
    return f"_{which}_{loop_name}"


class _RubricEnvironment(ImmutableSandboxedEnvironment):
    """Jinja2's sandbox without globals, with our filters, and with fields instead of attributes."""

    intercepted_binops = _OPERATORS
    intercepted_unops = frozenset({"+", "-"})

    def __init__(self, finalize: Callable[[Any], str]) -> None:
        super().__init__(undefined=StrictUndefined, finalize=finalize, cache_size=0)
        self.globals.clear()
        self.filters = {**FILTERS, **_INTERNAL}
        self.tests = dict(TESTS)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, LoopContext):
            return getattr(obj, attribute) if attribute in LOOP_FIELDS else Missing()
        return field_of(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        return entry_of(obj, argument)

    def is_safe_callable(self, obj: Any) -> bool:
        return False

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, Missing) or isinstance(right, Missing):
            return Missing()
        if operator == "+" and isinstance(left, str | list):
            return _joined(left, right)
        return _bounded(super().call_binop(context, operator, number_of(left), number_of(right)))

    def call_unop(self, context: Any, operator: str, arg: Any) -> Any:
        return arg if isinstance(arg, Missing) else super().call_unop(context, operator, number_of(arg))


def _bounded(number: Any) -> Any:
    if not abs(number) <= _MAX_NUMBER:
        raise Mismatch("the result is too large")
    return number


def _joined(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return _fitting(left, right, _MAX_TEXT) + right
    if isinstance(left, list) and isinstance(right, list):
        return _fitting(left, right, _MAX_LIST) + right
    raise Mismatch(f"+ joins two texts, lists or numbers, not {text_of(left)!r} and {text_of(right)!r}")


def _fitting(left: Any, right: Any, longest: int) -> Any:
    if len(left) + len(right) > longest:
        raise Mismatch("the result is too long")
    return left


def text_that_is_there(value: Any) -> str:
    """As :func:`text_of`, for statements: one with a hole in it says something else, or nothing.

    :raises Mismatch: the value is missing or empty.
    """
    text = text_of(value)
    if not text.strip():
        raise Mismatch("a value that it names is missing")
    return text


_ENVIRONMENT = _RubricEnvironment(text_of)
_WITHOUT_HOLES = _RubricEnvironment(text_that_is_there)


def parse_template(source: str) -> nodes.Template:
    """The syntax tree of text with ``{{ … }}`` in it.

    :raises jinja2.TemplateSyntaxError: with the line.
    :raises RecursionError: for absurd nesting.
    """
    return _ENVIRONMENT.parse(source)


def parse_expression(source: str) -> nodes.Expr:
    """The syntax tree of one expression.

    :raises jinja2.TemplateSyntaxError: with the line.
    :raises RecursionError: for absurd nesting.
    """
    parser = Parser(_ENVIRONMENT, source, state="variable")
    expression = parser.parse_expression()
    if not parser.stream.eos:
        parser.fail(
            f"unexpected {parser.stream.current.value!r} after the expression", parser.stream.current.lineno
        )
    return expression


class _Rewriter(NodeTransformer):
    """Puts our own meaning where Jinja2 compiles straight to Python's."""

    def __init__(self, loop_names: Iterable[str]) -> None:
        self.loop_names = frozenset(loop_names)

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Node:  # noqa: N802  # Jinja2's visitors name their methods so
        target = node.node
        if isinstance(target, nodes.Name) and target.name in self.loop_names and node.attr in NEIGHBOURS:
            return nodes.Name(neighbour(node.attr, target.name), "load", lineno=node.lineno)
        return self.generic_visit(node)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802  # as above
        self.generic_visit(node)
        if not isinstance(node.arg, nodes.Slice):
            return node
        bounds = [part or nodes.Const(None) for part in (node.arg.start, node.arg.stop, node.arg.step)]
        return nodes.Filter(node.node, "_sliced", bounds, [], None, None, lineno=node.lineno)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802  # as above
        self.generic_visit(node)
        first = node.ops[0]
        if first.op not in {"in", "notin"}:
            return node
        found = nodes.Filter(node.expr, "_contained", [first.expr], [], None, None, lineno=node.lineno)
        return found if first.op == "in" else nodes.Not(found, lineno=node.lineno)

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:  # noqa: N802  # as above
        self.generic_visit(node)
        if node.expr2 is None:
            node.expr2 = nodes.Const(None, lineno=node.lineno)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802  # as above
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, "_first_items", [], [], None, None, lineno=node.lineno)
        return node


def _rewritten(
    tree: nodes.Template, loop_names: frozenset[str], environment: _RubricEnvironment
) -> nodes.Template:
    _Rewriter(loop_names).visit(tree)
    tree.set_environment(environment)
    return tree


@lru_cache(maxsize=4096)
def _template(source: str, loop_names: frozenset[str], whole: bool) -> Template:
    environment = _WITHOUT_HOLES if whole else _ENVIRONMENT
    return environment.from_string(_rewritten(parse_template(source), loop_names, environment))


@lru_cache(maxsize=4096)
def _expression(source: str, loop_names: frozenset[str]) -> TemplateExpression:
    return _compiled(parse_expression(source), loop_names)


def _compiled(tree: nodes.Node, loop_names: frozenset[str]) -> TemplateExpression:
    # What Environment.compile_expression does, with the rewriting in between.
    assign = nodes.Assign(nodes.Name("result", "store"), tree, lineno=1)
    template = _ENVIRONMENT.from_string(
        _rewritten(nodes.Template([assign], lineno=1), loop_names, _ENVIRONMENT)
    )
    return TemplateExpression(template, undefined_to_none=False)


def render(
    source: str, values: Mapping[str, Any], loop_names: Iterable[str] = (), *, whole: bool = False
) -> str:
    """Fill in a template that passed :func:`judging.rubric.names.check_template`.

    ``whole``: refuse to leave a hole where a value is missing or empty.

    :raises Mismatch: where the data does not fit the template.
    :raises AuthorMistake: where the rubric's own truth lacks what the template asks for.
    """
    try:
        return _template(source, frozenset(loop_names), whole).render(values).strip()
    except (TypeError, ValueError, ArithmeticError, LookupError, TemplateError) as error:
        raise Mismatch(str(error)) from error


def evaluate(source: str, values: Mapping[str, Any], loop_names: Iterable[str] = ()) -> Any:
    """The value of an expression that passed :func:`judging.rubric.names.check_expression`.

    :raises Mismatch: where the data does not fit the expression.
    :raises AuthorMistake: where the rubric's own truth lacks what the expression asks for.
    """
    return _value(_expression(source, frozenset(loop_names)), values)


def constant(tree: nodes.Node) -> Any:
    """The value of a part of a checked expression that names nothing.

    :raises Mismatch: it has none.
    """
    return _value(_compiled(deepcopy(tree), frozenset()), {})


def _value(expression: TemplateExpression, values: Mapping[str, Any]) -> Any:
    try:
        return expression(values)
    except (TypeError, ValueError, ArithmeticError, LookupError, TemplateError) as error:
        raise Mismatch(str(error)) from error
