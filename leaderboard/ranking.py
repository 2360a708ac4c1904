"""What a metric declares, and the order that follows from shown values alone. Pure.

Order never depends on digits that nobody sees: equal shown values share a rank and stand by system name, then
public id. What has no value stands last, whichever way one sorts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")


class Direction(StrEnum):
    """Which end of a metric is the better one."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Unit(StrEnum):
    """What a value counts; a share is shown in per cent."""

    POINTS = "points"
    SHARE = "share"
    MINUTES = "minutes"
    USD = "usd"
    CHARACTERS = "characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One column of numbers: what it means, which end is better, how far it reaches, how finely it is shown.

    ``decimals`` are those of the stored value (a share of 3 decimals is shown as per cent with one).
    ``low`` and ``high`` are the ends of the scale, None where there is none. ``line`` is a value worth a
    mark on the scale, ``line_meaning`` says of what.
    """

    key: str
    label: str
    meaning: str
    direction: Direction
    decimals: int
    unit: Unit = Unit.SHARE
    low: float | None = 0.0
    high: float | None = 1.0
    primary: bool = False
    interval: str = ""
    line: float | None = None
    line_meaning: str = ""

    @classmethod
    def from_column(cls, column: Mapping[str, Any]) -> Metric:
        """The metric as a board stored it."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in column.items() if name in known}
        values["direction"], values["unit"] = Direction(values["direction"]), Unit(values["unit"])
        return cls(**values)

    def as_column(self) -> dict[str, Any]:
        """Plain JSON; :meth:`from_column` reads it back."""
        return {**asdict(self), "direction": str(self.direction), "unit": str(self.unit)}

    def shown(self, value: float | None) -> float | None:
        """The value as everybody sees it: rounded, and never minus zero."""
        return None if value is None else round(value, self.decimals) + 0.0

    def text(self, shown: float) -> str:
        """A shown value in words: fixed decimals, shares in per cent without the sign, thousands set apart."""
        factor, fewer = (100, 2) if self.unit is Unit.SHARE else (1, 0)
        return f"{shown * factor:,.{max(0, self.decimals - fewer)}f}"


class Tie(NamedTuple):
    """Where equal values stand: by system name, then by public id."""

    name: str
    public_id: str

    def key(self) -> tuple[str, str, str]:
        """Names compare without case; the rest only makes the order total."""
        return self.name.casefold(), self.name, self.public_id


def row_tie(row: Mapping[str, Any]) -> Tie:
    """Where a row of a board stands among equals."""
    return Tie(row["system"]["name"], row["system"]["id"])


def in_order(
    items: Iterable[Item],
    *,
    value: Callable[[Item], float | str | None],
    tie: Callable[[Item], Tie],
    descending: bool,
) -> list[Item]:
    """Items by value, those without one last in both directions, equal ones by name and public id."""
    by_name = sorted(items, key=lambda item: tie(item).key())
    known = [item for item in by_name if value(item) is not None]
    unknown = [item for item in by_name if value(item) is None]
    # ``reverse`` keeps equal items in the order in which they came: names ascend in both directions.
    return sorted(known, key=lambda item: _comparable(value(item)), reverse=descending) + unknown


def _comparable(value: float | str | None) -> tuple[float, str]:
    """One kind of key for numbers and texts; a column holds one of the two."""
    return (0.0, value.casefold()) if isinstance(value, str) else (value or 0.0, "")


def ranked(
    items: Iterable[Item],
    *,
    value: Callable[[Item], float | None],
    tie: Callable[[Item], Tie],
    direction: Direction,
) -> list[tuple[int | None, Item]]:
    """Items best first, each with its rank: 1 + the number of items with a better shown value.

    Equal shown values share a rank; an item without a value has none.
    """
    order = in_order(items, value=value, tie=tie, descending=direction is not Direction.LOWER)
    ranks: list[int | None] = []
    for place, item in enumerate(order):
        shown = value(item)
        same = place > 0 and value(order[place - 1]) == shown
        ranks.append(None if shown is None else (ranks[-1] if same else place + 1))
    return list(zip(ranks, order, strict=True))
