"""Plain text into the JSON value a schema wants; what does not fit gives nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from judging.judges.lexical.quantities import Date, Quantity, quantities
from judging.judges.lexical.vocabulary import word_list
from judging.judges.lexical.words import fold, plain

__all__ = ["MISSING", "typed_value", "written_number"]

MISSING = object()
MAX_VALUE = 400  # characters of a string value
_YES = frozenset(word_list("yes true y ja oui si available included given ✓ ✔ ✅ ☑ 是 有 はい"))
_NO = frozenset(word_list("no false n nein non none not unavailable excluded ✗ ✘ ❌ ✖ 否 无 無 いいえ"))
_WORD = re.compile(r"[✓✔✅☑✗✘❌✖]|\w+")


def written_number(quantity: Quantity) -> float | None:
    """The number as it was written: in its own unit; a year is a number, a longer date is none."""
    if isinstance(quantity, Date):
        bare = quantity.month is None and quantity.day is None and quantity.year is not None
        return float(quantity.year or 0) if bare else None
    if quantity.unit in ("version", "time"):
        return None
    value = quantity.value / quantity.factor
    return round(value, 9) if math.isfinite(value) else None


def _number(text: str) -> Any:
    number = next((n for n in map(written_number, quantities(plain(text))) if n is not None), None)
    if number is None:
        return MISSING
    return int(number) if number.is_integer() else number  # "1280", not "1280.0", where a template shows it


def _integer(text: str) -> Any:
    number = _number(text)
    return number if isinstance(number, int) else MISSING


def _boolean(text: str) -> Any:
    match = _WORD.search(text)
    word = fold(match.group()) or match.group() if match else ""
    return True if word in _YES else False if word in _NO else MISSING


def _date(text: str) -> Any:
    for quantity in quantities(plain(text)):
        if isinstance(quantity, Date) and None not in (quantity.year, quantity.month, quantity.day):
            return f"{quantity.year:04d}-{quantity.month:02d}-{quantity.day:02d}"
    return MISSING


def _choice(text: str, options: list[Any]) -> Any:
    here = f" {fold(text)} "
    fitting = [o for o in options if isinstance(o, str) and fold(o) and f" {fold(o)} " in here]
    return max(fitting, key=len, default=MISSING)


def _string(text: str, schema: Mapping[str, Any]) -> Any:
    options = schema.get("enum")
    if isinstance(options, list):
        return _choice(text, options)
    if schema.get("format") == "date":
        return _date(text)
    return text[:MAX_VALUE].strip() or MISSING


def typed_value(text: str, kind: str, schema: Mapping[str, Any]) -> Any:
    """The value of a JSON type that a piece of plain text states, ``MISSING`` if it states none."""
    if kind == "string":
        return _string(text, schema)
    reader = {"number": _number, "integer": _integer, "boolean": _boolean}.get(kind)
    return reader(text) if reader else MISSING
