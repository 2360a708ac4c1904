"""A board's document as the page shows it: headings, cells and filters, in the order that was asked for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboard.drawing import Axis, Bar, axis, bar
from leaderboard.metrics import MARKS, REASONS
from leaderboard.query import BoardQuery
from leaderboard.ranking import Direction, Metric, Unit, in_order, row_tie

Row = Mapping[str, Any]
UNKNOWN = "–"
# Columns that are no metrics: key, label, what a row sorts by, whether it is a number.
_FIXED: Mapping[str, tuple[str, Callable[[Row], float | str | None], bool]] = {
    "rank": ("Rank", lambda row: row["rank"], True),
    "system": ("System", lambda row: row["system"]["name"], False),
    "attempts": ("Attempts", lambda row: row["attempts"], True),
    "coverage": ("Coverage", lambda row: row["coverage"], True),
    "licence": ("Licence", lambda row: row["system"]["licence"], False),
    "published": ("Published", lambda row: row["published_at"], False),
}
_MORE = frozenset({"answer_chars", "coverage", "licence", "published"})  # shown with all columns only
SIGNS = {Unit.SHARE: "%", Unit.USD: "$", Unit.MINUTES: "min", Unit.CHARACTERS: "chars"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading. ``sort`` is the value of aria-sort, empty where the table is not sorted by it."""

    key: str
    label: str
    unit: str
    meaning: str
    link: str
    sort: str
    number: bool
    axis: Axis | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A shown value of the column ``label``.

    ``low`` and ``high`` are its interval in words, ``tasks`` the number of tasks behind it.
    """

    key: str
    label: str
    text: str
    at_least: bool = False
    tasks: int | None = None
    low: str = ""
    high: str = ""
    bar: Bar | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table."""

    row: Row
    cells: tuple[Cell, ...]
    coverage: str
    marks: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a filter."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Everything the page draws."""

    query: BoardQuery
    headings: tuple[Heading, ...]
    primary: Heading
    lines: tuple[Line, ...]
    unranked: tuple[Line, ...]
    total: int
    classes: tuple[Choice, ...]
    organisations: tuple[Choice, ...]
    marks: tuple[str, ...] = field(default_factory=tuple)

    @property
    def more_link(self) -> str:
        """The same table with the other choice of columns."""
        return self.query.with_columns(all_columns=not self.query.all_columns).link()


def metrics_in(document: Mapping[str, Any]) -> list[Metric]:
    """The metrics a board was published with, the primary one first."""
    return [Metric.from_column(column) for column in document["columns"]]


def _chosen(metrics: Sequence[Metric], query: BoardQuery) -> list[Metric]:
    return [metric for metric in metrics if query.all_columns or metric.key not in _MORE]


def sortable(document: Mapping[str, Any]) -> set[str]:
    """The columns one may sort by: public ones only."""
    return {*_FIXED, *(metric.key for metric in metrics_in(document))}


def board_table(document: Mapping[str, Any], query: BoardQuery) -> Table:
    """The table of a board under a query. Ranks stay those of the whole board."""
    metrics, rows = _chosen(metrics_in(document), query), document["rows"]
    ranked = [row for row in rows if row["status"] == "ranked"]
    shown = _sorted([row for row in ranked if _wanted(row, query)], metrics, query)
    shared = tuple(document["method"]["marks"])
    headings = tuple(_headings(metrics, query))
    return Table(
        query=query,
        headings=headings,
        primary=next(heading for heading in headings if heading.key == metrics[0].key),
        lines=tuple(line(row, metrics, shared) for row in shown),
        unranked=tuple(
            line(row, metrics) for row in rows if row["status"] != "ranked" and _wanted(row, query)
        ),
        total=len(ranked),
        classes=_choices(rows, "class", "class_label", query.system_class),
        organisations=_choices(rows, "organisation", "organisation", query.organisation),
        marks=tuple(MARKS[mark] for mark in shared),
    )


# ------------------------------------------------------------------ which rows, in which order
def _wanted(row: Row, query: BoardQuery) -> bool:
    system = row["system"]
    texts = (system["name"], system["version"], system["model"], system["organisation"])
    return (
        query.system_class in ("", system["class"])
        and query.organisation in ("", system["organisation"])
        and query.search.casefold() in " ".join(texts).casefold()
    )


def _sorted(rows: Sequence[Row], metrics: Sequence[Metric], query: BoardQuery) -> list[Row]:
    if not query.sort:
        return list(rows)
    keys = {metric.key for metric in metrics}
    value = (lambda row: row["values"][query.sort]) if query.sort in keys else _FIXED[query.sort][1]
    return in_order(rows, value=value, tie=row_tie, descending=query.descending)


def _choices(rows: Iterable[Row], key: str, label: str, chosen: str) -> tuple[Choice, ...]:
    found = {row["system"][key]: row["system"][label] for row in rows}
    ordered = sorted(found.items(), key=lambda item: (item[1].casefold(), item[0]))
    return tuple(Choice(value, text, value == chosen) for value, text in ordered)


# ------------------------------------------------------------------ headings
def _headings(metrics: Sequence[Metric], query: BoardQuery) -> list[Heading]:
    fixed = [key for key in _FIXED if query.all_columns or key not in _MORE]
    before, after = fixed[:2], fixed[2:]
    return [
        *(_fixed_heading(key, query) for key in before),
        *(_metric_heading(metric, query) for metric in metrics),
        *(_fixed_heading(key, query) for key in after),
    ]


def _fixed_heading(key: str, query: BoardQuery) -> Heading:
    label, _, number = _FIXED[key]
    first_descending = key in {"published", "attempts", "coverage"}
    unit = "%" if key == "coverage" else ""
    return Heading(key, label, unit, "", _sort_link(key, query, first_descending), _aria(key, query), number)


def _metric_heading(metric: Metric, query: BoardQuery) -> Heading:
    best_first = metric.direction is not Direction.LOWER
    return Heading(
        key=metric.key,
        label=metric.label,
        unit=SIGNS.get(metric.unit, ""),
        meaning=metric.meaning,
        link=_sort_link(metric.key, query, best_first),
        sort=_aria(metric.key, query) or ("descending" if metric.primary and not query.sort else ""),
        number=True,
        axis=axis(metric) if metric.primary else None,
    )


def _sort_link(key: str, query: BoardQuery, first_descending: bool) -> str:
    """A second click turns the order around."""
    again = query.sort == key and query.descending == first_descending
    return query.sorted_by(key, descending=first_descending != again).link()


def _aria(key: str, query: BoardQuery) -> str:
    if query.sort != key:
        return ""
    return "descending" if query.descending else "ascending"


# ------------------------------------------------------------------ cells
def line(row: Row, metrics: Sequence[Metric], shared_marks: Sequence[str] = ()) -> Line:
    """A row in words. Marks that hold for the whole board are said once, above it."""
    coverage = row["coverage"]
    return Line(
        row=row,
        cells=tuple(cell(row, metric) for metric in metrics),
        coverage=UNKNOWN if coverage is None else f"{coverage * 100:.1f}",
        marks=tuple(MARKS[mark] for mark in row["marks"] if mark not in shared_marks),
        reasons=tuple(REASONS[reason] for reason in row["reasons"]),
    )


def cell(row: Row, metric: Metric) -> Cell:
    """A value in words, as the CSV gives it but for per cent."""
    value = row["values"].get(metric.key)
    label = f"{metric.label} {SIGNS.get(metric.unit, '')}".strip()
    if value is None:
        return Cell(metric.key, label, UNKNOWN, tasks=row["tasks"].get(metric.key))
    low, high = row["intervals"].get(metric.key) or (None, None)
    interval = None if low is None or high is None else (low, high)
    return Cell(
        key=metric.key,
        label=label,
        text=metric.text(value),
        at_least=metric.key in row["at_least"],
        tasks=row["tasks"].get(metric.key),
        low=metric.text(interval[0]) if interval else "",
        high=metric.text(interval[1]) if interval else "",
        bar=bar(metric, value, interval) if metric.primary else None,
    )
