"""``manage.py taskset``: begin a task set, and find what is wrong with one."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.rubric import MANIFEST, BundleReading, bundle_template, read_bundle
from judging.rubric.schema import PROTOCOLS, TREE
from judging.taskset_files import read_files


class Command(BaseCommand):
    """One subcommand each; ``new`` and ``lint`` need neither a secret nor a database.

    A further subcommand is an entry in ``SUBCOMMANDS``: what it takes, and what it does.
    """

    help = "Begin a task set (new) or check one (lint)."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """A parser for every subcommand."""
        subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")
        for name, (describe, _) in SUBCOMMANDS.items():
            describe(subparsers.add_parser(name))

    def handle(self, *_args: Any, subcommand: str, **options: Any) -> None:
        """Do what the subcommand says."""
        SUBCOMMANDS[subcommand][1](self, options)


def _describe_new(parser: ArgumentParser) -> None:
    parser.description = "Write a small commented task set that passes every check, to begin from."
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that is not there yet, or empty")
    parser.add_argument("--protocol", choices=PROTOCOLS, default=TREE)


def _new(command: BaseCommand, options: dict[str, Any]) -> None:
    folder: Path = options["folder"]
    try:
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty; nothing was written")
        for name, content in bundle_template(options["protocol"], _slug(folder)).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror}") from error
    command.stdout.write(f"Wrote {folder}. Edit {MANIFEST} and tasks/, then: manage.py taskset lint {folder}")


def _slug(folder: Path) -> str:
    """The folder's name as a slug."""
    words = re.findall(r"[a-z0-9]+", folder.resolve().name.lower())
    slug = "-".join(words)[:60].strip("-")
    return slug if re.match(r"[a-z].", slug) else f"set-{slug}".strip("-")


def _describe_lint(parser: ArgumentParser) -> None:
    parser.description = "Print every fault of a task set, one a line; the exit status is 1 if there is any."
    parser.add_argument("path", metavar="PATH", type=Path, help="the set's folder or zip")


def _lint(command: BaseCommand, options: dict[str, Any]) -> None:
    found = read_files(options["path"])
    reading = BundleReading(None, found.faults) if found.faults else read_bundle(found.files)
    for fault in reading.warnings:
        command.stdout.write(f"warning: {fault}")
    for fault in reading.faults:
        command.stdout.write(str(fault))
    if reading.bundle is None:
        raise CommandError(f"{len(reading.faults)} to mend")
    bundle = reading.bundle
    command.stdout.write(
        f"{bundle.slug} {bundle.version}: {len(bundle.tasks)} tasks, sha256 {bundle.content_hash}"
    )


SUBCOMMANDS: dict[
    str, tuple[Callable[[ArgumentParser], None], Callable[[BaseCommand, dict[str, Any]], None]]
] = {
    "new": (_describe_new, _new),
    "lint": (_describe_lint, _lint),
}
