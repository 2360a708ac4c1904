"""``manage.py export_run RUN``: a whole run as JSON lines, to a file or to standard output."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError

from judging.exporting import UnknownRun, export_lines, find_run
from judging.management.appearing import write_whole

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    """A file appears whole or not at all, readable by its owner alone: it holds hidden tasks and rubrics."""

    help = (
        "Write a whole run as JSON lines: tasks, rubrics, answers, verdicts with their records, pages. It holds what is hidden: "
        "keep it as you keep the database. docs/run-export.schema.json describes a line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which run, and where to."""
        parser.add_argument(
            "run", metavar="RUN", help="number of the run, or ID of a submission (its newest), or ID/ROUND"
        )
        parser.add_argument("--output", metavar="FILE", type=Path, help="standard output without it")
        parser.add_argument("--force", action="store_true", help="replace a file that is there")

    def handle(self, *_args: Any, run: str, output: Path | None, force: bool, **_options: Any) -> None:
        """Export it.

        :raises CommandError: no such run, a file that is there, or one that cannot be written.
        """
        try:
            found = find_run(run)
        except UnknownRun as error:
            raise CommandError(f"No such run: {error}") from error
        if output is None:
            for line in export_lines(found):
                self.stdout.write(line.decode(), ending="")
        else:
            size = write_whole(output, export_lines(found), force=force)
            self.stderr.write(f"{output}: {size:,} bytes")
        log.info("run_exported", run=found.pk, by="command")
