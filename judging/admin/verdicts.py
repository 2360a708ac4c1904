"""What the page of an answer's verdicts shows: the scoring replayed, or what is stored where that cannot be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import F, QuerySet

from judging.admin.looks import as_json
from judging.loading import rubric_at
from judging.models import Extraction, JudgeRun, Verdict
from judging.rubric import Fault, InvalidRubric
from judging.scorekeeping import replay_answer
from submissions.models import Answer

LISTED = 500  # stored verdicts on one page
FAULTS = 50  # of a rubric


def answer_context(run: JudgeRun, answer: Answer) -> dict[str, Any]:
    """The result of an answer as its round saw it.

    A rubric may cease to be one, by an upgrade or by a hand in the database: then ``broken`` holds its faults, and the
    verdicts and readings one by one.
    """
    try:
        result = replay_answer(run, answer.pk)
    except InvalidRubric as error:
        return _stored(run, answer, error.faults)
    extracted = [one | {"shown": as_json(one["value"])} for one in result.feedback.get("extracted", ())]
    return {"result": result, "score": result.score, "user_pref": result.user_pref, "extracted": extracted}


def _stored(run: JudgeRun, answer: Answer, faults: Sequence[Fault]) -> dict[str, Any]:
    verdicts = _until(run, Verdict.objects.filter(answer=answer)).order_by("check_id", "id")
    readings = _until(run, Extraction.objects.filter(answer=answer)).order_by("name", "id")
    broken = {
        "faults": faults[:FAULTS],
        "rubric": rubric_at(list(answer.task.rubrics.order_by("-revision")), run.started_at),
        "verdicts": [_verdict(row) for row in verdicts[:LISTED]],
        "more": max(0, verdicts.count() - LISTED),
        "readings": [_reading(row) for row in readings[:LISTED]],
    }
    return {"broken": broken, "score": answer.score, "user_pref": answer.user_pref}


def _until(run: JudgeRun, rows: QuerySet[Any]) -> QuerySet[Any]:
    """What this round or one before it found; a settled verdict is not asked again."""
    found: QuerySet[Any] = rows.filter(run__round__lte=run.round).annotate(round=F("run__round"))
    return found


def _verdict(row: Any) -> dict[str, Any]:
    names = ("pk", "round", "check_id", "finding", "code", "error_class", "statement", "reason", "quote")
    return {name: getattr(row, name) for name in names} | {"pages": row.evidence}


def _reading(row: Any) -> dict[str, Any]:
    names = ("pk", "name", "outcome", "reason")
    return {name: getattr(row, name) for name in names} | {"shown": as_json(row.data)}
