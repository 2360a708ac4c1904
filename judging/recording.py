"""Writing findings: small batches, each in a transaction that only the holder of the lease can commit.

100 rows or half a second: what a killed worker loses is that batch and the calls in flight.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, TypeVar

from django.db import connections, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from judging.canonical import digest, plain, storable
from judging.cascade import Finding
from judging.desk import Judgement, Memory, Reading
from judging.judges.base import Attempt, CachedReply, CallRecord, ExtractOutcome, JudgeUnavailable, Usage
from judging.models import Extraction, JudgeRun, ModelCall, Verdict
from judging.profiles import terms_of
from judging.spending import Paid, charge, over_budget
from submissions.leases import Lease, LeaseLost
from submissions.reasons import StateReason

BATCH = 100
SECONDS = 0.5
WAITING = 1_000  # rows; beyond it the judges wait for the writer

Row = Verdict | Extraction | ModelCall
# What is there for all runs.
SETTLED: dict[type[Row], Q] = {
    Verdict: Q(finding__in=["supported", "refuted", "undecided"]),
    Extraction: Q(outcome="ok"),
    ModelCall: Q(),
}
T = TypeVar("T")


class RowRefused(Exception):
    """A finding could not be stored: it breaks a rule of the database."""


class Recorder:
    """A ledger for the desk and a reply cache for the judge, over one writer.

    Database work happens in one thread with a connection of its own: an event loop must not block on it.
    ``overspent`` names the budget that what was asked has used up.
    """

    def __init__(self, *, lease: Lease, run: JudgeRun) -> None:
        self._lease = lease
        self._run = run
        self._rows: asyncio.Queue[Row | None] = asyncio.Queue(WAITING)
        self._unwritten: dict[str, CachedReply] = {}
        self._wanted: set[str] = set()
        self._together: asyncio.Future[dict[str, CachedReply]] | None = None
        self._pinned: set[tuple[str, str]] = set()
        self._unpaid: list[Paid] = []
        self.overspent: StateReason | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"recorder-{lease.job.pk}")

    # -- ledger
    async def judgement(self, answer: int, rubric: int, check: str, key: str, found: Judgement) -> None:
        """Write a verdict."""
        await self._rows.put(verdict_row(self._run, answer, rubric, check, key, found))

    async def reading(self, answer: int, name: str, key: str, found: Reading) -> None:
        """Write an extraction."""
        await self._rows.put(extraction_row(self._run, answer, name, key, found))

    def note(self, attempt: Attempt, cost_usd: float | None) -> None:
        """Something was asked: it is charged whether a verdict comes of it or not."""
        self._unpaid.append((attempt, cost_usd))

    # -- reply cache
    async def get(self, key: str) -> CachedReply | None:
        """A reply this installation has paid for before, be it a moment ago. Who asks at the same time asks together."""
        if key in self._unwritten:
            return self._unwritten[key]
        if self._together is None:
            self._together = asyncio.ensure_future(self._looked_up())
        self._wanted.add(key)
        return (await asyncio.shield(self._together)).get(key)

    async def _looked_up(self) -> dict[str, CachedReply]:
        await asyncio.sleep(0)  # all who are ready now have their turn
        wanted, self._wanted, self._together = self._wanted, set(), None
        return await self.in_thread(lambda: stored_replies(wanted))

    async def put(self, reply: CachedReply) -> None:
        """Keep a usable reply.

        :raises JudgeUnavailable: another model than the run's has given it.
        """
        seat = (reply.model_asked, reply.model_served)
        if reply.model_served and seat not in self._pinned:
            await self.in_thread(lambda: pin(self._run, reply.model_served, asked=reply.model_asked))
            self._pinned.add(seat)
        self._unwritten[reply.key] = reply
        await self._rows.put(
            ModelCall(
                key=reply.key,
                content=storable(reply.content),
                model_served=storable(reply.model_served)[:120],
                finish_reason=storable(reply.finish_reason)[:40],
                usage=asdict(reply.usage),
                created_at=timezone.now(),
            )
        )

    # -- writer
    async def write(self) -> None:
        """Write batches until :meth:`close`; run it as a task beside the judging.

        :raises submissions.leases.LeaseLost: somebody else holds the job now.
        """
        batch: list[Row] = []
        due = time.monotonic() + SECONDS
        while True:
            row = await self._next(due)
            closing = row is None and not self._timed_out
            if row is not None:
                batch.append(row)
                self._drain(batch)
            if (batch or self._unpaid) and (closing or len(batch) >= BATCH or time.monotonic() >= due):
                await self._flush(batch)
                batch = []
            if closing:
                return
            if time.monotonic() >= due:
                due = time.monotonic() + SECONDS

    async def _next(self, due: float) -> Row | None:
        self._timed_out = False
        try:
            async with asyncio.timeout(max(0.0, due - time.monotonic())):
                return await self._rows.get()
        except TimeoutError:
            self._timed_out = True
            return None

    def _drain(self, batch: list[Row]) -> None:
        """Take what is there: one row a loop turn would starve the writer under hundreds of producers."""
        while len(batch) < BATCH:
            try:
                row = self._rows.get_nowait()
            except asyncio.QueueEmpty:
                return
            if row is None:
                self._rows.put_nowait(None)
                return
            batch.append(row)

    async def _flush(self, batch: Sequence[Row]) -> None:
        paid, self._unpaid = self._unpaid, []
        self.overspent = await self.in_thread(lambda: self._save(batch, paid))
        for row in batch:
            if isinstance(row, ModelCall):
                self._unwritten.pop(row.key, None)

    def _save(self, batch: Sequence[Row], paid: Sequence[Paid]) -> StateReason | None:
        try:
            save(self._lease, batch, run=self._run.pk, paid=paid)
        except LeaseLost:  # nothing may be written for the job any more, but what was asked is to be paid
            with transaction.atomic():
                charge(self._run.pk, paid, now=timezone.now())
            raise
        return over_budget(self._run, now=timezone.now())

    async def close(self) -> None:
        """Nothing more will come."""
        await self._rows.put(None)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do database work beside the loop, one piece after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def shut(self) -> None:
        """End the thread and its connection."""
        self._thread.submit(connections.close_all)  # in that thread: each has connections of its own
        self._thread.shutdown(wait=True)


def pin(run: JudgeRun, served: str, *, asked: str) -> None:
    """The model that gives the first reply judges the whole run, in all its shards, on all machines; of several models that
    are asked, each as it was served first.

    :raises JudgeUnavailable: it is another one already.
    """
    terms, name = terms_of(run.profile), storable(served)
    while (pins := terms.pins(run.model_served)).get(asked, name) == name:
        text = terms.as_pinned({**pins, asked: name})
        known = JudgeRun.objects.filter(pk=run.pk, model_served__in=[run.model_served, text])
        if known.update(model_served=text):
            run.model_served = text
            return
        run.refresh_from_db(fields=["model_served"])  # another shard was faster
    raise JudgeUnavailable(StateReason.WRONG_MODEL, f"pinned {pins[asked]}, served {name}")


def save(lease: Lease, batch: Sequence[Row], *, run: int, paid: Sequence[Paid] = ()) -> None:
    """One fenced transaction; rows that exist already are left as they are, and what was ``paid`` is charged to the run.

    :raises submissions.leases.LeaseLost: nothing was written.
    :raises RowRefused: a row breaks a rule of the database; nothing was written.
    """
    found = [row for row in batch if not isinstance(row, ModelCall)]
    with lease.writing(results=len(found)):
        insert(ModelCall, [row for row in batch if isinstance(row, ModelCall)], ("key",))
        insert(Extraction, [row for row in found if isinstance(row, Extraction)], ("answer_id", "key"))
        insert(Verdict, [row for row in found if isinstance(row, Verdict)], ("answer_id", "key"))
        charge(run, paid, now=timezone.now())


def insert(model: type[Row], rows: Sequence[Any], identity: Sequence[str]) -> None:
    """Add the rows that are not there yet; call inside a transaction.

    SQLite leaves out silently not only what is there, but also what breaks a rule: so it is looked after.
    They go in by their keys: equal questions of two submissions get their replies in any order, and two transactions
    that keep the same ones each in its own would wait for each other.

    :raises RowRefused: a row is neither new nor there.
    """
    if not rows:
        return
    manager: Any = model._default_manager
    manager.bulk_create(sorted(rows, key=lambda row: str(row.key)), ignore_conflicts=True)
    wanted = {tuple(getattr(row, name) for name in identity) for row in rows}
    there = manager.filter(SETTLED[model] | _of_run(rows[0]), key__in=[row.key for row in rows])
    if refused := wanted - set(there.values_list(*identity)):
        raise RowRefused(f"{model.__name__}: {len(refused)} of {len(rows)}")


def _of_run(row: Row) -> Q:
    """What else may keep a row from being added: in a run, each check of an answer is found once."""
    return Q() if isinstance(row, ModelCall) else Q(run=row.run_id)


def stored_replies(keys: Collection[str]) -> dict[str, CachedReply]:
    """Replies out of the cache, by key."""
    return {
        row.key: CachedReply(row.key, row.content, row.model_served, row.finish_reason, Usage(**row.usage))
        for row in ModelCall.objects.filter(key__in=keys)
    }


# ------------------------------------------------------------------ rows
def _records(records: Sequence[CallRecord]) -> Any:
    return plain({"calls": records})


def _calls(records: Sequence[CallRecord]) -> int:
    return sum(len(record.attempts) for record in records)


def verdict_row(run: JudgeRun, answer: int, rubric: int, check: str, key: str, found: Judgement) -> Verdict:
    """An unsaved verdict.

    One that was to rest on a picture which is not in the store stands for its own round alone, under a key of that round:
    the next one looks for the picture again.
    """
    asked = {"key": key} if _lacks_picture(found) else {}
    return Verdict(
        run=run,
        answer_id=answer,
        rubric_id=rubric,
        check_id=storable(check)[:300],
        key=digest([key, run.round]) if asked else key,
        finding=found.finding.value,
        code=found.code[:60],
        error_class=found.error_class,
        statement=storable(found.statement),
        reason=storable(found.reason),
        quote=storable(found.quote),
        answer_state=found.answer_state,
        relevance=found.relevance,
        evidence=plain(found.evidence),
        record={**_records(found.records), **asked},
        model_calls=_calls(found.records),
        created_at=timezone.now(),
    )


def _lacks_picture(found: Judgement) -> bool:
    return any(page.get("picture") == "missing" for page in found.evidence)


def extraction_row(run: JudgeRun, answer: int, name: str, key: str, found: Reading) -> Extraction:
    """An unsaved extraction."""
    return Extraction(
        run=run,
        answer_id=answer,
        name=name[:200],
        key=key,
        outcome=found.outcome.value,
        data=found.data,
        reason=storable(found.reason),
        record=_records(found.records),
        model_calls=_calls(found.records),
        created_at=timezone.now(),
    )


def known_rows(model: type[Verdict | Extraction], run: JudgeRun) -> QuerySet[Any]:
    """What need not be asked again: all of this run, and whatever is settled from earlier ones; the last of a key counts.

    Later runs do not count: replayed, a run says what it said when it ended.
    """
    earlier = Q(run__round__lt=run.round)
    rows: QuerySet[Any] = model._default_manager.filter(Q(run=run) | (SETTLED[model] & earlier))
    return rows.order_by("id")


def remember(run: JudgeRun, answers: Sequence[int]) -> Memory:
    """The memory of these answers."""
    memory = Memory()
    for verdict in known_rows(Verdict, run).filter(answer__in=answers).iterator():
        place = verdict.answer_id, _asked_key(verdict, run)
        memory.judgements[place] = _judgement(verdict)
        memory.stored[place] = verdict.key
    for row in known_rows(Extraction, run).filter(answer__in=answers).iterator():
        outcome = ExtractOutcome(row.outcome)
        memory.readings[row.answer_id, row.key] = Reading(outcome, row.data, row.reason)
    return memory


def _asked_key(row: Verdict, run: JudgeRun) -> str:
    """The key that a verdict answers to in this run."""
    asked = row.record.get("key") if isinstance(row.record, dict) and row.run_id == run.pk else None
    return asked if isinstance(asked, str) else row.key


def _judgement(row: Verdict) -> Judgement:
    return Judgement(
        finding=Finding(row.finding),
        statement=row.statement,
        code=row.code,
        error_class=row.error_class,
        reason=row.reason,
        quote=row.quote,
        answer_state=row.answer_state,
        relevance=row.relevance,
        evidence=tuple(row.evidence),
    )
