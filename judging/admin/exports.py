"""What staff take out of judging: a run as a file, and what judging cost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import structlog
from django.http import HttpRequest, StreamingHttpResponse

from judging.admin.records import PAGE_READERS
from judging.costs import HEADS, Cost, costs_by_month_and_set, total_of
from judging.exporting import export_lines
from judging.models import JudgeRun

log = structlog.get_logger(__name__)

# An export holds all that these pages show one by one, prompts and rubrics among it.
EXPORTERS = (*PAGE_READERS, "judging.view_judgerun", "judging.view_extraction", "submissions.view_task")


def export_response(run: JudgeRun, request: HttpRequest) -> StreamingHttpResponse:
    """A run as a file, sent as it is read; one without a last line of the kind ``end`` was cut."""
    log.info("run_exported", run=run.pk, by=f"user:{request.user.pk}")
    headers = {
        "Content-Disposition": f'attachment; filename="run-{run.pk}.jsonl"',
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return StreamingHttpResponse(export_lines(run), content_type="application/x-ndjson", headers=headers)


def costs_context() -> dict[str, Any]:
    """A table for each month, the newest first, with its sum, and the sum of all."""
    rows = costs_by_month_and_set()
    return {"heads": HEADS, "months": list(_months(rows)), "total": total_of(rows)}


def _months(rows: list[Cost]) -> Iterator[dict[str, Any]]:
    for month, of_month in groupby(rows, key=lambda row: row.group["month"]):
        sets = list(of_month)
        yield {"month": f"{month:%Y-%m}", "sets": sets, "total": total_of(sets)}
