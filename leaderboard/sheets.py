"""A board as CSV (RFC 4180): the document's rows, flat. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leaderboard.ranking import Metric

_BEFORE = ("rank", "status", "entry")
_SYSTEM = ("name", "version", "class", "model", "organisation", "licence")
_AFTER = (
    "runs",
    "attempts",
    "coverage",
    "judge",
    "model",
    "judge_profile",
    "marks",
    "provenance",
    "published_at",
)
# What makes a spreadsheet run a cell; names come from strangers.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def board_csv(document: Mapping[str, Any]) -> str:
    """One line a row in the board's order, numbers with the board's decimals, an empty cell for what is unknown."""
    metrics = [Metric.from_column(column) for column in document["columns"]]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header(metrics))
    writer.writerows(_line(document, metrics))
    return out.getvalue()


def header(metrics: Sequence[Metric]) -> list[str]:
    """The names of the columns."""
    names: list[str] = []
    for metric in metrics:
        names += _columns_of(metric)
    return [
        *("task_set", "task_set_version", "board", *_BEFORE),
        *("system" if name == "name" else f"system_{name}" for name in _SYSTEM),
        *names,
        *("judge_model" if name == "model" else name for name in _AFTER),
        "at_least",
        "reasons",
    ]


def _columns_of(metric: Metric) -> list[str]:
    bounds = [f"{metric.key}_low", f"{metric.key}_high"] if metric.interval else []
    return [metric.key, *bounds]


def _line(document: Mapping[str, Any], metrics: Sequence[Metric]) -> Iterator[list[str]]:
    task_set = document["task_set"]
    for row in document["rows"]:
        yield [
            *(_cell(value) for value in (task_set["slug"], task_set["version"], document["board"]["number"])),
            *(_cell(value) for value in (row["rank"], row["status"], row["id"])),
            *(_cell(row["system"][name]) for name in _SYSTEM),
            *_numbers(row, metrics),
            *(_cell(row[name]) for name in _AFTER),
            _cell(row["at_least"]),
            _cell(row["reasons"]),
        ]


def _numbers(row: Mapping[str, Any], metrics: Sequence[Metric]) -> list[str]:
    cells: list[str] = []
    for metric in metrics:
        cells.append(number(metric, row["values"].get(metric.key)))
        if metric.interval:
            low, high = row["intervals"].get(metric.key) or (None, None)
            cells += [number(metric, low), number(metric, high)]
    return cells


def number(metric: Metric, shown: float | None) -> str:
    """A shown value with its decimals; a share stays between 0 and 1."""
    return "" if shown is None else f"{shown:.{metric.decimals}f}"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return _cell(" ".join(value))
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
