"""``manage.py issue_key``: a key for a team, shown this once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from submissions.models import ApiKey, Team
from submissions.services import create_team, issue_key


class Command(BaseCommand):
    """The key goes to standard output alone, so that it can be piped where it belongs."""

    help = "Issue an API key to a team; with --organisation the team is made if it is new."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose key, and what it may do."""
        parser.add_argument("team")
        parser.add_argument("--organisation", help="make the team, in this organisation, if it is new")
        parser.add_argument("--name", default="issued by command", help="what the key is for")
        parser.add_argument("--scope", action="append", choices=ApiKey.SCOPES, help="default: all")
        parser.add_argument("--days", type=int, help="how long it opens doors")

    def handle(
        self,
        *args: Any,
        team: str,
        organisation: str | None,
        name: str,
        scope: list[str] | None,
        days: int | None,
        **options: Any,
    ) -> None:
        """Issue it."""
        if days is not None and days < 1:
            raise CommandError("--days must be at least 1.")
        now = timezone.now()
        found = Team.objects.filter(name=team).first()
        if found is None and organisation is None:
            raise CommandError(f"No team {team!r}. Make it with --organisation NAME.")
        owner = found or create_team(organisation=organisation or "", name=team, now=now)
        key, text = issue_key(team=owner, name=name, now=now, scopes=scope or ApiKey.SCOPES, days=days)
        self.stderr.write(
            f"Key {key.public_id} of {owner.name}, until {key.expires_at:%Y-%m-%d}. Shown this once:"
        )
        self.stdout.write(text)
