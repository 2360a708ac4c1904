"""Publications at the same time make one board."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.models import TaskSet
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

AT_ONCE = 4


@pytest.mark.django_db(transaction=True)
def test_simultaneous_publications_make_one_board() -> None:
    task_set = cascade_set()
    submissions = [scored(task_set, values) for values in ([4, 3, 2], [1, 1, 2], [2, 2, 2])]
    barrier = Barrier(AT_ONCE)

    def one(number: int) -> int:
        try:
            barrier.wait(timeout=30)
            return publish(task_set=TaskSet.objects.get(pk=task_set.pk), now=T0 + HOUR).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        boards = list(threads.map(one, range(AT_ONCE)))
    assert len(set(boards)) == 1
    assert Board.objects.count() == 1
    assert Entry.objects.count() == 3
    for submission in submissions:
        submission.refresh_from_db()
        assert submission.state == "published"
        assert submission.events.count() == 1
