"""Holding a job: one worker at a time, by a lease that must be renewed and a token that fences late writers.

Martin Kleppmann, "How to do distributed locking" (2016), describes the fencing token. Times are the database's,
never a machine's clock: several workers may disagree about what time it is.
"""

from __future__ import annotations

import datetime as dt
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Case, ExpressionWrapper, F, Q, When
from django.db.models.fields import DateTimeField
from django.db.models.functions import Now

from submissions.models import Job, Submission

log = structlog.get_logger(__name__)

WATCH_SECONDS = 0.5  # how soon a cancelled or paused submission stops spending


class LeaseLost(Exception):
    """Somebody else holds the job now; nothing more may be written for it."""


def _in(seconds: float) -> ExpressionWrapper[Any]:
    return ExpressionWrapper(Now() + dt.timedelta(seconds=seconds), output_field=DateTimeField())


@dataclass
class Lease:
    """A held job. ``stop`` is set when work must end: lease lost, submission cancelled or paused.

    ``ended`` says that we gave it back ourselves, in a transaction that may still be rolled back.
    """

    job: Job
    token: int
    stop: threading.Event = field(default_factory=threading.Event)
    lost: bool = False
    ended: bool = False

    @property
    def owner(self) -> str:
        """Who holds it: no two leases have the same."""
        return self.job.lease_owner

    def _mine(self) -> Any:
        return Job.objects.filter(pk=self.job.pk, lease_token=self.token, state=Job.State.RUNNING)

    def renew(self, **progress: Any) -> None:
        """Hold the job for another term; call it first in every transaction that writes results.

        :raises LeaseLost: the token is not ours any more.
        """
        if not self._mine().update(lease_until=_in(settings.EVALSERVICE["LEASE_SECONDS"]), **progress):
            self.lost = True
            self.stop.set()
            raise LeaseLost(self.job.pk)

    @contextmanager
    def writing(self, *, results: int = 0) -> Iterator[None]:
        """A transaction that only the holder can commit. ``results`` > 0 counts as progress."""
        with transaction.atomic():
            progress: dict[str, Any] = (
                {"done_items": F("done_items") + results, "takeovers": 0} if results else {}
            )
            self.renew(**progress)
            yield

    def end(self, state: Job.State, *, reason: str = "", **fields: Any) -> bool:
        """Give the job back as ``state``; False if it was not ours any more."""
        changed: int = self._mine().update(
            state=state, reason=reason, lease_until=None, lease_owner="", **fields
        )
        self.ended = changed == 1
        return self.ended

    def __enter__(self) -> Self:
        self._watcher = threading.Thread(target=self._watch, name=f"lease-{self.job.pk}", daemon=True)
        self._over = threading.Event()
        self._watcher.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        """In a thread with a connection of its own, so that a busy event loop cannot lose the lease."""
        term = settings.EVALSERVICE["LEASE_SECONDS"]
        beats = max(1, int(term / 4 / WATCH_SECONDS))
        count = 0
        try:
            while not self._over.wait(WATCH_SECONDS) and not self.stop.is_set():
                count += 1
                self._look(renew=count % beats == 0)
        finally:
            connection.close()

    def _look(self, *, renew: bool) -> None:
        try:
            state = Submission.objects.values_list("state", flat=True).get(pk=self.job.submission_id)
            if state in {Submission.State.CANCELLED, Submission.State.PAUSED, Submission.State.FAILED}:
                self.stop.set()
            if renew:
                self.renew()
        except LeaseLost:
            if not self.ended:  # what we gave back ourselves was not taken from us
                log.warning("lease_lost", job=self.job.pk)
        except DatabaseError as error:  # a busy or restarting database is not a lost lease; the term decides
            log.warning("lease_watch_failed", job=self.job.pk, error=type(error).__name__)
            connection.close()


def acquire(job_id: int) -> Lease | None:
    """Take the job if it is free: one conditional UPDATE that adds 1 to the token. None if it is not to be had."""
    owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
    free = Q(state=Job.State.READY) | Q(state=Job.State.RUNNING, lease_until__lt=Now())
    due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
    taken = Job.objects.filter(free & due, pk=job_id).update(
        state=Job.State.RUNNING,
        lease_owner=owner,
        lease_token=F("lease_token") + 1,
        lease_until=_in(settings.EVALSERVICE["LEASE_SECONDS"]),
        # What was given back is no takeover: only a worker that died is held against the job.
        takeovers=F("takeovers") + Case(When(state=Job.State.RUNNING, then=1), default=0),
    )
    if not taken:
        return None
    job = Job.objects.select_related("submission").filter(pk=job_id, lease_owner=owner).first()
    return Lease(job, job.lease_token) if job else None
