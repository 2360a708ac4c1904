"""JSON read strictly: what most parsers let pass is found and named with its place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import NamedTuple


class Fault(NamedTuple):
    """What is wrong, and where: a path of JSON names, or ``tree:`` and a path of node ids."""

    path: str
    reason: str


class _Odd(NamedTuple):
    """Stands in a parsed document for a value that must be refused, until its place is known."""

    reason: str


def parse(raw: bytes) -> tuple[object, list[Fault]]:
    """A JSON document and all that is wrong with it; with faults, the document must not be used.

    Refused are text that is not UTF-8 or not JSON, NaN and infinities (1e999 too), a key given twice in one
    object, and nesting that the parser cannot follow.
    """
    try:
        document: object = json.loads(
            raw.decode("utf-8"),
            parse_constant=lambda name: _Odd(f"{name} is no number of JSON"),
            parse_float=_float,
            parse_int=_int,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as error:
        return None, [Fault("", f"is not UTF-8 at byte {error.start + 1}")]
    except json.JSONDecodeError as error:
        return None, [Fault("", f"is not JSON: {error.msg} at character {error.pos + 1}")]
    except RecursionError:
        return None, [Fault("", "is nested too deeply")]
    return document, list(_faults(document))


def below(path: str, name: str) -> str:
    """The path of a member of an object."""
    return f"{path}.{name}" if path else name


def _float(text: str) -> float | _Odd:
    number = float(text)
    return number if isfinite(number) else _Odd(f"{text[:20]} is too large")


def _int(text: str) -> int | _Odd:
    # Python refuses to read longer ones, and no count or constant of ours needs them.
    return int(text) if len(text) <= 300 else _Odd(f"{text[:20]}… is too large")


def _object(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    read: dict[str, object] = {}
    for key, value in pairs:
        read[key] = _Odd("is given twice") if key in read else value
    return read


def _faults(document: object) -> Iterator[Fault]:
    stack = [("", document)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, _Odd):
            yield Fault(path, value.reason)
        elif isinstance(value, dict):
            stack += [(below(path, key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            stack += [(f"{path}[{index}]", item) for index, item in reversed(list(enumerate(value)))]
