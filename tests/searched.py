"""A set whose law is to be searched for, answers to it, and a provider that knows the law."""

from __future__ import annotations

from typing import Any

from judging.models import Verdict
from judging.tasks import collect_pages
from submissions.models import Job, Submission
from tests.judging_factories import LAW, SITE, cascade_files, import_set, report_task, submit
from tests.provider import Found, SearchProvider, hit

CLAIM = "The Lake Act of 1968 forbids motor boats on Lake Brume."
QUERY = "The Lake Act of 1968 forbids motor boats on Lake Brume"
DEPTH = f"""\
## Depth of Lake Brume

Lake Brume is 212 metres deep [survey]({SITE}/brume).
It is so deep because a glacier carved it.

## Motor boats and the Lake Act

"""
ANSWER = f"{DEPTH}{CLAIM}\n"


def searched_task(*evidence: str, **more: Any) -> dict[str, Any]:
    """The report on Lake Brume; what it says of the law is held against a search."""
    task = report_task(**more)
    facts = task["subtasks"][1]["factuality"][0]
    del facts["references"]
    facts["evidence"] = list(evidence or ("cited", "search"))
    return task


def searched_files(*evidence: str, **manifest: Any) -> dict[str, bytes]:
    """A set of that one task."""
    return cascade_files({"report": searched_task(*evidence)}, **manifest)


def law(query: str) -> Found:
    """What the provider finds: the law, wherever that is asked about."""
    return [hit("The Lake Act", "https://law.example/1968", LAW, "2026-05-01")] if "Lake Act" in query else []


def switch_on(settings: Any, at: SearchProvider, **changes: Any) -> None:
    """Search with SearXNG there."""
    search = {
        "provider": "searxng",
        "url": at.url,
        "key": "",
        "queries": 1,
        "results": 5,
        "test_sets": False,
    }
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SEARCH": {**search, **changes}}


def on_the_law(submission: Submission, *, round: int = 1) -> Verdict:
    """The verdict on the first claim about the law."""
    return Verdict.objects.get(run__submission=submission, run__round=round, check_id="law/law-facts/1")


def searching_job(*claims: str) -> Job:
    """A submission whose pages are collected, waiting to be searched for."""
    submission = submit(import_set(searched_files()), {"report": DEPTH + "\n".join(claims or (CLAIM,))})
    collect_pages(submission.jobs.get().pk)
    return submission.jobs.get(kind="search")


def acts(count: int) -> list[str]:
    """So many claims about the law."""
    return [f"The Lake Act of {1900 + n} forbids boats on Lake Brume{n}." for n in range(count)]
