"""Why an expression does not hold: the part that decided it, in the author's words, with the values it had."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain, pairwise, takewhile
from typing import Any, cast

from jinja2 import nodes

from judging.rubric.templates import evaluate, parse_expression, parse_template
from judging.rubric.values import AuthorMistake, Mismatch, Missing, text_of

__all__ = ["cause", "hole", "named_values", "shown_value", "written"]

MAX_VALUE = 200  # characters of one value that is shown
MAX_CAUSE = 1_000  # characters of a whole cause

Evaluate = Callable[[nodes.Expr], Any]

_SIGNS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "lteq": "<=",
    "gt": ">",
    "gteq": ">=",
    "in": "in",
    "notin": "not in",
}
_WORDS: dict[Any, str] = {None: "none", True: "true", False: "false"}


# ------------------------------------------------------------------ what decided
def cause(source: str, values: Mapping[str, Any], loop_names: Iterable[str] = ()) -> str:
    """The parts of an expression that make it false, with their values; at most :data:`MAX_CAUSE` characters.

    The expression has been evaluated over the same values and is false.
    """
    names = frozenset(loop_names)

    def value_of(part: nodes.Expr) -> Any:
        return evaluate(written(part), values, names)

    text = "; ".join(_told(_parsed(source), True, value_of))
    return text if len(text) <= MAX_CAUSE else text[:MAX_CAUSE] + "…"


@lru_cache(maxsize=4096)
def _parsed(source: str) -> nodes.Expr:
    return parse_expression(source)


def _told(part: nodes.Expr, wanted: bool, value_of: Evaluate) -> Iterator[str]:
    """One sentence for each part because of which ``part`` is not what was ``wanted``.

    Only what evaluating the whole has evaluated is evaluated again, so nothing can be amiss with it.
    """
    if isinstance(part, nodes.Not):
        yield from _told(part.node, not wanted, value_of)
    elif isinstance(part, nodes.And | nodes.Or):
        yield from _told_of_both(part, wanted, value_of)
    elif isinstance(part, nodes.CondExpr) and (branch := part.expr1 if value_of(part.test) else part.expr2):
        yield from _told(branch, wanted, value_of)
    else:
        yield f"{written(part)} {'does not hold' if wanted else 'holds and must not'}: {_values(part, value_of)}"


def _told_of_both(part: nodes.And | nodes.Or, wanted: bool, value_of: Evaluate) -> Iterator[str]:
    """Both sides where both had to be otherwise; else the first side that was not as wanted."""
    if isinstance(part, nodes.Or) is wanted:
        yield from _told(part.left, wanted, value_of)
        yield from _told(part.right, wanted, value_of)
    else:
        decisive = part.left if bool(value_of(part.left)) is not wanted else part.right
        yield from _told(decisive, wanted, value_of)


def _values(part: nodes.Expr, value_of: Evaluate) -> str:
    if isinstance(part, nodes.Compare):
        left, right = _decisive_pair(part, value_of)
        return f"left is {shown_value(value_of(left))}, right is {shown_value(value_of(right))}"
    if isinstance(part, nodes.Test):
        return f"{written(part.node)} is {shown_value(value_of(part.node))}"
    return f"it is {shown_value(value_of(part))}"


def _decisive_pair(part: nodes.Compare, value_of: Evaluate) -> tuple[nodes.Expr, nodes.Expr]:
    """The two sides of a comparison; of a chain ``a < b < c`` the first pair that does not hold, or the last."""
    sides = [part.expr, *(operand.expr for operand in part.ops)]
    *before, last = zip(pairwise(sides), part.ops, strict=True)
    for (left, right), operand in before:
        if not value_of(nodes.Compare(left, [nodes.Operand(operand.op, right)])):
            return left, right
    return last[0]


def hole(source: str, values: Mapping[str, Any], loop_names: Iterable[str] = ()) -> str:
    """Which value a template that could not be filled lacks, as `` (a.name)``; nothing where that is not plain.

    Looks as far as the first part that is filled in under a condition.
    """
    names = frozenset(loop_names)
    try:
        for part in _filled_in(source):
            if not text_of(evaluate(written(part), values, names)).strip():
                return f" ({written(part)})"
    except Mismatch:  # not a hole: the value is of another kind than the template needs
        return ""
    return ""


def _filled_in(source: str) -> Iterator[nodes.Expr]:
    outputs = takewhile(lambda part: isinstance(part, nodes.Output), parse_template(source).body)
    for part in chain.from_iterable(output.iter_child_nodes() for output in outputs):
        if isinstance(part, nodes.Expr) and not isinstance(part, nodes.TemplateData):
            yield part


def shown_value(value: Any) -> str:
    """A value as JSON on one line, without characters that cannot be seen; cut after :data:`MAX_VALUE`."""
    if isinstance(value, Missing) or value is None:
        return "missing"
    known = value[: MAX_VALUE + 1] if isinstance(value, str) else value  # a whole answer has megabytes
    text = json.dumps(known, ensure_ascii=False, default=_as_json)
    cut = text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "…"
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in cut)


def _as_json(value: Any) -> Any:
    """What a list may hold besides JSON: :class:`Missing` items."""
    return None if isinstance(value, Missing) else str(value)


# ------------------------------------------------------------------ what was looked at
def named_values(
    source: str, roots: Iterable[str], values: Mapping[str, Any], loop_names: Iterable[str] = ()
) -> Iterator[Any]:
    """The values of the longest paths (``a.b[0]``) in an expression that begin with one of ``roots``.

    A path that the data does not fit has none.
    """
    wanted, names = frozenset(roots), frozenset(loop_names)
    for path in _paths(_parsed(source)):
        if _root(path) in wanted:
            with suppress(Mismatch, AuthorMistake):
                yield evaluate(written(path), values, names)


def _paths(part: nodes.Node) -> Iterator[nodes.Expr]:
    if isinstance(part, nodes.Name) or (isinstance(part, nodes.Getattr | nodes.Getitem) and _root(part)):
        yield part
        return
    for inner in part.iter_child_nodes():
        yield from _paths(inner)


def _root(path: nodes.Node) -> str:
    """The name a path begins with; empty for what is no path."""
    while isinstance(path, nodes.Getattr | nodes.Getitem):
        path = path.node
    return path.name if isinstance(path, nodes.Name) else ""


# ------------------------------------------------------------------ expressions as text
def written(part: nodes.Expr) -> str:
    """A part of a checked expression as an author writes it; parsed again it means the same."""
    return _WRITERS[type(part)](part)


def _level(part: nodes.Node) -> int:
    """How tightly the parts of an expression hold together; names, values and lists most of all."""
    return next((level for level, kinds in enumerate(_LEVELS) if isinstance(part, kinds)), len(_LEVELS))


def _beside(part: nodes.Expr, level: int) -> str:
    """``part`` as text, in brackets if what stands beside it could take a piece of it."""
    text = written(part)
    return text if _level(part) >= level else f"({text})"


def _whole(part: nodes.Expr) -> str:
    return _beside(part, len(_LEVELS))


def _const(part: nodes.Const) -> str:
    value = part.value
    return _WORDS[value] if value is None or isinstance(value, bool) else repr(value)


def _slice(part: nodes.Slice) -> str:
    bounds = [written(bound) if bound else "" for bound in (part.start, part.stop, part.step)]
    return ":".join(bounds if part.step else bounds[:2])


def _compare(part: nodes.Compare) -> str:
    above = _level(part) + 1
    sides = (f"{_SIGNS[operand.op]} {_beside(operand.expr, above)}" for operand in part.ops)
    return " ".join([_beside(part.expr, above), *sides])


def _filter(part: nodes.Filter) -> str:
    return f"{_beside(cast(nodes.Expr, part.node), _FILTERED)} | {part.name}{_arguments(part)}"


def _test(part: nodes.Test, sign: str = "is") -> str:
    return f"{_beside(part.node, _FILTERED)} {sign} {part.name}{_arguments(part)}"


def _arguments(part: nodes.Filter | nodes.Test) -> str:
    given = [*map(written, part.args), *(f"{pair.key}={written(pair.value)}" for pair in part.kwargs)]
    return f"({', '.join(given)})" if given else ""


def _not(part: nodes.Not) -> str:
    if isinstance(part.node, nodes.Test):
        return _test(part.node, "is not")
    return f"not {_beside(part.node, _level(part))}"


def _choice(part: nodes.CondExpr) -> str:
    otherwise = f" else {_whole(part.expr2)}" if part.expr2 else ""
    return f"{_whole(part.expr1)} if {_whole(part.test)}{otherwise}"


def _items(part: nodes.List | nodes.Tuple) -> str:
    return ", ".join(map(written, part.items))


def _two(part: nodes.BinExpr) -> str:
    level = _level(part)
    return f"{_beside(part.left, level)} {_TWO[type(part)]} {_beside(part.right, level + 1)}"


_TWO: dict[type[nodes.Node], str] = {
    **{nodes.Or: "or", nodes.And: "and", nodes.Add: "+", nodes.Sub: "-"},
    **{nodes.Mul: "*", nodes.Div: "/", nodes.FloorDiv: "//", nodes.Mod: "%"},
}
_LEVELS: tuple[tuple[type[nodes.Node], ...], ...] = (
    (nodes.CondExpr,),
    (nodes.Or,),
    (nodes.And,),
    (nodes.Not,),
    (nodes.Compare, nodes.Test),
    (nodes.Add, nodes.Sub),
    (nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod),
    (nodes.Neg, nodes.Pos),
    (nodes.Filter,),
)
_FILTERED = len(_LEVELS) - 1
_WRITERS: dict[type[nodes.Node], Callable[[Any], str]] = {
    **dict.fromkeys(_TWO, _two),
    nodes.Name: lambda part: part.name,
    nodes.Const: _const,
    nodes.Getattr: lambda part: f"{_whole(part.node)}.{part.attr}",
    nodes.Getitem: lambda part: f"{_whole(part.node)}[{written(part.arg)}]",
    nodes.Slice: _slice,
    nodes.Compare: _compare,
    nodes.Filter: _filter,
    nodes.Test: _test,
    nodes.CondExpr: _choice,
    nodes.List: lambda part: f"[{_items(part)}]",
    nodes.Tuple: lambda part: f"({_items(part)}{',' if len(part.items) == 1 else ''})",
    nodes.Not: _not,
    nodes.Neg: lambda part: f"-{_whole(part.node)}",
    nodes.Pos: lambda part: f"+{_whole(part.node)}",
}
