"""``manage.py worker``: does the work that requests queue."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from submissions.queue import reap
from submissions.queue.cluster import Worker
from submissions.services.sweeping import sweep

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    """Start as many as you like, on as many machines as share the database; stop with SIGTERM."""

    help = "Judge what was submitted. Start as many as you like; SIGTERM ends it after the calls in flight."

    def get_check_kwargs(self, options: Mapping[str, Any]) -> dict[str | None, Any]:
        """With the checks of the database: without its tables a worker would fail at every job."""
        return {"databases": [DEFAULT_DB_ALIAS]}

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until told to stop."""
        Worker(tick=tick).run()


def tick(first: bool) -> None:
    """Sweep; a database or broker that is away for a moment is no reason to end those who work."""
    now = timezone.now()
    try:
        if first:  # the cluster before may have died with messages it had taken
            reap(now=now, patience=dt.timedelta(0))
        sweep(now=now)
    except Exception:  # the next tick is seconds away
        log.exception("sweep_failed")
    finally:
        connections.close_all()
