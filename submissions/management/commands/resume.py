"""``manage.py resume``: go on with paused submissions, once what paused them is mended."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from submissions.driving import resume
from submissions.models import Submission


class Command(BaseCommand):
    """Nothing is lost by a pause: work goes on where it stopped."""

    help = "Go on with paused submissions: those named, or all."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which ones."""
        parser.add_argument("submissions", nargs="*", metavar="ID")
        parser.add_argument("--all", action="store_true", dest="everything")

    def handle(self, *args: Any, submissions: list[str], everything: bool, **options: Any) -> None:
        """Resume each."""
        if bool(submissions) == everything:
            raise CommandError("Name submissions, or say --all.")
        paused = Submission.objects.filter(state=Submission.State.PAUSED)
        if submissions:
            paused = paused.filter(public_id__in=submissions)
            if missing := set(submissions) - set(paused.values_list("public_id", flat=True)):
                raise CommandError(f"Not paused, or unknown: {', '.join(sorted(missing))}")
        for submission in paused.order_by("id"):
            jobs = resume(submission, actor="command", now=timezone.now())
            self.stdout.write(f"{submission.public_id}: {jobs} jobs woken")
