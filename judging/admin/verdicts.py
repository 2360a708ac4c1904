"""What the page of an answer's verdicts shows: the scoring replayed, or what is stored where that cannot be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from judging.admin.looks import as_json, as_text
from judging.admin.records import stored_row, with_rows
from judging.loading import rubric_at
from judging.models import Extraction, JudgeRun, Verdict
from judging.records import load_record
from judging.rubric import Fault, InvalidRubric
from submissions.models import Answer

LISTED = 500  # stored verdicts on one page
FAULTS = 50  # of a rubric


def answer_context(run: JudgeRun, answer: Answer, *, reads_pages: bool) -> dict[str, Any]:
    """The result of an answer as its round saw it, with all that is remembered of every verdict.

    A rubric may cease to be one, by an upgrade or by a hand in the database: then ``broken`` holds its faults, and the
    verdicts and readings one by one.

    :param reads_pages: whether the reader may see the text of pages.
    """
    common = {
        "rubric": rubric_at(list(answer.task.rubrics.order_by("-revision")), run.started_at),
        "text": as_text(answer.text),
    }
    try:
        record = load_record(run, answer.pk)
    except InvalidRubric as error:
        return common | _stored(run, answer, error.faults, reads_pages)
    feedback = with_rows(record, run, reads_pages=reads_pages)
    extracted = [one | {"shown": as_json(one["value"])} for one in feedback.get("extracted", ())]
    result = record.result
    return common | {
        "result": result,
        "score": result.score,
        "user_pref": result.user_pref,
        "extracted": extracted,
    }


def _stored(run: JudgeRun, answer: Answer, faults: Sequence[Fault], reads_pages: bool) -> dict[str, Any]:
    verdicts = _until(run, Verdict.objects.filter(answer=answer)).order_by("check_id", "id")
    readings = _until(run, Extraction.objects.filter(answer=answer)).order_by("name", "id")
    broken = {
        "faults": faults[:FAULTS],
        "verdicts": [stored_row(row, run, reads_pages=reads_pages) for row in verdicts[:LISTED]],
        "more": max(0, verdicts.count() - LISTED),
        "readings": [
            stored_row(row, run, reads_pages=False) | {"shown": as_json(row.data)}
            for row in readings[:LISTED]
        ],
    }
    return {"broken": broken, "score": answer.score, "user_pref": answer.user_pref}


def _until(run: JudgeRun, rows: QuerySet[Any]) -> QuerySet[Any]:
    """What this round or one before it found; a settled verdict is not asked again."""
    return rows.filter(run__round__lte=run.round).select_related("run")
