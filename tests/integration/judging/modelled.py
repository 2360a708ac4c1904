"""Answers for a model to judge, and what it was asked."""

from __future__ import annotations

import datetime as dt
from typing import Any

from judging.rounds import rejudge
from submissions.models import Submission
from tests.endpoint import Endpoint
from tests.judging_factories import lake_answer, run_jobs

BOTH = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}


def changed(settings: Any, **values: Any) -> None:
    """Configure otherwise."""
    settings.EVALSERVICE = {**settings.EVALSERVICE, **values}


def again(submission: Submission) -> list[str]:
    """Judge once more; what the jobs came to."""
    rejudge(submission, actor="test", now=dt.datetime.now(dt.UTC))
    return run_jobs(submission)


def asked(endpoint: Endpoint) -> list[str]:
    """What each call was about: the statement, the criterion, or the extraction."""
    kinds = ("claim", "criterion", "rationality", "subtask", "instruction")
    found = []
    for call in endpoint.log:
        lines = call.prompt.splitlines()
        heads = [
            n for n, line in enumerate(lines) if any(line.startswith(f"<<<BEGIN {kind} ") for kind in kinds)
        ]
        found.append(lines[heads[-1] + 1])
    return found
