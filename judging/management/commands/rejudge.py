"""``manage.py rejudge``: judge submissions again, asking only what has no settled verdict."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from judging.rounds import rejudge
from submissions.models import Submission
from submissions.models.submission import IllegalTransition


class Command(BaseCommand):
    """Unchanged work costs nothing; a corrected rubric costs its own checks."""

    help = "Judge submissions again: those named, or all of a task-set version that have scores, complete or not."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which ones."""
        parser.add_argument("submissions", nargs="*", metavar="ID")
        parser.add_argument("--set", dest="task_set", metavar="SLUG/VERSION")

    def handle(self, *args: Any, submissions: list[str], task_set: str | None, **options: Any) -> None:
        """Open a round for each; one that is being judged holds up none of the others."""
        if bool(submissions) == bool(task_set):
            raise CommandError("Name submissions, or one task-set version with --set SLUG/VERSION.")
        found = _named(submissions) if submissions else _of_set(str(task_set))
        refused = [line for submission in found if (line := self._again(submission))]
        if refused:
            raise CommandError("\n".join(refused))

    def _again(self, submission: Submission) -> str:
        """Why it cannot be judged again now, empty if it is."""
        try:
            number = rejudge(submission, actor="command", now=timezone.now())
        except IllegalTransition as error:
            return f"{submission.public_id} is {submission.state}: {error}"
        self.stdout.write(f"{submission.public_id}: round {number}")
        return ""


def _named(ids: list[str]) -> list[Submission]:
    found = {submission.public_id: submission for submission in Submission.objects.filter(public_id__in=ids)}
    if missing := [ident for ident in ids if ident not in found]:
        raise CommandError(f"No such submission: {', '.join(missing)}")
    return [found[ident] for ident in dict.fromkeys(ids)]


def _of_set(name: str) -> list[Submission]:
    slug, _, version = name.partition("/")
    found = Submission.objects.filter(
        task_set__slug=slug, task_set__version=version, state__in=Submission.SCORED
    )
    if not found:
        raise CommandError(f"No judged submission of {name}.")
    return list(found.order_by("id"))
