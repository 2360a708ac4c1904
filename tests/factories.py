"""Rows for tests, as plain functions. Every name is unique, so that tests can make as many as they like."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

from django.contrib.auth.models import User

from submissions.models import Answer, ApiKey, Submission, System, Task, TaskSet, Team
from submissions.services import create_submission, create_system, create_team, issue_key

NOW = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)
_numbers = itertools.count(1)


def now() -> dt.datetime:
    """The real time: HTTP tests run against the real clock."""
    return dt.datetime.now(dt.UTC)


def make_user(*, staff: bool = False, superuser: bool = False, password: str | None = None) -> User:
    """A person; with a password (hashing one takes its time) one who can log in."""
    return User.objects.create_user(
        f"user{next(_numbers)}", password=password, is_staff=staff or superuser, is_superuser=superuser
    )


def make_team(*, organisation: str | None = None, name: str | None = None) -> Team:
    """A team in an organisation of its own, unless one is named."""
    number = next(_numbers)
    return create_team(
        organisation=organisation or f"Organisation {number}", name=name or f"Team {number}", now=now()
    )


def make_key(
    team: Team, *, scopes: tuple[str, ...] = ("read", "submit"), at: dt.datetime | None = None, days: int = 30
) -> tuple[ApiKey, str]:
    """A key of ``team`` and its text. ``at`` in the past with few ``days`` makes an expired one."""
    return issue_key(team=team, name=f"key {next(_numbers)}", scopes=scopes, now=at or now(), days=days)


def make_system(team: Team, **fields: Any) -> System:
    """A deep-research agent of ``team``."""
    values: dict[str, Any] = {"name": f"System {next(_numbers)}", "system_class": "deep_research", **fields}
    return create_system(team=team, now=now(), **values)


def make_task_set(
    *, tasks: int = 2, runs: int = 1, split: str = "dev", delivery: str = "open", **fields: Any
) -> TaskSet:
    """An active task set with ``tasks`` tasks whose keys are ``task-1``, ``task-2`` …"""
    number = next(_numbers)
    values: dict[str, Any] = {
        "slug": f"set-{number}",
        "version": "1",
        "title": f"Set {number}",
        "protocol": "rubric_tree",
        "split": split,
        "delivery": delivery,
        "delivery_reason": "for this test" if (split, delivery) == ("test", "open") else "",
        "runs": runs,
        "licence": "CC-BY-4.0",
        "content_hash": f"{number:064x}",
        "state": TaskSet.State.ACTIVE,
        "created_at": now(),
        **fields,
    }
    task_set = TaskSet.objects.create(**values)
    for position in range(1, tasks + 1):
        make_task(task_set, position=position)
    return task_set


def make_task(task_set: TaskSet, *, position: int, **fields: Any) -> Task:
    """A task of ``task_set``."""
    values = {"key": f"task-{position}", "prompt": f"What is asked at position {position}?", **fields}
    return Task.objects.create(task_set=task_set, position=position, **values)


def make_draft(
    *, team: Team | None = None, task_set: TaskSet | None = None, system: System | None = None, **fields: Any
) -> Submission:
    """A draft with its blank answers."""
    team = team or (system.team if system else make_team())
    system = system or make_system(team)
    task_set = task_set or make_task_set()
    values: dict[str, Any] = {"now": now(), **fields}
    return create_submission(team=team, system=system.public_id, task_set=task_set.slug, **values)


def fill_answer(submission: Submission, *, text: str = "An answer.", **fields: Any) -> Answer:
    """The submission's first blank answer, given."""
    answer = submission.answers.filter(given=False).order_by("task__position", "run").first()
    assert answer is not None
    for name, value in {"text": text, "given": True, "sha256": "0" * 64, **fields}.items():
        setattr(answer, name, value)
    answer.save()
    return answer


def make_submission(
    state: str = "published",
    *,
    summary: dict[str, Any] | None = None,
    at: dt.datetime | None = None,
    **draft: Any,
) -> Submission:
    """A submission in any state, with what the state needs and its answers given; no job, no event."""
    submission = make_draft(**draft)
    submission.answers.update(text="An answer.", given=True, sha256="0" * 64)
    moment = at or now()
    changes: dict[str, Any] = {"state": state}
    if state not in {"draft", "expired", "cancelled"}:
        changes["finalized_at"] = moment
    if state in {"judged", "published", "withheld", "incomplete"}:
        changes |= {"judged_at": moment, "summary": summary or {}, "coverage": 1.0}
    if state == "published":
        changes["published_at"] = moment
    Submission.objects.filter(pk=submission.pk).update(**changes)
    submission.refresh_from_db()
    return submission
