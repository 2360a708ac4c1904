"""The pages of a round that ended, as it saw them: later rounds may have collected some of them anew."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Q

from judging.case import Snapshot
from judging.models import CitedPage, JudgeRun, PageSnapshot
from judging.pages.store import chunks, snapshot_data

__all__ = ["pages_seen"]


def pages_seen(run: JudgeRun, named: Mapping[str, int | None]) -> dict[str, Snapshot]:
    """The snapshots that a round was judged against, by page key.

    :param named: those that its evidence names, by page key; None for a page that it did not have. A page without
        verdict is one that data was read from: it is taken as the last capture of before the round stood then.
    """
    cited = CitedPage.objects.filter(submission=run.submission_id, collected_at__isnull=False)
    rows = {row.page.key: row for row in cited.select_related("page", "snapshot")}
    moved = [row for key, row in rows.items() if key not in named and _is_later(row.snapshot, run)]
    last = _last_before(run, moved)
    ids = {
        key: named[key] if key in named else last.get(row.page_id, row.snapshot_id)
        for key, row in rows.items()
    }
    known = _snapshots([ident for ident in ids.values() if ident is not None])
    return {
        key: snapshot_data(known[ident], collected_at=rows[key].collected_at or run.started_at)
        for key, ident in ids.items()
        if ident in known
    }


def _is_later(snapshot: PageSnapshot | None, run: JudgeRun) -> bool:
    return snapshot is None or snapshot.fetched_at > run.started_at


def _last_before(run: JudgeRun, rows: list[CitedPage]) -> dict[int, int]:
    """By page, the last of its captures when the round began."""
    own = Q(task_set=None) | Q(task_set=run.submission.task_set_id)
    found: dict[int, int] = {}
    for part in chunks(rows):
        there = PageSnapshot.objects.filter(
            own, page__in=[row.page_id for row in part], fetched_at__lte=run.started_at
        )
        found |= dict(there.order_by("number").values_list("page", "pk"))
    return found


def _snapshots(ids: list[int]) -> dict[int | None, PageSnapshot]:
    return {row.pk: row for part in chunks(ids) for row in PageSnapshot.objects.filter(pk__in=part)}
