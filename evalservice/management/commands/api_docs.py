"""``manage.py api_docs``: write what docs/ says of the API out of the code that decides it."""

from __future__ import annotations

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from submissions.problems import CODES

BEGIN, END = "<!-- codes:begin -->", "<!-- codes:end -->"


def codes_table() -> str:
    """The closed list of codes as a Markdown table."""
    rows = [f"| `{name}` | {code.status} | {code.meaning} |" for name, code in CODES.items()]
    return "\n".join(["| code | status | meaning |", "|---|---|---|", *rows])


def with_codes(page: str) -> str:
    """``page`` with the table between its two marks.

    :raises CommandError: a mark is missing.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise CommandError(f"docs/api.md needs the marks {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n{codes_table()}\n{END}{after}"


def openapi() -> str:
    """The OpenAPI document as YAML.

    :raises drf_spectacular.management.commands.spectacular.SchemaGenerationError: it warns of something.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "openapi.yaml"
        call_command("spectacular", file=str(target), fail_on_warn=True, skip_checks=True)
        return target.read_text(encoding="utf-8")


class Command(BaseCommand):
    """Write docs/openapi.yaml and the codes of docs/api.md, or check that they are as they would be written."""

    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--check`` writes nothing."""
        parser.add_argument(
            "--check", action="store_true", help="Fail if a file would change; write nothing."
        )
        parser.add_argument(
            "--docs", type=Path, default=settings.BASE_DIR / "docs", help="The folder to write to."
        )

    def handle(self, *args: Any, check: bool, docs: Path, **options: Any) -> None:
        """Write, or compare.

        :raises CommandError: with ``--check``, a file differs.
        """
        page = docs / "api.md"
        wanted = {page: with_codes(page.read_text(encoding="utf-8")), docs / "openapi.yaml": openapi()}
        for path, text in wanted.items():
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            if check and before != text:
                raise CommandError(f"{path.name} is out of date; run manage.py api_docs.")
            if before != text:
                path.write_text(text, encoding="utf-8")
                self.stdout.write(f"wrote {path.name}")
