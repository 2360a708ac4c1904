"""``manage.py demo``: two boards on this machine, judged offline, through the real API, queue and judge."""

from __future__ import annotations

import secrets
import signal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalservice import demo
from evalservice.client import Client, NothingToSubmit, Problem, ServiceUnreachable
from submissions.models import TaskSet


class Command(BaseCommand):
    """Everything but the processes happens through public doors: the REST API and the board."""

    help = "Import two example sets, submit three systems' answers, judge them, publish, print the boards."

    def add_arguments(self, parser: CommandParser) -> None:
        """Options."""
        parser.add_argument("--once", action="store_true", help="end after printing the boards")
        parser.add_argument("--port", type=int, default=8000, help="another one is taken if it is in use")
        parser.add_argument(
            "--examples",
            type=Path,
            default=settings.BASE_DIR / "examples",
            help="the folder of sets and answers",
        )

    def handle(self, *args: Any, once: bool, port: int, examples: Path, **options: Any) -> None:
        """Run the demonstration; the exit status is 1 if anything is missing."""
        if not settings.DEMO:
            raise CommandError(
                "The demonstration runs with EVALSERVICE_DEMO=1 only: it makes keys and an admin."
            )
        # gunicorn and the worker must end with us, also when we are told to stop.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._demonstrate(once=once, port=port, examples=examples)
        except (demo.DemoFailed, NothingToSubmit, Problem, ServiceUnreachable) as error:
            raise CommandError(f"The demonstration failed: {error}") from error
        except KeyboardInterrupt:
            raise CommandError("Interrupted.", returncode=130) from None

    def _demonstrate(self, *, once: bool, port: int, examples: Path) -> None:
        self._say("Preparing the database …")
        call_command("migrate", verbosity=0)
        self._say("Importing two task sets …")
        sets = demo.import_sets(examples, self._say)
        key = demo.team_key()
        with demo.running(demo.free_port(port)) as servers, Client(servers.address, key=key) as client:
            self._run(servers, client, sets, examples)
            if not once:
                self._stay(servers)

    def _run(self, servers: demo.Servers, client: Client, sets: list[TaskSet], examples: Path) -> None:
        demo.wait_until_ready(servers, client)
        self._say("Submitting …")
        submitted = demo.submit_all(client, sets, examples, self._say)
        self._say("Judging …")
        demo.wait_for_results(servers, client, submitted, self._say)
        for task_set in sets:
            self._say("")
            for line in demo.board_lines(demo.board_of(client, task_set)):
                self._say(line)
            self._say(f"  {servers.address}/leaderboards/{task_set.slug}/{task_set.version}/")

    def _stay(self, servers: demo.Servers) -> None:
        password = secrets.token_urlsafe(12)
        admin, _ = User.objects.get_or_create(
            username="admin", defaults={"is_staff": True, "is_superuser": True}
        )
        admin.set_password(password)
        admin.save()
        self._say(f"\nBoards: {servers.address}/   Admin: {servers.address}/admin/ (admin / {password})")
        self._say("Ctrl-C ends the demonstration.")
        try:
            while True:
                servers.check()
                signal.sigtimedwait([], 1)
        except KeyboardInterrupt:
            self._say("Stopping.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
