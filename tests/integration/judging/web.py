"""A web of lakes in place of the outside, and submissions that cite it."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from judging.pages.captures import Capture, PageVerdict
from submissions.leases import Lease, acquire
from tests.judging_factories import BRUME, archive, import_set, lake_answer, lake_task, submit, tree_files


class Web:
    """The outside: every page is Lake Brume unless told otherwise.

    During a visit others may act (``meanwhile``), and it lasts as long as ``holds`` says so.
    """

    def __init__(self) -> None:
        self.visits: list[list[str]] = []
        self.verdicts: dict[str, PageVerdict] = {}
        self.retry_after: dict[str, float] = {}
        self.seconds = 0.0
        self.meanwhile: Callable[[], object] = lambda: None
        self.holds: Callable[[], bool] = lambda: False
        self.asked_with: dict[str, Any] = {}
        self.at_once = self.most_at_once = 0

    async def __call__(self, urls: Sequence[str], *, fetched_at: dt.datetime, **how: Any) -> list[Capture]:
        self.visits.append(list(urls))
        self.asked_with = how
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.to_thread(self.meanwhile)
        await asyncio.sleep(self.seconds)
        while self.holds():
            await asyncio.sleep(0.01)
        self.at_once -= 1
        return [self.capture(url, fetched_at) for url in urls]

    def capture(self, url: str, fetched_at: dt.datetime) -> Capture:
        verdict = self.verdicts.get(url, PageVerdict.OK)
        text = BRUME if verdict is PageVerdict.OK else ""
        return Capture(url=url, verdict=verdict, fetched_at=fetched_at, text=text, raw=text.encode() or None,
                       retry_after_s=self.retry_after.get(url, 0.0))  # fmt: skip


def lakes(count: int = 1) -> Any:
    """A set of lakes, and the pages of all."""
    return import_set(tree_files({f"t{n}": lake_task() for n in range(count)}))


def cites(*urls: str) -> dict[str, str]:
    """An answer to the first task that cites these."""
    return {"t0": lake_answer(212, 14, *urls)}


URLS = [f"https://host{n}.example/brume" for n in range(11)]


def many(count: int) -> Lease:
    """A held job of a submission that cites as many pages, half of which are in the archive."""
    pages = archive({f"p{n}": BRUME for n in range(0, count, 2)})
    task_set = import_set(tree_files({"t0": lake_task()}, pages=pages, slug=f"lakes-{count}"))
    submission = submit(task_set, {"t0": lake_answer(212, 14, *(f"p{n}" for n in range(count)))})
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    return lease
