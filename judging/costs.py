"""What judging cost, by run, by task set and by month: sums of what was counted of every call, whatever came of it.

Replies out of the cache and offline judges cost nothing and are not counted. What commands ask belongs to no run and no
set: it has a group of its own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F, OrderBy, QuerySet, Sum
from django.db.models.functions import TruncMonth

from judging.amounts import counted, money
from judging.models import Spending
from judging.spending import TOKENS

__all__ = ["GROUPINGS", "HEADS", "NO_RUN", "Cost", "costs", "costs_by_month_and_set", "total_of"]

HEADS = ("calls", "prompt tokens", "of them cached", "reply tokens", "of them reasoning", "cost")
NO_RUN = "commands (no run)"
COLUMNS = ("calls", "unpriced_calls", *TOKENS, "cost_usd")
_SET = {"slug": F("run__submission__task_set__slug"), "version": F("run__submission__task_set__version")}
_MONTH = {"month": TruncMonth("day")}
_RUN = {
    "run_number": F("run"),
    "submission": F("run__submission__public_id"),
    "round": F("run__round"),
    "profile": F("run__profile__name"),
    "profile_version": F("run__profile__version"),
}
_Order = tuple[OrderBy, ...]
# The databases put NULL, what no run cost, at different ends.
_BY_SET: _Order = (F("slug").asc(nulls_last=True), F("version").asc(nulls_last=True))
_NEWEST_MONTH = F("month").desc()
# What rows are told apart by, and in which order they stand.
GROUPINGS: Mapping[str, tuple[Mapping[str, Any], _Order]] = {
    "run": ({**_RUN, **_SET}, (F("run_number").desc(nulls_last=True),)),
    "set": (_SET, _BY_SET),
    "month": (_MONTH, (_NEWEST_MONTH,)),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls, tokens and US dollars of one group. Cached tokens are part of the prompt's, reasoning ones of the completion's."""

    group: Mapping[str, Any]
    calls: int
    unpriced_calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    priced_usd: float

    @property
    def task_set(self) -> str:
        """The set of the group by name and version, or that it is what commands cost."""
        slug, version = self.group["slug"], self.group["version"]
        return NO_RUN if slug is None else f"{slug}/{version}"

    @property
    def cost_usd(self) -> float | None:
        """None if no call had a price."""
        return None if self.calls and self.unpriced_calls == self.calls else self.priced_usd

    @property
    def price(self) -> str:
        """The cost in words, and how far it is known."""
        if self.cost_usd is None or not self.unpriced_calls:
            return money(self.cost_usd)
        return f"{money(self.cost_usd)} and {counted(self.unpriced_calls, 'call')} without a price"

    @property
    def figures(self) -> tuple[str, ...]:
        """Calls, tokens by kind and the cost, as a table shows them: :data:`HEADS`."""
        return (*(f"{getattr(self, name):,}" for name in ("calls", *TOKENS)), self.price)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the group's fields, all None for what commands cost, then the figures."""
        figures = {name: getattr(self, name) for name in ("calls", "unpriced_calls", *TOKENS, "cost_usd")}
        return {name: _plain(value) for name, value in self.group.items()} | figures


def costs(*, by: str, since: dt.date | None = None) -> list[Cost]:
    """One row for each run, set or month (:data:`GROUPINGS`) that cost anything.

    :param since: leave out what was spent before that day (UTC).
    """
    group, order = GROUPINGS[by]
    return _summed(_spent(since), group, order)


def costs_by_month_and_set(*, since: dt.date | None = None) -> list[Cost]:
    """One row for each month and set, the newest month first."""
    return _summed(_spent(since), {**_MONTH, **_SET}, (_NEWEST_MONTH, *_BY_SET))


def total_of(rows: Iterable[Cost]) -> Cost:
    """All rows together."""
    told = list(rows)
    sums = {name: sum(getattr(row, name) for row in told) for name in ("calls", "unpriced_calls", *TOKENS)}
    return Cost({}, priced_usd=sum(row.priced_usd for row in told), **sums)


def _spent(since: dt.date | None) -> QuerySet[Spending]:
    return Spending.objects.filter(day__gte=since) if since else Spending.objects.all()


def _summed(spent: QuerySet[Spending], group: Mapping[str, Any], order: _Order) -> list[Cost]:
    """The database sums: a row for each group comes back, however many runs there are."""
    sums = {f"sum_{name}": Sum(name) for name in COLUMNS}
    rows = spent.order_by().values(**group).annotate(**sums).order_by(*order)
    return [_cost(row, group) for row in rows]


def _cost(row: Mapping[str, Any], group: Mapping[str, Any]) -> Cost:
    figures = {name: row[f"sum_{name}"] for name in COLUMNS}
    return Cost({name: row[name] for name in group}, priced_usd=figures.pop("cost_usd"), **figures)


def _plain(value: Any) -> Any:
    return value.strftime("%Y-%m") if isinstance(value, dt.date) else value
