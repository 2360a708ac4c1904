"""A whole run as JSON lines: a header, its tasks, its answers with all that was found, the pages, the searches, an end.

What stands in a line is described by ``docs/run-export.schema.json``. The same run gives the same bytes each time, and takes as
much memory as a few answers with their verdicts. An export holds hidden prompts and rubrics.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Prefetch, Q

from judging.canonical import plain
from judging.case import Case
from judging.loading import load_works, rubric_at
from judging.models import (
    Extraction,
    JudgeProfile,
    JudgeRun,
    PageSnapshot,
    Rubric,
    SubmissionSearch,
    Verdict,
)
from judging.pages.store import chunks
from judging.recording import known_rows
from judging.records import Replayed, Row, case_as_judged, pages_of, replay_noted
from judging.results import AnswerResult
from judging.rubric import InvalidRubric
from judging.scorekeeping import provenance
from submissions.models import Answer, Task

__all__ = ["FORMAT", "RELATED", "UnknownRun", "export_lines", "find_run"]

FORMAT = "evalservice.run/1"
ANSWERS = 25  # in memory at once, with all that was found of them
COUNTED = ("tasks", "answers", "verdicts", "extractions", "snapshots", "searches")
ROWS, TASKS = 500, 50  # read at once

Line = dict[str, Any]
RELATED = ("submission__task_set", "submission__system__team", "profile")
BESIDE: Mapping[type[Row], tuple[str, ...]] = {Verdict: ("run", "rubric"), Extraction: ("run",)}
_Found = Mapping[int, Sequence[tuple[Any, bool]]]  # answer → its rows, and whether each counts


class UnknownRun(Exception):
    """No run of this name."""


def find_run(name: str) -> JudgeRun:
    """A run by its number, or by its submission: ``ID`` names the newest one of it, ``ID/ROUND`` that round.

    :raises UnknownRun: there is none.
    """
    ident, _, number = name.partition("/")
    by_id = Q(submission__public_id=ident)
    wanted = by_id & Q(round=_number(number)) if number else by_id | Q(pk=_number(ident))
    run = JudgeRun.objects.select_related(*RELATED).filter(wanted).order_by("-round", "-pk").first()
    if run is None:
        raise UnknownRun(name)
    return run


def _number(text: str) -> int:
    """The number that a text is; one that no row has if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1


def export_lines(run: JudgeRun) -> Iterator[bytes]:
    """The lines of a run, each with its line end."""
    told = _Told()
    for line in _lines(run, told):
        # ASCII alone: no reader breaks a line where Unicode would, and no terminal obeys what a page says.
        yield json.dumps(plain(line), allow_nan=False, separators=(",", ":")).encode() + b"\n"


@dataclass
class _Told:
    """What was told so far, for the lines behind it."""

    counts: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(COUNTED, 0)))
    snapshots: set[int] = field(default_factory=set)


def _lines(run: JudgeRun, told: _Told) -> Iterator[Line]:
    yield _header(run)
    revisions = Prefetch("rubrics", Rubric.objects.order_by("-revision"))
    tasks = run.submission.task_set.tasks.order_by("position", "id").prefetch_related(revisions)
    for task in tasks.iterator(TASKS):
        told.counts["tasks"] += 1
        yield _task(task, run)
    yield from _answers(run, told)
    yield from _snapshots(told)
    yield from _searches(run, told)
    yield {"kind": "end", **told.counts}


# ------------------------------------------------------------------ the run
def _header(run: JudgeRun) -> Line:
    submission = run.submission
    return {
        "kind": "run",
        "format": FORMAT,
        "run": run.pk,
        "round": run.round,
        "started_at": _time(run.started_at),
        "finished_at": _time(run.finished_at),
        "model_served": run.model_served,
        "calls": run.calls,
        "cost_usd": run.cost_usd,
        "submission": {
            "id": submission.public_id,
            "system": submission.system.public_id,
            "system_name": submission.system.name,
            "runs": submission.runs,
            "state": submission.state,
        },
        "task_set": {
            "slug": submission.task_set.slug,
            "version": submission.task_set.version,
            "protocol": submission.task_set.protocol,
            "split": submission.task_set.split,
            "content_hash": submission.task_set.content_hash,
        },
        "profile": _profile(run.profile),
        "method": provenance(run, submission, now=run.finished_at or run.started_at),
    }


def _profile(profile: JudgeProfile) -> Line:
    names = ("name", "version", "judge", "model", "parameters", "prices", "content_hash", "calibrated")
    return {name: getattr(profile, name) for name in names} | {"endpoint": _without_user(profile.base_url)}


def _without_user(url: str) -> str:
    """An address of an endpoint without what may be a password."""
    user, at, _ = urlsplit(url).netloc.rpartition("@")
    return url.replace(f"{user}{at}", "", 1)


def _task(task: Task, run: JudgeRun) -> Line:
    rubric = rubric_at(list(task.rubrics.all()), run.started_at)
    return {
        "kind": "task",
        "task": task.public_id,
        "key": task.key,
        "prompt": task.prompt,
        "rubric": {"revision": rubric.revision, "content_hash": rubric.content_hash, "source": rubric.source},
    }


# ------------------------------------------------------------------ answers
def _answers(run: JudgeRun, told: _Told) -> Iterator[Line]:
    case = case_as_judged(run)
    told.snapshots |= {page.id for page in case.pages.values()}
    ids = list(run.submission.answers.order_by("task__position", "run", "id").values_list("pk", flat=True))
    for start in range(0, len(ids), ANSWERS):
        for line in _some_answers(run, case, ids[start : start + ANSWERS]):
            told.counts["answers"] += 1
            for name in ("verdicts", "extractions"):
                told.counts[name] += len(line[name])
            evidence = (page for verdict in line["verdicts"] for page in pages_of(verdict["evidence"]))
            told.snapshots |= {page.snapshot for page in evidence if page.snapshot is not None}
            yield line


def _some_answers(run: JudgeRun, case: Case, ids: Sequence[int]) -> Iterator[Line]:
    found = _replayed(run, case, ids)
    results = {result.answer: result for result in found.results}
    verdicts = _rows(run, Verdict, ids, found.checks)
    extractions = _rows(run, Extraction, ids, found.names)
    answers = Answer.objects.filter(pk__in=ids).select_related("task")
    for answer in answers.order_by("task__position", "run", "id"):
        yield {
            **_answer(answer, results.get(answer.pk)),
            "extractions": [_extraction(*row) for row in extractions.get(answer.pk, ())],
            "verdicts": [_verdict(*row) for row in verdicts.get(answer.pk, ())],
        }


def _answer(answer: Answer, result: AnswerResult | None) -> Line:
    """An answer with its result as this round saw it, or as it is recorded where its rubric is no longer valid."""
    return {
        "kind": "answer",
        "answer": answer.pk,
        "task": answer.task.public_id,
        "run": answer.run,
        "given": answer.given,
        "text": answer.text,
        "text_sha256": hashlib.sha256(answer.text.encode("utf-8", "surrogatepass")).hexdigest(),
        "replayed": result is not None,
        "score": result.score if result else answer.score,
        "user_pref": result.user_pref if result else answer.user_pref,
        "metrics": result.metrics() if result else answer.metrics,
        "feedback": result.feedback if result else None,
    }


def _replayed(run: JudgeRun, case: Case, ids: Sequence[int]) -> Replayed:
    """The results of these answers; one whose rubric is no longer valid has none."""
    try:
        return replay_noted(run, load_works(run, ids), case)
    except InvalidRubric:
        if len(ids) == 1:
            return Replayed([], {}, {})
    parts = [_replayed(run, case, [answer]) for answer in ids]
    return Replayed(
        [result for part in parts for result in part.results],
        {name: key for part in parts for name, key in part.checks.items()},
        {name: key for part in parts for name, key in part.names.items()},
    )


def _rows(
    run: JudgeRun, model: type[Row], answers: Sequence[int], keys: Mapping[tuple[int, str], str]
) -> _Found:
    """What this run found of each answer, and what it took over from earlier rounds, with whether it counts."""
    wanted = {(answer, key) for (answer, _), key in keys.items()}
    last: dict[tuple[int, str], int] = {}
    found: dict[int, list[Row]] = defaultdict(list)
    rows = known_rows(model, run).filter(answer__in=answers).select_related(*BESIDE[model])
    for row in rows.iterator(ROWS):
        if row.run_id == run.pk or (row.answer_id, row.key) in wanted:
            last[row.answer_id, row.key] = row.pk
            found[row.answer_id].append(row)
    counting = {last[key] for key in wanted if key in last}
    return {
        answer: [(row, row.pk in counting) for row in sorted(of, key=_place)] for answer, of in found.items()
    }


def _place(row: Row) -> tuple[str, int]:
    return (row.check_id if isinstance(row, Verdict) else row.name), row.pk


def _verdict(row: Verdict, counts: bool) -> Line:
    names = (
        "check_id", "key", "finding", "code", "error_class", "statement", "reason", "quote", "answer_state", "relevance",
    )  # fmt: skip
    return {
        "verdict": row.pk,
        "round": row.run.round,
        "rubric_revision": row.rubric.revision,
        "counts": counts,
        "created_at": _time(row.created_at),
        **{name: getattr(row, name) for name in names},
        "evidence": row.evidence,
        "calls": _calls(row),
    }


def _extraction(row: Extraction, counts: bool) -> Line:
    return {
        "extraction": row.pk,
        "round": row.run.round,
        "counts": counts,
        "created_at": _time(row.created_at),
        **{name: getattr(row, name) for name in ("name", "key", "outcome", "reason", "data")},
        "calls": _calls(row),
    }


def _calls(row: Row) -> list[Any]:
    calls = row.record.get("calls") if isinstance(row.record, dict) else None
    return calls if isinstance(calls, list) else []


# ------------------------------------------------------------------ pages
def _snapshots(told: _Told) -> Iterator[Line]:
    """The captures that the run was judged against or that a verdict names: by hash, address and date, no text."""
    for part in chunks(sorted(told.snapshots)):
        for row in PageSnapshot.objects.filter(pk__in=part).order_by("pk"):
            told.counts["snapshots"] += 1
            yield _snapshot(row)


def _snapshot(row: PageSnapshot) -> Line:
    names = (
        "url", "final_url", "verdict", "status", "title", "content_type", "characters", "text_sha256", "raw_sha256",
        "extractor", "picture_sha256", "picture_type", "picture_width", "picture_height",
    )  # fmt: skip
    return {
        "kind": "snapshot",
        "snapshot": row.pk,
        "fetched_at": _time(row.fetched_at),
        "with_task_set": row.task_set_id is not None,
        **{name: getattr(row, name) for name in names},
    }


# ------------------------------------------------------------------ searches
def _searches(run: JudgeRun, told: _Told) -> Iterator[Line]:
    """What was searched for the submission up to this round: query, day and hash of what was found, no text."""
    mine = SubmissionSearch.objects.filter(
        submission=run.submission_id, provider=run.search, round__lte=run.round
    )
    for row in mine.order_by("pk").select_related("reply").iterator(ROWS):
        told.counts["searches"] += 1
        yield _search(row)


def _search(row: SubmissionSearch) -> Line:
    """A query that failed has no reply: its words were not kept."""
    reply = row.reply
    return {
        "kind": "search",
        "round": row.round,
        "provider": row.provider,
        "query_sha256": row.query_hash,
        "query": reply.query if reply else None,
        "asked_at": _time(reply.asked_at) if reply else None,
        "hits": reply.hits if reply else None,
        "text_sha256": reply.text_sha256 if reply else "",
        "fault": row.fault,
    }


def _time(moment: dt.datetime | None) -> str | None:
    return moment.astimezone(dt.UTC).isoformat().replace("+00:00", "Z") if moment else None
