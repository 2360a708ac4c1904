"""``manage.py profile FILE``: what a judge's profile means, or what is wrong with it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.canonical import digest
from judging.profile_files import InvalidProfile, ProfileFile, profile_schema
from judging.profiles import content_of, load_profile
from judging.terms import Terms


class Command(BaseCommand):
    """Reads one file and prints; needs neither a secret nor a database."""

    help = "Say what a judge's profile (YAML) means, or every fault of it with its place."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A file, or the schema of all of them."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("file", metavar="FILE", nargs="?", type=Path)
        what.add_argument("--schema", action="store_true", help="print the JSON Schema of the file instead")

    def handle(self, *_args: Any, file: Path | None, **_options: Any) -> None:
        """Print it.

        :raises CommandError: the file describes no judge.
        """
        if file is None:
            self.stdout.write(json.dumps(profile_schema(), indent=2, ensure_ascii=False))
            return
        try:
            profile = load_profile(file)
        except InvalidProfile as invalid:
            raise CommandError("\n".join(map(str, invalid.faults))) from invalid
        for name, value in _told(profile):
            self.stdout.write(f"{name:<16}{value}")
        for warning in profile.warnings:
            self.stderr.write(f"warning: {warning}")


def _told(profile: ProfileFile) -> Iterator[tuple[str, str]]:
    terms = profile.terms
    yield "name", profile.name
    yield "extraction", terms.extract
    yield "verification", ", ".join(terms.verify)
    yield "calls a check", _calls(terms)
    if terms.group_claims > 1:
        yield "checks a call", f"up to {terms.group_claims}"
    yield "sampling", _listed(terms.sampling)
    yield "page tokens", f"{terms.shown} to verify, {terms.read_out} to extract"
    yield "prices", ", ".join(profile.prices or ()) or "those of the environment"
    yield "limits", _listed(profile.limits) or "those of the environment"
    yield "hash", digest(content_of(terms))


def _calls(terms: Terms) -> str:
    votes = terms.most_votes
    return "1" if votes == 1 else f"{votes // 2 + 1}, up to {votes} where they disagree"


def _listed(values: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
