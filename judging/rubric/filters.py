"""Filters and tests of templates and expressions: few, without side effects, bounded.

They replace Jinja2's own, which raise or guess where data is missing, hand out iterators that have no
length, and can blow text up (``replace``, ``center``, ``indent``). All of them pass :class:`Missing` on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from judging.rubric.values import Mismatch, Missing, entry_of, items_of, text_of

__all__ = ["FILTERS", "MAX_ITEMS", "TESTS", "contained", "first_items", "number_of", "sliced"]

MAX_ITEMS = 50  # items a {% for %} goes through

_SPELT_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?", re.ASCII)


def _length(value: Any) -> int:
    if isinstance(value, str | dict):
        return len(value)
    return len(items_of(value))


def _on_text(change: Callable[[str], Any]) -> Callable[[Any], Any]:
    def filtered(value: Any) -> Any:
        if isinstance(value, Missing):
            return value
        if not isinstance(value, str):
            raise Mismatch(f"a text is needed, this is {text_of(value)!r}")
        return change(value)

    return filtered


def _host(url: str) -> Any:
    """The host of a URL in lower case without a leading ``www.``."""
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        return Missing()
    return host.rstrip(".").removeprefix("www.") or Missing()


def _number(value: Any) -> int | float | None:
    """The number a value is or spells (``1,234.5``), None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        value = _spelt_number(value)
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def _spelt_number(text: str) -> float | None:
    return float(text.replace(",", "")) if _SPELT_NUMBER.fullmatch(text.strip()) else None


def _int(value: Any) -> int | Missing:
    number = _number(value)
    return Missing() if number is None else int(number)


def _float(value: Any) -> float | Missing:
    number = _number(value)
    return Missing() if number is None else float(number)


def number_of(value: Any) -> int | float:
    """The value, which is a number; text that spells one is none.

    :raises Mismatch: for anything else.
    """
    number = None if isinstance(value, str) else _number(value)
    if number is None:
        raise Mismatch(f"a number is needed, this is {text_of(value)!r}; the filters int and float read text")
    return number


def _round(value: Any, digits: int = 0) -> Any:
    return value if isinstance(value, Missing) else round(number_of(value), digits)


def _abs(value: Any) -> Any:
    return value if isinstance(value, Missing) else abs(number_of(value))


def _default(value: Any, fallback: Any = "") -> Any:
    return fallback if isinstance(value, Missing) or value is None else value


def _join(value: Any, separator: str = "") -> str:
    return str(separator).join(text_of(item) for item in items_of(value))


def _first(value: Any) -> Any:
    return entry_of(items_of(value), 0)


def _last(value: Any) -> Any:
    return entry_of(items_of(value), -1)


def _present(value: Any) -> list[Any]:
    return [item for item in items_of(value) if not isinstance(item, Missing)]


def _unique(value: Any) -> list[Any]:
    # Told apart by their JSON: a mapping is no key of a set, and 1 and true are different.
    first: dict[str, Any] = {}
    for item in _present(value):
        first.setdefault(json.dumps(item, sort_keys=True), item)
    return list(first.values())


def _sort(value: Any) -> list[Any]:
    return sorted(_present(value))


def _sum(value: Any) -> int | float:
    return sum(number_of(item) for item in _present(value))


def _min(value: Any) -> Any:
    return min(_present(value), default=Missing())


def _max(value: Any) -> Any:
    return max(_present(value), default=Missing())


def _map(value: Any, filter_name: str | None = None, *, attribute: str | None = None) -> list[Any]:
    """``map(attribute='name')`` or ``map('lower')``."""
    if attribute is not None:
        return [_dotted(item, attribute) for item in items_of(value)]
    return [FILTERS[str(filter_name)](item) for item in items_of(value)]


def _dotted(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = entry_of(value, int(part) if part.isdigit() else part)
    return value


def _holds(value: Any, test: str | None, arguments: tuple[Any, ...]) -> bool:
    return bool(value) if test is None else bool(TESTS[test](value, *arguments))


def _select(value: Any, test: str | None = None, *arguments: Any) -> list[Any]:
    return [item for item in items_of(value) if _holds(item, test, arguments)]


def _reject(value: Any, test: str | None = None, *arguments: Any) -> list[Any]:
    return [item for item in items_of(value) if not _holds(item, test, arguments)]


def _selectattr(value: Any, attribute: str, test: str | None = None, *arguments: Any) -> list[Any]:
    return [item for item in items_of(value) if _holds(_dotted(item, attribute), test, arguments)]


def _rejectattr(value: Any, attribute: str, test: str | None = None, *arguments: Any) -> list[Any]:
    return [item for item in items_of(value) if not _holds(_dotted(item, attribute), test, arguments)]


FILTERS: dict[str, Callable[..., Any]] = {
    "abs": _abs,
    "count": _length,
    "default": _default,
    "first": _first,
    "float": _float,
    "host": _on_text(_host),
    "int": _int,
    "join": _join,
    "last": _last,
    "length": _length,
    "list": items_of,
    "lower": _on_text(str.lower),
    "map": _map,
    "max": _max,
    "min": _min,
    "reject": _reject,
    "rejectattr": _rejectattr,
    "round": _round,
    "select": _select,
    "selectattr": _selectattr,
    "sort": _sort,
    "string": text_of,
    "sum": _sum,
    "trim": _on_text(str.strip),
    "unique": _unique,
    "upper": _on_text(str.upper),
}


def first_items(value: Any) -> list[Any]:
    """What a ``{% for %}`` goes through."""
    return items_of(value)[:MAX_ITEMS]


def sliced(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """``value[start:stop:step]`` of a text or a list."""
    if isinstance(value, Missing):
        return value
    return (value if isinstance(value, str) else items_of(value))[start:stop:step]


def contained(value: Any, container: Any) -> bool:
    """``value in container``; false where either is missing, and for the empty text.

    :raises Mismatch: where the container is neither a list, a text nor a mapping.
    """
    if isinstance(value, Missing) or value is None or value == "":
        return False
    if isinstance(container, str):
        return (value if isinstance(value, str) else text_of(value)) in container
    if isinstance(container, dict):
        return value in container
    return any(item == value for item in items_of(container))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_missing(value: Any) -> bool:
    return value is None or isinstance(value, Missing)


def _equals(value: Any, other: Any) -> bool:
    return bool(value == other)


TESTS: dict[str, Callable[..., bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "defined": lambda value: not _is_missing(value),
    "eq": _equals,
    "equalto": _equals,
    "ge": lambda value, other: bool(value >= other),
    "gt": lambda value, other: bool(value > other),
    "in": contained,
    "le": lambda value, other: bool(value <= other),
    "list": lambda value: isinstance(value, list),
    "lt": lambda value, other: bool(value < other),
    "mapping": lambda value: isinstance(value, dict),
    "ne": lambda value, other: bool(value != other),
    "none": _is_missing,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "undefined": _is_missing,
}
