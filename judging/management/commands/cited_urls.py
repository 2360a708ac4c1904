"""``manage.py cited_urls FILE…``: the URLs that would be fetched for an answer."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.citations import cited_urls


class Command(BaseCommand):
    """Prints one JSON object a file; needs neither settings nor a database."""

    help = 'Print the URLs each answer cites, one JSON line a file: {"file": …, "urls": […]}.'
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Any number of Markdown files."""
        parser.add_argument(
            "files", nargs="+", metavar="FILE", type=Path, help="an answer, Markdown in UTF-8"
        )

    def handle(self, *_args: Any, files: list[Path], **_options: Any) -> None:
        """Print a line for every file, or stop at the first that cannot be read."""
        for file in files:
            try:
                markdown = file.read_text(encoding="utf-8-sig", errors="replace")
            except OSError as error:
                raise CommandError(f"{file}: {error.strerror}") from error
            line = {"file": str(file), "urls": cited_urls(markdown)}
            self.stdout.write(json.dumps(line, ensure_ascii=False))
