"""The search stage: what a provider finds for the claims of a shard's answers, before they are judged.

Claims are read as judging reads them, and remembered: nothing is asked a second time. A query is asked once a day
whoever makes it; what it found stays with the submission, however often that is judged again.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from judging.canonical import digest
from judging.case import AnswerWork, Case
from judging.desk import Desk
from judging.loading import searches_of
from judging.models import JudgeRun, SearchReply, SubmissionSearch
from judging.pages.store import chunks
from judging.pipeline import claims_to_search
from judging.rounds import add_shard
from judging.search.found import query_hash
from judging.search.interface import Fault, Provider, Results, SearchFailed, SearchRefused
from judging.search.providers import make_provider
from judging.search.queries import queries_of
from judging.search.results import snapshot_text
from judging.slices import put, run_of
from submissions import blobs
from submissions.driving import Slice, WorkPaused
from submissions.leases import Lease
from submissions.models import Job, Submission
from submissions.models.submission import IllegalTransition
from submissions.queue.draining import draining
from submissions.reasons import StateReason

log = structlog.get_logger(__name__)

ASKED_AT_ONCE = 4  # queries of one worker
LOOKED_AT = 500  # queries a pass considers
CLAIM_SECONDS = 60  # the query of a worker that died may be asked by another then
HELD_DOWN_AFTER = 8  # queries of a round that failed one after the other
# What says that the provider is away. Other faults may lie in a query, which is its team's words.
_AWAY = frozenset({Fault.UNREACHABLE, Fault.TIMEOUT, Fault.SERVER_ERROR, Fault.RATE_LIMITED, Fault.HELD_DOWN})


@dataclass
class Asked:
    """What became of some queries, by the query; ``refused`` once the provider answers none any more."""

    results: dict[str, Results] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    refused: str = ""


def search_slice(lease: Lease) -> Slice:
    """Read the claims of one shard and search for them, as far as a slice goes. Judging follows.

    :raises WorkPaused: the provider answers nothing until somebody acts, or is not the one that began the round.
    :raises submissions.leases.LeaseLost: somebody else holds the job.
    """
    ends = time.monotonic() + settings.EVALSERVICE["SLICE_SECONDS"]
    run = run_of(lease)
    if settings.EVALSERVICE["SEARCH"]["provider"] != run.search:
        raise WorkPaused(StateReason.SEARCH_CHANGED)
    claims: dict[str, None] = {}

    async def note(work: AnswerWork, case: Case, desk: Desk) -> None:
        claims.update(dict.fromkeys(await claims_to_search(work, case, desk)))

    if (ended := put(lease, run, note)) is not None:
        return ended
    queries = dict.fromkeys(query for claim in claims for query in queries_of(claim, most=run.search_queries))
    return search_all(lease, run, list(queries), ends=ends)


def search_all(lease: Lease, run: JudgeRun, queries: Sequence[str], *, ends: float) -> Slice:
    """Give every query its result or its fault; until ``ends`` by the monotonic clock new ones are asked."""
    while waiting := missing(run, queries):
        if lease.stop.is_set():
            return Slice.STOPPED
        if draining() or time.monotonic() > ends:
            return Slice.MORE
        if is_held_down(run):
            leave_alone(lease, run, waiting[:LOOKED_AT])
        elif not search_some(lease, run, waiting[:LOOKED_AT]):
            return Slice.WAITING
    finish(lease)
    return Slice.DONE


def missing(run: JudgeRun, queries: Sequence[str]) -> list[str]:
    """Queries that have no result for the submission, and have not failed in this round."""
    known: set[str] = set()
    mine = searches_of(run)
    for part in chunks([query_hash(query) for query in queries]):
        found = mine.filter(Q(reply__isnull=False) | Q(round=run.round), query_hash__in=part)
        known |= set(found.values_list("query_hash", flat=True))
    return [query for query in queries if query_hash(query) not in known]


def is_held_down(run: JudgeRun) -> bool:
    """Whether the provider was away for the last queries of the round: then the others are not asked in it."""
    mine = SubmissionSearch.objects.filter(submission=run.submission_id, round=run.round)
    last = list(mine.order_by("-id").values_list("fault", flat=True)[:HELD_DOWN_AFTER])
    return len(last) == HELD_DOWN_AFTER and _AWAY.issuperset(last)


def leave_alone(lease: Lease, run: JudgeRun, queries: Sequence[str]) -> None:
    """Take what is there of today without asking; the other queries have failed."""
    log.warning("search_held_down", queries=len(queries))
    rows = rows_of(run, queries, timezone.now())
    known = {query: row for query, row in rows.items() if row.asked_at is not None}
    with lease.writing(results=len(queries)):
        attach(run, known, {query: Fault.HELD_DOWN for query in queries if query not in known})


def search_some(lease: Lease, run: JudgeRun, queries: Sequence[str]) -> bool:
    """Take what others found today, and ask some queries that nobody is asking; False if there was neither.

    :raises WorkPaused: the provider refuses us. What it answered before is kept.
    """
    now = timezone.now()
    rows = rows_of(run, queries, now)
    known = {query: row for query, row in rows.items() if row.asked_at is not None}
    held = claim([row for row in rows.values() if row.asked_at is None], now=now)
    if not known and not held:
        return False
    if refused := _asked_and_kept(lease, run, known, held):
        raise WorkPaused(refused)
    return True


def _asked_and_kept(
    lease: Lease, run: JudgeRun, known: Mapping[str, SearchReply], held: Mapping[str, SearchReply]
) -> str:
    """Ask what is ``held`` and keep it with what is ``known``; the reason if the provider refuses us."""
    try:
        asked = asyncio.run(ask(make_provider(), list(held), limit=run.search_results))
        texts = {query: keep(results) for query, results in asked.results.items()}
        now = timezone.now()
        with lease.writing(results=len(known) + len(asked.results) + len(asked.faults)):
            answered = {query: answer(held[query], *text, now=now) for query, text in texts.items()}
            attach(run, {**known, **answered}, asked.faults)
        return asked.refused
    finally:
        give_back(held.values())


# ------------------------------------------------------------------ asking
async def ask(provider: Provider, queries: Sequence[str], *, limit: int) -> Asked:
    """Ask a provider several queries at once, for ``limit`` hits each."""
    asked = Asked()

    async def one(query: str) -> None:
        try:
            asked.results[query] = await provider.search(query, limit=limit)
        except SearchFailed as failed:
            asked.faults[query] = failed.fault
        except SearchRefused as refused:
            asked.refused = refused.reason

    try:
        await asyncio.gather(*map(one, queries))
    finally:
        await provider.aclose()
    return asked


# ------------------------------------------------------------------ rows
def rows_of(run: JudgeRun, queries: Sequence[str], now: dt.datetime) -> dict[str, SearchReply]:
    """Today's row of every query, made where there is none."""
    day = now.astimezone(dt.UTC).date()
    keys = {reply_key(run, query): query for query in queries}
    today = SearchReply.objects.filter(day=day, key__in=keys)
    there = set(today.values_list("key", flat=True))
    # In one order, whoever makes them; where another worker makes the same in this moment, its row serves both.
    new = [
        SearchReply(provider=run.search, key=key, day=day, query=keys[key])
        for key in sorted(set(keys) - there)
    ]
    SearchReply.objects.bulk_create(new, ignore_conflicts=True)
    by_query = {keys[row.key]: row for row in today.all()}
    return {query: by_query[query] for query in queries}


def reply_key(run: JudgeRun, query: str) -> str:
    """SHA-256 of all that is asked."""
    return digest([run.search, settings.EVALSERVICE["SEARCH"]["url"], query, run.search_results])


def claim(rows: Sequence[SearchReply], *, now: dt.datetime) -> dict[str, SearchReply]:
    """Take some rows that nobody has answered or is asking, by their queries."""
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lte=now)
    until = now + dt.timedelta(seconds=CLAIM_SECONDS)
    taken: dict[str, SearchReply] = {}
    for row in rows:
        if len(taken) == ASKED_AT_ONCE:
            break
        mine = SearchReply.objects.filter(free, pk=row.pk, asked_at__isnull=True)
        if mine.update(claimed_until=until):
            row.claimed_until = until
            taken[row.query] = row
    return taken


def give_back(held: Iterable[SearchReply]) -> None:
    """Let others ask what was not answered. Who took a row over meanwhile keeps it."""
    for row in held:
        mine = SearchReply.objects.filter(pk=row.pk, asked_at__isnull=True, claimed_until=row.claimed_until)
        mine.update(claimed_until=None)


def keep(results: Results) -> tuple[str, int]:
    """The text of a result in the blob store: its SHA-256 ("" for no text), and how many hits it has."""
    text = snapshot_text(results.hits)
    return blobs.put(text.encode()) if text else "", len(results.hits)


def answer(row: SearchReply, text_sha256: str, hits: int, *, now: dt.datetime) -> SearchReply:
    """Note what was found; where a worker that took the row over was faster, what that one found counts."""
    open_row = SearchReply.objects.filter(pk=row.pk, asked_at__isnull=True)
    open_row.update(text_sha256=text_sha256, hits=hits, asked_at=now, claimed_until=None)
    return row


def attach(run: JudgeRun, replies: Mapping[str, SearchReply], faults: Mapping[str, Fault]) -> None:
    """What the submission is judged by from this round on; call inside a transaction."""
    rows = [
        SubmissionSearch(
            submission_id=run.submission_id,
            round=run.round,
            provider=run.search,
            query_hash=query_hash(query),
            reply=replies.get(query),
            fault=faults.get(query, ""),
        )
        for query in sorted({*replies, *faults})
    ]
    # Another shard may have searched for the same.
    SubmissionSearch.objects.bulk_create(rows, ignore_conflicts=True)


@transaction.atomic
def finish(lease: Lease) -> None:
    """Close the shard's search and open its judging, in one transaction.

    :raises IllegalTransition: the submission was cancelled or paused meanwhile.
    """
    now = timezone.now()
    lease.renew()
    lease.end(Job.State.DONE, finished_at=now)
    job = lease.job
    submission = Submission.objects.select_for_update().get(pk=job.submission_id)
    if submission.state != Submission.State.JUDGING:
        raise IllegalTransition(submission.public_id, Submission.State.JUDGING)
    add_shard(
        submission, Job.Kind.JUDGE, round=job.round, shard=job.shard, answer_ids=job.answer_ids, now=now
    )
