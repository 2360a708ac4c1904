"""Plain text into the JSON value a schema wants; what does not fit gives nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from judging.judges.lexical.quantities import Date, Quantity, quantities
from judging.judges.lexical.vocabulary import word_list
from judging.judges.lexical.words import fold, plain

__all__ = ["MISSING", "fitted", "typed_value", "written_number"]

MISSING = object()
MAX_VALUE = 400  # characters of a string value
_YES = frozenset(word_list("yes true y ja oui si available included given ✓ ✔ ✅ ☑ 是 有 はい"))
_NO = frozenset(word_list("no false n nein non none not unavailable excluded ✗ ✘ ❌ ✖ 否 无 無 いいえ"))
_SIGN = re.compile(r"[✓✔✅☑✗✘❌✖]|\w+")
_NOTHING = re.compile(
    r"(?:\W*|n/?a|none|null|unknown|tbd|not (?:found|known|available|specified|stated|given|applicable|determined)"
    r"|(?:could not|cannot|can ?not|unable to) (?:be )?(?:find|found|determined?|verif\w{1,6}|identif\w{1,6}|established?)"
    r"|not (?:yet )?(?:publicly )?(?:available|disclosed)|未知|不详|無|无|不明)[.!]?",
    re.IGNORECASE,
)


def written_number(quantity: Quantity) -> float | None:
    """The number as it was written: in its own unit; a year is a number, a longer date is none."""
    if isinstance(quantity, Date):
        bare = quantity.month is None and quantity.day is None and quantity.year is not None
        return float(quantity.year or 0) if bare else None
    if quantity.unit in ("version", "time"):
        return None
    value = quantity.value / quantity.factor
    return round(value, 9) if math.isfinite(value) else None


def fitted(number: float, kind: str) -> Any:
    """A number as the schema's type: 1280 and not 1280.0, where a template may show it."""
    if number.is_integer():
        return int(number)
    return number if kind == "number" else MISSING


def _number(text: str, kind: str) -> Any:
    number = next((n for n in map(written_number, quantities(plain(text))) if n is not None), None)
    return MISSING if number is None else fitted(number, kind)


def _boolean(text: str) -> Any:
    match = _SIGN.search(text)
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
    short = text[:MAX_VALUE].strip()
    return MISSING if _NOTHING.fullmatch(short) else short


def typed_value(text: str, kind: str, schema: Mapping[str, Any]) -> Any:
    """The value of a JSON type that a piece of plain text states, ``MISSING`` if it states none."""
    if kind == "string":
        return _string(text, schema)
    if kind == "boolean":
        return _boolean(text)
    return _number(text, kind) if kind in ("number", "integer") else MISSING
