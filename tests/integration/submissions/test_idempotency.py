"""The same request again gets the same answer, also when both come at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from submissions.models import IdempotencyKey, Submission, Team
from submissions.services import (
    IdempotencyKeyReused,
    Reply,
    create_submission,
    forget_old_replies,
    once,
    recall,
)
from tests.factories import NOW, make_key, make_system, make_task_set, make_team
from tests.http import ApiClient
from tests.integration.submissions.races import at_once

HASH = "a" * 64
HOURS = dt.timedelta(hours=1)


class Counter:
    """Counts how often it does its work."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self) -> Reply:
        self.done += 1
        return Reply(201, {"number": self.done}, {"Location": "/x"})


def ask(team: Team, work: Callable[[], Reply], *, key: str | None = "k", **options: Any) -> Reply:
    """One request."""
    return once(team=team, key=key, work=work, **{"request_hash": HASH, "now": NOW, **options})


@pytest.mark.django_db
def test_the_second_request_gets_the_first_ones_answer() -> None:
    team, work = make_team(), Counter()
    assert ask(team, work) == Reply(201, {"number": 1}, {"Location": "/x"})
    assert ask(team, work) == Reply(201, {"number": 1}, {"Location": "/x"}, replayed=True)
    assert work.done == 1


@pytest.mark.django_db
def test_without_a_key_every_request_counts() -> None:
    team, work = make_team(), Counter()
    ask(team, work, key=None)
    ask(team, work, key=None)
    assert work.done == 2
    assert not IdempotencyKey.objects.exists()


@pytest.mark.django_db
def test_a_key_belongs_to_one_request_of_one_team() -> None:
    team, work = make_team(), Counter()
    ask(team, work)
    with pytest.raises(IdempotencyKeyReused):
        ask(team, work, request_hash="b" * 64)
    ask(make_team(), work, request_hash="b" * 64)
    assert work.done == 2


@pytest.mark.django_db
def test_after_48_hours_a_key_is_new() -> None:
    team, work = make_team(), Counter()
    ask(team, work)
    assert ask(team, work, now=NOW + 48 * HOURS - dt.timedelta(seconds=1)).replayed
    assert recall(team=team, key="k", request_hash=HASH, now=NOW + 48 * HOURS) is None
    assert not ask(team, work, now=NOW + 48 * HOURS, request_hash="b" * 64).replayed
    assert work.done == 2


@pytest.mark.django_db
def test_old_replies_are_forgotten() -> None:
    ask(make_team(), Counter())
    assert forget_old_replies(now=NOW + 47 * HOURS) == 0
    assert forget_old_replies(now=NOW + 48 * HOURS) == 1


@pytest.mark.django_db
def test_a_failure_leaves_the_key_free() -> None:
    team, work = make_team(), Counter()

    def failing() -> Reply:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError):
        ask(team, failing)
    assert not ask(team, work).replayed
    assert work.done == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_posts_at_once_make_one_row() -> None:
    system, task_set = make_system(make_team()), make_task_set()
    token = make_key(system.team)[1]
    body = {"system": system.public_id, "task_set": task_set.slug}

    def post() -> Any:
        return ApiClient(token).post("submissions", body, headers={"Idempotency-Key": "one"})

    responses = at_once(20, post)
    assert {response.status_code for response in responses} == {201}
    assert len({response.json()["id"] for response in responses}) == 1
    assert sum("Idempotency-Replayed" not in response for response in responses) == 1
    assert Submission.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_requests_with_one_key_at_once_one_is_refused() -> None:
    system, task_set = make_system(make_team()), make_task_set()
    hashes = iter(["a" * 64, "b" * 64])

    def work() -> Reply:
        made = create_submission(team=system.team, system=system.public_id, task_set=task_set.slug, now=NOW)
        return Reply(201, {"id": made.public_id})

    def deed() -> str:
        try:
            ask(system.team, work, request_hash=next(hashes))
        except IdempotencyKeyReused:
            return "refused"
        return "made"

    assert sorted(at_once(2, deed)) == ["made", "refused"]
    assert Submission.objects.count() == 1
