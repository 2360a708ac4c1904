"""``manage.py score FILE``: scores from verdicts, one task a line, without settings or a database."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from judging.scorefile import Refused, Scored, score_lines


class Command(BaseCommand):
    """Reads JSON lines, writes JSON lines; what is wrong with a line goes to stderr and ends in exit code 1."""

    help = (
        "Score verdicts by the rules of the two protocols. FILE holds one task a line as JSON: "
        '{"key", "protocol": "rubric_tree", "tree": {…}} or {"key", "protocol": "cascade", "subtasks": […]}. '
        "Lines that cannot be scored are reported on stderr with their number; the others still are."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One file, or standard input."""
        parser.add_argument("file", metavar="FILE", help="JSON lines; - reads standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        """Score the file.

        :raises CommandError: the file cannot be read, or a line was refused.
        """
        refused = 0
        with _opened(options["file"]) as lines:
            for outcome in score_lines(lines):
                if isinstance(outcome, Scored):
                    self.stdout.write(json.dumps(outcome.result, allow_nan=False))
                else:
                    refused += 1
                    self._report(outcome)
        if refused:
            raise CommandError(f"{refused} line{'s' if refused > 1 else ''} refused")

    def _report(self, outcome: Refused) -> None:
        for fault in outcome.faults:
            place = f"line {outcome.line}: {fault.path}: " if fault.path else f"line {outcome.line}: "
            self.stderr.write(_printable(place + fault.reason))


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as file:
            yield file
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from error


def _printable(text: str) -> str:
    """Names out of a file may hold line breaks or control characters; a report must stay one line."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
