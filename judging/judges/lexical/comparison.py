"""Claims that compare two values of their own: "58 marks is at most 60 marks", "2018 is before 2020"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from judging.judges.lexical.facts import readable
from judging.judges.lexical.quantities import Date, Quantity, quantities

__all__ = ["comparison"]

_Order = Callable[[float, float], bool]
_RELATIONS: tuple[tuple[_Order, str], ...] = (
    (
        operator.le,
        r"at most|(?:no|not) (?:more|greater|higher|later|longer) than|not (?:above|over|after)|up to|within|<=|≤",
    ),
    (
        operator.ge,
        r"at least|(?:no|not) (?:less|fewer|lower|earlier|shorter) than|not (?:below|under|before)|>=|≥",
    ),
    (
        operator.lt,
        r"(?:less|fewer|lower|cheaper|smaller|shorter|earlier|younger|lighter) than|below|under|before|<",
    ),
    (
        operator.gt,
        r"(?:more|greater|higher|larger|bigger|longer|later|older|heavier) than|above|over|after|exceeds|>",
    ),
)
_CLAIM = re.compile(
    r"(?P<left>.{1,200}?)\s(?:is |are |was |were |lies |comes |costs |weighs )?(?:"
    + "|".join(rf"(?P<r{number}>{words})" for number, (_, words) in enumerate(_RELATIONS))
    + r")\s(?P<right>.{1,100})",
    re.IGNORECASE | re.DOTALL,
)
_BETWEEN = re.compile(
    r"(?P<left>.{1,200}?)\s(?:is|are|was|were|lies)\s(?:not )?between\s(?P<right>.{1,100})", re.I | re.DOTALL
)


def _size(quantity: Quantity) -> tuple[str, float]:
    if isinstance(quantity, Date):
        return "date", (quantity.year or 0) * 10_000.0 + (quantity.month or 0) * 100 + (quantity.day or 0)
    return quantity.unit, quantity.value


def _sizes(text: str) -> list[tuple[str, float]]:
    return [_size(q) for q in quantities(text)]


def _like(units: list[str]) -> bool:
    """Whether values may be compared: of one unit, or bare beside one."""
    named = {u for u in units if u}
    return len(named) <= 1 or named == {"date", ""}


def _ordered(claim: str) -> bool | None:
    match = _CLAIM.fullmatch(claim)
    if match is None:
        return None
    left, right = _sizes(match["left"]), _sizes(match["right"])
    if len(left) != 1 or len(right) != 1 or not _like([left[0][0], right[0][0]]):
        return None
    order = next(order for number, (order, _) in enumerate(_RELATIONS) if match[f"r{number}"])
    return order(left[0][1], right[0][1])


def _between(claim: str) -> bool | None:
    match = _BETWEEN.fullmatch(claim)
    if match is None:
        return None
    left, right = _sizes(match["left"]), _sizes(match["right"])
    if len(left) != 1 or len(right) != 2 or not _like([unit for unit, _ in (*left, *right)]):
        return None
    inside = min(right[0][1], right[1][1]) <= left[0][1] <= max(right[0][1], right[1][1])
    return inside != (" not between" in claim)


def comparison(claim: str) -> tuple[bool, str] | None:
    """Whether the comparison a claim makes holds, with the reason; None if it makes none that can be computed."""
    text = readable(claim).rstrip(". ")
    holds = _between(text)
    if holds is None:
        holds = _ordered(text)
    return None if holds is None else (holds, f"the two values {'are' if holds else 'are not'} in that order")
