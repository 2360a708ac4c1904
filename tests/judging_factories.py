"""Two small task sets with their pages, and the way from an answer to its score, all in this process.

Everything in the sets is invented and plain enough that a reader can work out every score by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import yaml
from django.utils import timezone

from judging import tasks
from judging.imports import activate, import_taskset
from judging.models import JudgeRun, PageSnapshot, Verdict
from judging.pages.captures import Capture
from judging.pages.store import save_captures
from submissions.bundle import AnswerIn
from submissions.models import Answer, Job, Submission, System, TaskSet
from submissions.services import create_submission, finalize, put_answer
from tests.factories import make_system, make_team

SITE = "https://lakes.example"
MANIFEST: dict[str, Any] = {
    "slug": "lakes",
    "version": "1.0",
    "title": "Lakes",
    "protocol": "rubric_tree",
    "split": "dev",
    "licence": "CC0-1.0",
}
RUN: Mapping[str, Callable[[int], str]] = {
    Job.Kind.COLLECT: tasks.collect_pages,
    Job.Kind.SEARCH: tasks.search_claims,
    Job.Kind.JUDGE: tasks.judge_answers,
    Job.Kind.SCORE: tasks.score_submission,
}

# ------------------------------------------------------------------ pages
BRUME = "Lake Brume is 212 metres deep. It is 14 kilometres long. The lake was surveyed in 1931 by Ada Quill."
SALLOW = "Lake Sallow is 48 metres deep. It is 5 kilometres long. The ferry on Lake Sallow leaves at 09:40."
LAW = "The Lake Act of 1968 forbids motor boats on Lake Brume. The Lake Act was amended in 2011."


def page(name: str, **fields: Any) -> dict[str, Any]:
    """An entry of the archive's index for ``SITE/name``; a readable page unless ``verdict`` says otherwise."""
    url = f"{SITE}/{name}"
    entry: dict[str, Any] = {
        "url": url,
        "file": f"{name}.html",
        "verdict": "ok",
        "status": 200,
        "final_url": url,
        "content_type": "text/html; charset=utf-8",
        "fetched_at": "2026-05-01T08:00:00Z",
        "probe_ok": None,
        "chain": [],
    }
    return entry | fields


def dead(name: str, verdict: str = "not_found", **fields: Any) -> dict[str, Any]:
    """An entry for a page without content."""
    return page(name, file=None, verdict=verdict, **{"status": 404, "content_type": None, **fields})


def archive(texts: Mapping[str, str], *more: Mapping[str, Any]) -> dict[str, bytes]:
    """The archive's files: a readable page for every text by name, and ``more`` entries as they are."""
    entries = [*(page(name) for name in texts), *more]
    files = {f"pages/{name}.html": html(name, text) for name, text in texts.items()}
    return files | {"pages/index.jsonl": "".join(f"{json.dumps(entry)}\n" for entry in entries).encode()}


def html(title: str, text: str) -> bytes:
    """A page, a paragraph a sentence."""
    sentences = "".join(f"<p>{sentence.rstrip('.')}.</p>" for sentence in text.split(". "))
    return f"<!doctype html><title>{title}</title><body><h1>{title}</h1>{sentences}</body>".encode()


PAGES = {"brume": BRUME, "sallow": SALLOW, "law": LAW}


def unreadable() -> list[dict[str, Any]]:
    """One page of every kind that cannot be judged by its text."""
    fresh = timezone.now().isoformat()
    return [
        dead("gone"),
        dead("nowhere", "dead_host", status=None, final_url=None, probe_ok=True),
        dead("unsure", "dead_host", status=None, final_url=None, probe_ok=False, fetched_at=fresh),
        dead("blocked", "blocked_status", status=403, fetched_at=fresh),
        dead("long-blocked", "blocked_status", status=403),
    ]


# ------------------------------------------------------------------ rubric_tree
LAKE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "depth": {"type": "number", "x-labels": ["Depth"]},
        "length": {"type": "number", "x-labels": ["Length"]},
        "sources": {"type": "array", "items": {"type": "string", "format": "uri"}},
    },
}


def lake_task(name: str = "Brume", **more: Any) -> dict[str, Any]:
    """Given (a gate), then depth and length by the cited pages: 0, ½ or 1."""
    lake = f"Lake {name}"
    return {
        "prompt": f"How deep and how long is {lake}? Link the page that says so.",
        "extract": {"lake": {"instruction": f"Depth, length and sources of {lake}", "schema": LAKE_SCHEMA}},
        "tree": {
            "id": "lake",
            "children": [
                {"id": "given", "critical": True, "assert": "lake.depth and lake.sources"},
                {
                    "id": "depth",
                    "claim": f"{lake} is {{{{ lake.depth }}}} metres deep",
                    "sources": "lake.sources",
                },
                {
                    "id": "length",
                    "claim": f"{lake} is {{{{ lake.length }}}} kilometres long",
                    "sources": "lake.sources",
                },
            ],
        },
        **more,
    }


def lake_answer(depth: int | None, length: int | None, *pages: str) -> str:
    """An answer to :func:`lake_task`; without figures and pages it says that nothing was found."""
    if depth is None and length is None and not pages:
        return "I could not find this lake on any map."
    lines = [f"- Depth: {depth} m", f"- Length: {length} km"]
    urls = [name if "://" in name else f"{SITE}/{name}" for name in pages]
    return "\n".join([*lines, *(f"- Source: [a page]({url})" for url in urls)]) + "\n"


def tree_files(
    tasks: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    pages: Mapping[str, bytes] | None = None,
    **manifest: Any,
) -> dict[str, bytes]:
    """A set of two lakes (``brume``, ``sallow``) unless other tasks are given."""
    given = tasks or {"brume": lake_task(), "sallow": lake_task("Sallow")}
    return _files(given, archive(PAGES, *unreadable()) if pages is None else pages, manifest)


# ------------------------------------------------------------------ cascade
def report_task(**more: Any) -> dict[str, Any]:
    """P0: the depth, with facts and a reason; P1: the law, an instruction and facts."""
    return {
        "prompt": "Report on Lake Brume: its depth and who surveyed it, and the law on motor boats.",
        "subtasks": [
            {
                "id": "depth",
                "title": "Depth of Lake Brume",
                "importance": "P0",
                "instruction": [
                    {"id": "states-depth", "criterion": "States that Lake Brume is 212 metres deep"}
                ],
                "factuality": [
                    {
                        "id": "depth-facts",
                        "criterion": "Depth and length of Lake Brume",
                        "claims": "auto",
                        "evidence": ["cited"],
                    }
                ],
                "rationality": [
                    {"id": "why", "criterion": "Explains that it is deep because a glacier carved it"}
                ],
            },
            {
                "id": "law",
                "title": "Motor boats and the Lake Act",
                "importance": "P1",
                "instruction": [{"id": "names-act", "criterion": "Names the Lake Act of 1968"}],
                "factuality": [
                    {
                        "id": "law-facts",
                        "criterion": "The Lake Act and motor boats",
                        "claims": "auto",
                        "evidence": ["cited", "reference"],
                        "references": [f"{SITE}/law"],
                    }
                ],
            },
        ],
        **more,
    }


REPORT_RIGHT = f"""\
## Depth of Lake Brume

Lake Brume is 212 metres deep [survey]({SITE}/brume).
Lake Brume is 14 kilometres long [survey]({SITE}/brume).
It is so deep because a glacier carved it.

## Motor boats and the Lake Act

The Lake Act of 1968 forbids motor boats on Lake Brume [law]({SITE}/law).
"""


def cascade_files(
    tasks: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    pages: Mapping[str, bytes] | None = None,
    **manifest: Any,
) -> dict[str, bytes]:
    """A set of one report unless other tasks are given."""
    given = tasks or {"report": report_task()}
    values = {"slug": "reports", "protocol": "cascade", **manifest}
    return _files(given, archive(PAGES, *unreadable()) if pages is None else pages, values)


def _files(
    tasks: Mapping[str, Mapping[str, Any]], pages: Mapping[str, bytes], manifest: Mapping[str, Any]
) -> dict[str, bytes]:
    whole = {key: value for key, value in {**MANIFEST, **manifest}.items() if value is not None}
    written = {f"tasks/{key}.yaml": _yaml(task) for key, task in tasks.items()}
    return {"taskset.yaml": _yaml(whole), **written, **pages}


def _yaml(data: Mapping[str, Any]) -> bytes:
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False).encode()


def saved(capture: Capture, *, task_set: TaskSet | None = None) -> PageSnapshot:
    """The next snapshot of a page: fetched, or out of the archive of a set."""
    (snapshot,) = save_captures([capture], task_set=task_set, now=timezone.now())
    return snapshot


# ------------------------------------------------------------------ who judges
def model_judges(settings: Any, base_url: str, **asked: Any) -> None:
    """From now on a model at ``base_url`` judges; ``asked``: other than usual, how it is."""
    config = settings.EVALSERVICE
    settings.EVALSERVICE = {
        **config,
        "JUDGE": "openai",
        "JUDGE_MODEL": "judge-1",
        "OPENAI_BASE_URL": base_url,
        "OPENAI_API_KEY": "key-of-ours",
        "MODEL": {**config["MODEL"], **asked},
    }


# ------------------------------------------------------------------ the way of a submission
def import_set(files: Mapping[str, bytes]) -> TaskSet:
    """Import a set and open it, test sets too."""
    now = timezone.now()
    task_set = import_taskset(files=files, now=now).task_set
    if task_set.split == TaskSet.Split.DEV:
        return activate(task_set=task_set, now=now)
    TaskSet.objects.filter(pk=task_set.pk).update(state=TaskSet.State.ACTIVE, opens_at=now)
    task_set.refresh_from_db()
    return task_set


def submit(
    task_set: TaskSet, answers: Mapping[str, str | list[str]], *, system: System | None = None
) -> Submission:
    """A queued submission; answers by task key, a list has one a run. A key left out stays blank."""
    now = timezone.now()
    system = system or make_system(make_team())
    submission = create_submission(team=system.team, system=system.public_id, task_set=task_set.slug, now=now)
    keys = dict(task_set.tasks.values_list("key", "public_id"))
    for key, texts in answers.items():
        for run, text in enumerate([texts] if isinstance(texts, str) else texts, start=1):
            put_answer(submission=submission, answer=AnswerIn(task=keys[key], run=run, text=text), now=now)
    return finalize(submission=submission, now=now)


def run_jobs(submission: Submission | None = None, *, slices: int = 60) -> list[str]:
    """Drive what is ready to its end; what became of each slice, as ``kind: outcome``."""
    outcomes: list[str] = []
    for _ in range(slices):
        ready = Job.objects.filter(state=Job.State.READY, not_before=None).order_by("id")
        job = (ready.filter(submission=submission) if submission else ready).first()
        if job is None:
            break
        outcomes.append(f"{job.kind}: {RUN[job.kind](job.pk)}")
        if outcomes[-1].endswith((": paused", ": parked")):
            break
    if submission is not None:
        submission.refresh_from_db()
    return outcomes


def judged(
    task_set: TaskSet, answers: Mapping[str, str | list[str]], *, system: System | None = None
) -> Submission:
    """A submission after collecting, judging and scoring."""
    submission = submit(task_set, answers, system=system)
    run_jobs(submission)
    return submission


def answer_of(submission: Submission, key: str, run: int = 1) -> Answer:
    """One answer with its scores."""
    return submission.answers.get(task__key=key, run=run)


def scores_of(submission: Submission) -> dict[str, float | None]:
    """Scores by task key and run."""
    rows = submission.answers.order_by("task__position", "run").values_list("task__key", "run", "score")
    return {key if run == 1 else f"{key}#{run}": score for key, run, score in rows}


def findings(submission: Submission, *, round: int | None = None) -> dict[str, str]:
    """Findings by ``task key/check`` of the newest round, or of ``round``."""
    latest = round or JudgeRun.objects.filter(submission=submission).latest("round").round
    rows = Verdict.objects.filter(run__submission=submission, run__round=latest)
    return {
        f"{row.answer.task.key}/{row.check_id}": row.finding for row in rows.select_related("answer__task")
    }
