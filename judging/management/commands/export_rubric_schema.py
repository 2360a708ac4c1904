"""``manage.py export_rubric_schema``: the JSON Schema of a task set's files."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.rubric import rubric_schema


class Command(BaseCommand):
    """Prints or writes the schema; needs neither a secret nor a database."""

    help = "Print the JSON Schema (draft 2020-12) of taskset.yaml and of the task files of both protocols."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to."""
        parser.add_argument(
            "--output", metavar="FILE", type=Path, help="write to FILE instead of the terminal"
        )

    def handle(self, *_args: Any, output: Path | None, **_options: Any) -> None:
        """Print it, or write it."""
        text = json.dumps(rubric_schema(), indent=2, ensure_ascii=False)
        if output is None:
            self.stdout.write(text)
            return
        try:
            output.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from error
