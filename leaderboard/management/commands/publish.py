"""``manage.py publish SLUG [VERSION]``: publish a board now."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from leaderboard.services import ReleaseGateMissing, publish
from submissions.models import TaskSet


class Command(BaseCommand):
    """Publishes everything judged so far; says which board stands now."""

    help = "Publish the board of a task set from everything judged so far."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The set, by slug; its active version unless another is named."""
        parser.add_argument("slug")
        parser.add_argument("version", nargs="?", help="default: the active version")

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish, or say why not."""
        task_set = _task_set(options["slug"], options["version"])
        try:
            board = publish(task_set=task_set, now=timezone.now())
        except ReleaseGateMissing as refusal:
            raise CommandError(str(refusal)) from refusal
        ranked = sum(row["status"] == "ranked" for row in board.document["rows"])
        self.stdout.write(f"{task_set}: board no. {board.number}, {ranked} ranked")


def _task_set(slug: str, version: str | None) -> TaskSet:
    """:raises CommandError: there is no such set, or it has no active version."""
    found = TaskSet.objects.filter(slug=slug)
    named = found.filter(version=version) if version else found.open()
    task_set = named.first()
    if task_set is None:
        known = ", ".join(found.order_by("version", "id").values_list("version", flat=True))
        raise CommandError(
            f"{slug}: no {version or 'active version'}; there is {known or 'no set of this name'}"
        )
    return task_set
