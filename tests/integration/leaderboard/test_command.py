"""``manage.py publish``."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Board
from submissions.models import TaskSet
from tests.factories import make_task_set
from tests.integration.leaderboard.results import cascade_set, scored

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("publish", *arguments, stdout=out)
    return out.getvalue()


def test_it_publishes_the_active_version_and_says_what_stands() -> None:
    task_set = cascade_set(slug="briefings")
    cascade_set(slug="briefings", version="0", state=TaskSet.State.RETIRED)
    scored(task_set, [4, 3, 2])
    assert run("briefings") == "briefings 1: board no. 1, 1 ranked\n"
    assert run("briefings") == "briefings 1: board no. 1, 1 ranked\n"
    assert Board.objects.get().task_set == task_set


def test_it_publishes_a_version_by_name() -> None:
    old = cascade_set(slug="briefings", version="0", state=TaskSet.State.RETIRED)
    assert run("briefings", "0") == "briefings 0: board no. 1, 0 ranked\n"
    assert Board.objects.get().task_set == old


def test_it_names_the_versions_there_are() -> None:
    cascade_set(slug="briefings", version="0", state=TaskSet.State.RETIRED)
    with pytest.raises(CommandError, match="no active version; there is 0"):
        run("briefings")
    with pytest.raises(CommandError, match="no 7; there is 0"):
        run("briefings", "7")


def test_it_says_that_there_is_no_such_set() -> None:
    with pytest.raises(CommandError, match="nothing: no active version; there is no set of this name"):
        run("nothing")


def test_it_refuses_test_sets_with_the_reason() -> None:
    task_set = make_task_set(split="test")
    with pytest.raises(CommandError, match="release gate"):
        run(task_set.slug)
