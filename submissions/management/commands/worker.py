"""``manage.py worker``: does the work that requests queue."""

from __future__ import annotations

from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections
from django.utils import timezone

from submissions.queue.cluster import Worker
from submissions.services.sweeping import sweep

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    """Start as many as you like, on as many machines as share the database; stop with SIGTERM."""

    help = "Judge what was submitted. Start as many as you like; SIGTERM ends it after the calls in flight."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until told to stop."""
        Worker(tick=tick).run()


def tick() -> None:
    """Sweep; a database that is away for a moment is no reason to end."""
    try:
        sweep(now=timezone.now())
    except DatabaseError as error:
        log.warning("sweep_failed", error=type(error).__name__)
    finally:
        connections.close_all()
