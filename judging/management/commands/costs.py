"""``manage.py costs``: what judging cost."""

from __future__ import annotations

import datetime as dt
import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand

from judging.costs import GROUPINGS, HEADS, Cost, costs, total_of


class Command(BaseCommand):
    """Sums of what was counted while judging; nothing is asked of any endpoint."""

    help = "Print calls, tokens and US dollars of judging, by month (UTC), task set or run, with their sum."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How to group."""
        parser.add_argument("--by", choices=sorted(GROUPINGS), default="month", help="default: month")
        parser.add_argument(
            "--from", dest="since", metavar="YYYY-MM", type=_month, help="the first month to count"
        )
        parser.add_argument("--json", action="store_true", help="print JSON; an unknown cost is null")

    def handle(self, *_args: Any, by: str, since: dt.date | None, **options: Any) -> None:
        """Print it."""
        rows = costs(by=by, since=since)
        total = total_of(rows)
        if options["json"]:
            data = {"by": by, "rows": [row.as_dict() for row in rows], "total": total.as_dict()}
            self.stdout.write(json.dumps(data, indent=2))
            return
        for line in _table(
            [(by, *HEADS), *((_name(row), *row.figures) for row in rows), ("all", *total.figures)]
        ):
            self.stdout.write(line)


def _month(text: str) -> dt.date:
    try:
        return dt.datetime.strptime(text, "%Y-%m").replace(tzinfo=dt.UTC).date()
    except ValueError:
        raise ArgumentTypeError(f"must be a month such as 2026-05, not {text!r}") from None


def _name(row: Cost) -> str:
    group = row.group
    if "month" in group:
        return f"{group['month']:%Y-%m}"
    if group.get("run_number") is None:
        return row.task_set
    round_ = f"{group['submission']}/{group['round']}"
    return f"{group['run_number']} ({round_}, {row.task_set}, {group['profile']}/{group['profile_version']})"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns of equal width, names to the left and figures to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for name, *figures in rows:
        cells = (figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True))
        yield f"{name:<{widths[0]}}  {'  '.join(cells)}"
