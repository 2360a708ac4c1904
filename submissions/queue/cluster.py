"""django-q2's cluster under a strict parent, measured to be what it takes.

A bare ``qcluster`` can freeze for good when an idle child is killed, and never acknowledges again when its
monitor dies. Here any unplanned death of a child restarts the whole cluster with fresh queues, a heartbeat
catches a hung sentinel, and children die with their parent. That is safe because jobs are leased (docs/adr).
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import RawValue
from types import FrameType
from typing import Any

import django_q.cluster
import structlog
from django.db import connections

from submissions.queue.draining import drain
from submissions.queue.screening import PipelineOnly

log = structlog.get_logger(__name__)

HUNG_SECONDS = 20.0
TICK_SECONDS = 5.0
_PR_SET_PDEATHSIG = 1
RESTART_SECONDS = 1.0
COLLECT_AFTER = 20_000  # new objects
_heartbeat = RawValue("d", 0.0)  # without a lock, which whoever is killed could take along
_PLANNED = {0, -2}  # timer values of a worker that timed out or is recycled


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies (Linux; elsewhere orphans end by themselves)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def collect_less_often() -> None:
    """Spare the garbage collector what this process was born with, and most of its rounds: a tenth of a worker's time."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 20)


class StrictSentinel(django_q.cluster.Sentinel):  # type: ignore[misc]  # django-q2 ships no types
    """A sentinel that never patches up a cluster whose queues a dead child may have left locked."""

    def status(self) -> Any:
        """Called once per guard cycle: the sign of life."""
        _heartbeat.value = time.monotonic()
        return super().status()

    def spawn_process(self, target: Any, *args: Any) -> Any:
        """Start a child; workers see their queue through :class:`PipelineOnly`."""
        if target == django_q.cluster.worker:
            args = (PipelineOnly(args[0]), *args[1:])
        return super().spawn_process(target, *args)

    def reincarnate(self, process: Any) -> None:
        """Recycle a worker as planned; end everything for an unplanned death."""
        if process in self.pool and int(process.timer.value) in _PLANNED:
            super().reincarnate(process)
            return
        log.error("queue_child_died", child=process.name)
        for child in [*self.pool, self.monitor, self.pusher]:
            if child and child.is_alive():
                child.kill()
        os._exit(70)


class Worker:
    """The parent: keeps one cluster alive until SIGTERM, and calls ``tick`` every few seconds.

    ``tick`` is told whether it is the first of a cluster: messages may have gone with the one before.
    """

    def __init__(self, *, tick: Callable[[bool], None]) -> None:
        self._tick = tick
        self._stopping = False
        self._ticked: float | None = None

    def run(self) -> None:
        """Serve until told to stop; drains: what runs ends its calls and gives its job back."""
        os.register_at_fork(after_in_child=die_with_parent)
        os.register_at_fork(after_in_child=collect_less_often)
        django_q.cluster.Sentinel = StrictSentinel
        drain(False)
        while not self._stopping:
            self._serve()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True
        drain()

    def _serve(self) -> None:
        """One life of a cluster."""
        connections.close_all()  # a connection must not be shared with forked children
        cluster = django_q.cluster.Cluster()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)  # the cluster has just installed its own
        _heartbeat.value = time.monotonic()
        self._ticked = None
        try:
            cluster.start()
            self._attend(cluster.sentinel)
        except RuntimeError as error:  # the sentinel ended before it was up: no database, no broker
            log.error("queue_did_not_start", error=str(error))
        if self._stopping:
            cluster.stop()
        else:
            time.sleep(RESTART_SECONDS)

    def _attend(self, sentinel: Any) -> None:
        while sentinel.is_alive() and not self._stopping:
            sentinel.join(0.5)
            self._watch(sentinel)
        if not self._stopping:
            log.error("queue_restarting", exitcode=sentinel.exitcode)

    def _watch(self, sentinel: Any) -> None:
        now = time.monotonic()
        if now - _heartbeat.value > HUNG_SECONDS:
            log.error("queue_sentinel_hung")
            sentinel.kill()
        first = self._ticked is None
        if self._ticked is None or now - self._ticked >= TICK_SECONDS:
            self._ticked = now
            self._tick(first)
