"""Held jobs of a round, whose findings are to be written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from judging.cascade import Finding
from judging.desk import Judgement, Reading
from judging.judges.base import ExtractOutcome
from judging.models import Extraction, JudgeRun, Rubric, Verdict
from judging.recording import Recorder, extraction_row, verdict_row
from judging.rounds import open_round
from submissions.leases import Lease, acquire
from tests.factories import make_submission, make_task_set

KEYS = [f"{n:064x}" for n in range(500)]


@dataclass
class Scene:
    """A held job of a round, with an answer and its rubric."""

    run: JudgeRun
    lease: Lease
    answer: int
    rubric: int

    def recorder(self) -> Recorder:
        """A recorder of its own."""
        return Recorder(lease=self.lease, run=self.run)

    def verdict(self, key: str, finding: Finding = Finding.SUPPORTED, **fields: Any) -> Verdict:
        """A row to write."""
        return verdict_row(self.run, self.answer, self.rubric, "check", key, Judgement(finding, **fields))

    def extraction(self, key: str, data: Any, outcome: ExtractOutcome = ExtractOutcome.OK) -> Extraction:
        """A row to write."""
        return extraction_row(self.run, self.answer, "name", key, Reading(outcome, data))


def made_scene() -> Scene:
    """A submission with one answer, held."""
    submission = make_submission("judging", task_set=make_task_set(tasks=1))
    now = timezone.now()
    task = submission.task_set.tasks.get()
    rubric = Rubric.objects.create(task=task, source={}, content_hash="0" * 64, created_at=now)
    run = open_round(submission, now=now)
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    return Scene(run, lease, submission.answers.get().pk, rubric.pk)


def write(recorder: Recorder, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Work with the writer beside it, to the end of both."""

    async def both() -> None:
        writer = asyncio.create_task(recorder.write())
        try:
            await work()
            await recorder.close()
        finally:
            await asyncio.wait({writer}, timeout=60)
        writer.result()

    try:
        asyncio.run(both())
    finally:
        recorder.shut()
