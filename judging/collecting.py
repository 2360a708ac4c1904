"""Collecting: every page a submission cites, once, before anything is judged.

Fetches are shuffled, so that their order tells a page's owner nothing about who cites what.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import ipaddress
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from judging.case import key_or_none
from judging.citations import cited_urls
from judging.hosts import GAP_SECONDS, Claim, claim, host_of, release, seconds_to_wait
from judging.models import CitedPage, JudgeRun, PageSnapshot
from judging.pages.captures import Capture, PageVerdict
from judging.pages.fetch import Patience, capture_many
from judging.pages.store import CHUNK, chunks, is_failure, pages_for, save_captures
from judging.rounds import open_round
from submissions.driving import Slice
from submissions.egress import SPECIAL_NAMES, Denied, Door, Policy
from submissions.egress.addresses import is_address
from submissions.leases import Lease
from submissions.models import Job, Submission
from submissions.queue.draining import draining

FETCHED_AT_ONCE = 8  # pages, each of another host
LOOKED_AT = 500  # citations a pass considers: hosts and pages are looked up by name in one query
# Reserved for examples, and what the sites of invented sets are called: such a page may be one the archive lacks.
INVENTED = frozenset({"example"})
SHORTEST_WAIT_SECONDS = 0.05  # a host that was free a moment ago
PATIENCE_SECONDS = 3.0  # how long a slice waits for hosts before it lets others have the worker


def collect(lease: Lease) -> Slice:
    """One slice of collecting. The last one opens the next round of judging."""
    ends = time.monotonic() + settings.EVALSERVICE["SLICE_SECONDS"]
    submission = lease.job.submission
    if submission.state == Submission.State.QUEUED:
        begin(lease, submission)
    gather = from_archive if settings.EVALSERVICE["PAGES"] == "archive" else from_web
    patience = PATIENCE_SECONDS
    while waiting := missing(submission):
        if lease.stop.is_set():
            return Slice.STOPPED
        if draining() or time.monotonic() > ends:
            return Slice.MORE
        wait = gather(lease, submission, waiting)
        patience = patience - wait if wait else PATIENCE_SECONDS
        if patience < 0:
            return Slice.WAITING
        lease.stop.wait(wait)
    finish(lease)
    return Slice.DONE


def begin(lease: Lease, submission: Submission) -> None:
    """Note what is cited, once, and move on from the queue."""
    now = timezone.now()
    # What is no address of any page is judged as that (evidence.Standing.DEAD).
    urls = [url for url in all_cited(submission) if key_or_none(url)]
    with lease.writing():
        pages = pages_for(urls, now=now)
        first = {pages[url].pk: url for url in reversed(urls)}  # of two spellings the one cited first
        rows = [CitedPage(submission=submission, page_id=page, url=url) for page, url in first.items()]
        CitedPage.objects.bulk_create(reversed(rows), batch_size=CHUNK)
        submission.move(Submission.State.COLLECTING, actor="worker", now=now)


def all_cited(submission: Submission) -> list[str]:
    """Every URL the answers cite, distinct, in the order of the answers."""
    limit = settings.EVALSERVICE["LIMITS"]["urls_per_answer"]
    texts = submission.answers.exclude(text="").order_by("task__position", "run", "id")
    found: dict[str, None] = {}
    for text in texts.values_list("text", flat=True).iterator():
        found.update(dict.fromkeys(cited_urls(text, limit=limit)))
    return list(found)


def missing(submission: Submission) -> list[CitedPage]:
    """Citations without a snapshot, in an order that depends on the submission alone."""
    rows = list(
        CitedPage.objects.filter(submission=submission, snapshot__isnull=True)
        .select_related("page")
        .order_by("page_id")
    )
    seed = hashlib.sha256(submission.public_id.encode()).digest()
    random.Random(seed).shuffle(rows)  # noqa: S311  # an order, not a secret
    return rows


def from_archive(lease: Lease, submission: Submission, rows: Sequence[CitedPage]) -> float:
    """Give each citation its snapshot out of the set's archive; nothing is fetched, nothing to wait for."""
    now = timezone.now()
    known = archived(rows, submission.task_set_id)
    found = [row for row in rows if row.page_id in known]
    lacking = [row for row in rows if row.page_id not in known]
    # What the archive lacks is noted for this submission alone: it is no part of the archive.
    allowed = replace(policy(), special_names=SPECIAL_NAMES - INVENTED)
    captures = [outside_archive(row.url, allowed, now) for row in lacking]
    with lease.writing(results=len(rows)):
        attach(found, [known[row.page_id] for row in found], now)
        attach(lacking, save_captures(captures, task_set=None, now=now), now)
    return 0.0


def archived(rows: Sequence[CitedPage], task_set: int) -> dict[int, PageSnapshot]:
    """The newest snapshots of a set's archive, by page."""
    known: dict[int, PageSnapshot] = {}
    for part in chunks(rows):
        pages = [row.page_id for row in part]
        found = PageSnapshot.objects.filter(task_set=task_set, page__in=pages).order_by("number")
        known |= {snapshot.page_id: snapshot for snapshot in found}
    return known


def at_hand(rows: Sequence[CitedPage], task_set: int, now: dt.datetime) -> dict[int, PageSnapshot]:
    """The snapshots there are without asking anybody, by page: out of the set's archive, else of today.

    What an organiser archived is the evidence that was vetted, whatever the page shows by now. Only where the
    archive says that the page could not be had we look for ourselves.
    """
    vetted = archived(rows, task_set)
    return taken_today(rows, now) | {page: one for page, one in vetted.items() if not is_failure(one)}


def from_web(lease: Lease, submission: Submission, rows: Sequence[CitedPage]) -> float:
    """Give citations the snapshots that are at hand, and fetch one page each of some hosts that are free.

    The seconds to wait if there was nothing to be had, else 0.
    """
    rows, now = rows[:LOOKED_AT], timezone.now()
    known = at_hand(rows, submission.task_set_id, now)
    first = one_a_host(row for row in rows if row.page_id not in known)
    held = claim(list(first), most=FETCHED_AT_ONCE, now=now)
    if not known and not held:
        return max(seconds_to_wait(first, now=now), SHORTEST_WAIT_SECONDS)
    captures: dict[str, Capture] = {}
    try:
        wanted = {one.name: first[one.name] for one in held}
        # Somebody may have fetched one of these while we waited for its host.
        known |= taken_today(wanted.values(), now)
        new = {name: row for name, row in wanted.items() if row.page_id not in known}
        captures = dict(zip(new, fetch([row.url for row in new.values()], now), strict=True))
        old = [row for row in rows if row.page_id in known]
        with lease.writing(results=len(old) + len(new)):
            attach(old, [known[row.page_id] for row in old], now)
            attach(list(new.values()), save_captures(list(captures.values()), task_set=None, now=now), now)
    finally:
        give_back(held, captures)
    return 0.0


def one_a_host(rows: Iterable[CitedPage]) -> dict[str, CitedPage]:
    """The first citation of each host, by the host's name."""
    first: dict[str, CitedPage] = {}
    for row in rows:
        first.setdefault(host_of(row.page.key), row)
    return first


def give_back(held: Iterable[Claim], captures: Mapping[str, Capture]) -> None:
    """Let hosts go: those that were asked rest, for as long as they said."""
    now = timezone.now()
    for one in held:
        asked_for = captures[one.name].retry_after_s if one.name in captures else 0.0
        release(one, rest_s=max(GAP_SECONDS, asked_for), now=now)


def taken_today(rows: Iterable[CitedPage], now: dt.datetime) -> dict[int, PageSnapshot]:
    """Live snapshots of the same day by page, whoever cited it; failures of ours serve nobody else."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    live = PageSnapshot.objects.filter(
        page__in=[row.page_id for row in rows], task_set__isnull=True, fetched_at__gte=day
    )
    return {snapshot.page_id: snapshot for snapshot in live.order_by("number") if not is_failure(snapshot)}


def outside_archive(url: str, allowed: Policy, now: dt.datetime) -> Capture:
    """In archive mode nothing is fetched: a page the archive lacks is our failure, never the team's.

    What no mode would ever fetch is denied here as well; that is told by the URL alone.
    """
    try:
        allowed.judge_url(url)
    except Denied as denied:
        return Capture(url=url, verdict=PageVerdict.DENIED, fetched_at=now, detail=str(denied))
    return Capture(url=url, verdict=PageVerdict.NETWORK, fetched_at=now, detail="outside the archive")


def fetch(urls: Sequence[str], now: dt.datetime) -> list[Capture]:
    """Fetch pages of different hosts through the one door to the internet, within the time of a slice."""
    if not urls:
        return []
    config = settings.EVALSERVICE
    return asyncio.run(
        capture_many(
            urls,
            door=Door(contact=config["CONTACT"], policy=policy()),
            fetched_at=now,
            known_good_hosts=tuple(config["KNOWN_GOOD_HOSTS"]),
            patience=Patience(total=config["FETCH_SECONDS"]),
        )
    )


def policy() -> Policy:
    """What may be fetched: anything public but the service itself and what the operator denies."""
    own: list[str] = settings.EVALSERVICE["OWN_HOSTS"]
    networks = [*settings.EVALSERVICE["DENIED_NETWORKS"], *(host for host in own if is_address(host))]
    return Policy(
        denied_hosts=frozenset(host for host in own if not is_address(host)),
        denied_networks=tuple(ipaddress.ip_network(network) for network in networks),
    )


def attach(rows: Sequence[CitedPage], snapshots: Sequence[PageSnapshot], now: dt.datetime) -> None:
    """Once taken, they stay: re-judging looks at the same pages. A page fetched again is no younger for it."""
    for row, snapshot in zip(rows, snapshots, strict=True):
        row.snapshot, row.collected_at = snapshot, row.collected_at or now
    open_ones = CitedPage.objects.filter(snapshot__isnull=True)
    open_ones.bulk_update(rows, ["snapshot", "collected_at"], batch_size=CHUNK)


@transaction.atomic
def finish(lease: Lease) -> JudgeRun:
    """Close the job and open the next round, in one transaction.

    :raises submissions.models.submission.IllegalTransition: it was cancelled meanwhile.
    """
    now = timezone.now()
    lease.renew()
    lease.end(Job.State.DONE, finished_at=now)
    submission = Submission.objects.select_for_update().get(pk=lease.job.submission_id)
    if submission.state != Submission.State.JUDGING:  # re-judged, it is on its way already
        submission.move(Submission.State.JUDGING, actor="worker", now=now)
    return open_round(submission, now=now, number=lease.job.round)
