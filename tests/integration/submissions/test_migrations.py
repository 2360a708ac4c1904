"""Migrations whose way back has to change rows."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from submissions.models import Job, Submission
from tests.judging_factories import import_set, submit
from tests.searched import ANSWER, searched_files

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def submission() -> Submission:
    """In its first round, with a shard in each state of being searched for."""
    one = submit(import_set(searched_files()), {"report": ANSWER})
    one.jobs.all().delete()
    now = timezone.now()
    states = ("ready", "running", "done", "cancelled", "failed")
    for shard, state in enumerate(states):
        until = now if state == "running" else None
        one.jobs.create(kind="search", shard=shard, state=state, lease_until=until, created_at=now)
    one.jobs.create(kind="judge", shard=2, created_at=now)
    one.jobs.create(kind="score", state="cancelled", created_at=now)
    return one


def jobs_of(submission: Submission) -> list[tuple[str, int, str, int]]:
    """Its jobs, without those of its pages."""
    return sorted(submission.jobs.values_list("kind", "shard", "state", "lease_token"))


LEFT = [
    ("judge", 0, "ready", 1),
    ("judge", 1, "ready", 1),
    ("judge", 2, "ready", 0),
    ("score", 0, "cancelled", 0),
]


def test_without_a_search_stage_what_waits_for_it_is_judged(submission: Submission) -> None:
    migration = importlib.import_module("submissions.migrations.0003_search")
    with connection.schema_editor() as editor:
        migration.without_search(apps, editor)
    assert jobs_of(submission) == LEFT
    assert not Job.objects.filter(lease_until__isnull=False).exists()


@pytest.fixture
def _whole_again() -> Iterator[None]:
    yield
    call_command("migrate", verbosity=0)


@pytest.mark.usefixtures("_whole_again")
def test_the_search_stage_can_be_taken_back_while_jobs_search(submission: Submission) -> None:
    call_command("migrate", "submissions", "0002_former_state", verbosity=0)
    assert jobs_of(submission) == LEFT
    call_command("migrate", verbosity=0)
    assert jobs_of(submission) == LEFT
