"""One slice of judging: half a minute of an event loop with many calls in flight, and a writer beside it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from judging.appointing import make_judge
from judging.case import AnswerWork, Case
from judging.desk import Desk, Memory, Unfinished, settle
from judging.judges.base import Judge, JudgeUnavailable
from judging.loading import load_case, load_works
from judging.models import JudgeRun
from judging.pipeline import judge_answer
from judging.profiles import model_limits
from judging.recording import Recorder, remember
from judging.rounds import close_shard
from judging.seating import seated
from judging.shares import Share
from judging.slots import Slots
from judging.spending import over_budget
from submissions.driving import Slice, WorkPaused
from submissions.leases import Lease
from submissions.models import Job
from submissions.queue.draining import draining

log = structlog.get_logger(__name__)

# What is done for one answer with what the desk knows and asks.
Question = Callable[[AnswerWork, Case, Desk], Coroutine[Any, Any, Any]]

LOOK_SECONDS = 0.2  # how often the loop looks whether it must stop


class Overran(Exception):
    """Calls went on long after they should have ended, and were cut off: the next slice will fare no better."""


def judge_slice(lease: Lease) -> Slice:
    """Judge the answers of one shard as far as a slice goes; what it raises: :func:`put`."""
    if (ended := put(lease, run_of(lease), judge_answer)) is not None:
        return ended
    finish(lease)
    return Slice.DONE


def run_of(lease: Lease) -> JudgeRun:
    """The run a job belongs to, with what judging reads of it."""
    return JudgeRun.objects.select_related("submission__task_set", "submission__system__team", "profile").get(
        submission=lease.job.submission_id, round=lease.job.round
    )


def put(lease: Lease, run: JudgeRun, question: Question) -> Slice | None:
    """Put a question about each answer of one shard, as far as a slice goes; None once it is settled for all.

    :raises Overran: the judge did not keep to its time.
    :raises WorkPaused: the judge will not answer until somebody acts, or may not cost more.
    :raises submissions.leases.LeaseLost: somebody else holds the job.
    """
    job = lease.job
    if reason := over_budget(run, now=timezone.now()):
        raise WorkPaused(reason)
    case = load_case(run, now=run.started_at)
    works = load_works(run, job.answer_ids)
    memory = remember(run, job.answer_ids)
    recorder = Recorder(lease=lease, run=run)
    try:
        asking = partial(_each, question, works, case)
        finished = asyncio.run(_judge(asking, memory, set_up(lease, run, recorder)))
    except JudgeUnavailable as error:
        raise WorkPaused(error.reason, error.detail) from error
    finally:
        recorder.shut()
    return None if finished else _unfinished(lease, recorder)


def _unfinished(lease: Lease, recorder: Recorder) -> Slice:
    if lease.stop.is_set():
        return Slice.STOPPED
    if recorder.overspent:
        raise WorkPaused(recorder.overspent)
    return Slice.MORE


@dataclass(frozen=True, slots=True)
class Bench:
    """What one slice works with."""

    lease: Lease
    recorder: Recorder
    judge: Judge
    base_url: str
    limits: Share  # of the endpoint, for all workers together
    ends: float  # no new call starts after it
    latest: float  # and what still runs is cut off then

    def stopping(self) -> bool:
        """Whether no new call may start."""
        done = draining() or time.monotonic() > self.ends or self.recorder.overspent is not None
        return done or self.lease.stop.is_set()

    def over(self) -> bool:
        """Whether calls in flight are cut off: lease lost, submission cancelled, or they hang."""
        return self.lease.stop.is_set() or time.monotonic() > self.latest


def set_up(lease: Lease, run: JudgeRun, recorder: Recorder) -> Bench:
    """A bench for one slice that begins now."""
    ends = time.monotonic() + settings.EVALSERVICE["SLICE_SECONDS"]
    grace = question_budget()
    judge = make_judge(run.profile, recorder, budget_s=grace, pinned=run.model_served, bill=recorder.note)
    model = model_limits()
    limits = Share(model["in_flight"], model["tokens_per_minute"])
    return Bench(lease, recorder, judge, run.profile.base_url, limits, ends, ends + grace)


def question_budget() -> float:
    """Seconds one question may take with all its attempts.

    It fits between the end of a slice and the queue's own limit: a question that were cut off there would be
    asked anew in every slice, and the submission would fail for it.
    """
    config = settings.EVALSERVICE
    room = settings.Q_CLUSTER["timeout"] - config["SLICE_SECONDS"] - config["CLOSING_SECONDS"]
    return float(max(1, min(config["MODEL"]["budget_s"], room)))


async def _judge(asking: Callable[[Desk], Coroutine[Any, Any, bool]], memory: Memory, bench: Bench) -> bool:
    """Whether all answers were finished. The writer and the judging run side by side."""
    desk = Desk(memory, bench.judge, bench.recorder, Slots(bench.limits.in_flight), bench.stopping)
    seat = seated(
        bench.judge, desk.slots, base_url=bench.base_url, holder=bench.lease.owner, limits=bench.limits,
        run=bench.recorder.in_thread,
    )  # fmt: skip
    async with seat:
        writer = asyncio.create_task(bench.recorder.write())
        judging = asyncio.create_task(asking(desk))
        try:
            await _watch(judging, writer, bench)
            if not writer.done():  # what was found is written also when the judging failed: it is paid for
                await bench.recorder.close()
                await asyncio.wait({writer})
            return _outcome(judging, writer, bench)
        finally:
            writer.cancel()
            await bench.judge.aclose()


async def _each(question: Question, works: Sequence[AnswerWork], case: Case, desk: Desk) -> bool:
    try:
        await settle(question(work, case, desk) for work in works)
    except Unfinished:
        return False
    return True


async def _watch(judging: asyncio.Task[bool], writer: asyncio.Task[None], bench: Bench) -> None:
    """Until the judging is done; without a writer nothing found could be kept, so it ends too."""
    while not judging.done():
        await asyncio.wait({judging, writer}, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if writer.done() or bench.over():
            judging.cancel()
            await asyncio.wait({judging})


def _outcome(judging: asyncio.Task[bool], writer: asyncio.Task[None], bench: Bench) -> bool:
    if writer.done() and not writer.cancelled() and (error := writer.exception()):
        raise error
    if not judging.cancelled():
        return judging.result()
    if not bench.lease.stop.is_set():
        raise Overran
    return False


def finish(lease: Lease) -> None:
    """Close the shard, and the round with it if it was the last, in one transaction."""
    now = timezone.now()
    with transaction.atomic():
        lease.renew()
        lease.end(Job.State.DONE, finished_at=now)
        close_shard(lease.job, now=now)
