"""Answers for a model to judge, and what it was asked."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import yaml

from judging.rounds import rejudge
from submissions.models import Submission
from tests.endpoint import Endpoint
from tests.judging_factories import lake_answer, run_jobs

BOTH = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}


def changed(settings: Any, **values: Any) -> None:
    """Configure otherwise."""
    settings.EVALSERVICE = {**settings.EVALSERVICE, **values}


def judged_by(settings: Any, folder: Path, **profile: Any) -> Path:
    """Describe the judge in a file: ``judge-1`` alone unless ``profile`` says otherwise."""
    described = {"name": "file", "models": {"extract": "judge-1", "verify": ["judge-1"]}, **profile}
    file = folder / f"{len(list(folder.iterdir()))}.yaml"  # a file is read once in a process
    file.write_text(yaml.safe_dump(described), encoding="utf-8")
    changed(settings, JUDGE_PROFILE=str(file))
    return file


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
