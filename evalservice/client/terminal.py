"""Showing what the service says in a terminal. All of it is foreign text: names on a board are anybody's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
# Whoever reads a pipe wants whole lines, not what fits 80 columns.
PIPE_WIDTH = 10_000


def printable(text: str) -> str:
    """``text`` without control characters, which could move the cursor or rename the window."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(text: str) -> None:
    """A line to standard output, whole, however narrow the terminal."""
    out.print(Text(printable(text)), soft_wrap=True)


def complain(text: str, *, style: str = "") -> None:
    """A line to standard error."""
    err.print(Text(printable(text), style=style), soft_wrap=True)


def dump(value: Any) -> None:
    """``value`` as one line of JSON."""
    out.print(Text(json.dumps(value)), soft_wrap=True)  # ASCII alone, control characters escaped


def tabulate(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """``columns`` of ``rows`` as a table."""
    table = Table()
    for column in columns:
        table.add_column(Text(printable(column)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(_cell(row.get(column)))) for column in columns))
    (out if out.is_terminal else Console(width=PIPE_WIDTH)).print(table)


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("name", ""))
    return "" if value is None else str(value)
