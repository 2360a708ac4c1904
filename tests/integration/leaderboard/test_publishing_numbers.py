"""The numbers of a board and their intervals."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from leaderboard.services import publish
from tests.factories import make_system, make_task, make_task_set, make_team
from tests.integration.leaderboard.boards import LATER, rows
from tests.integration.leaderboard.results import cascade_set, scored

pytestmark = pytest.mark.django_db


def test_a_cascade_row_carries_the_worked_mean_and_interval() -> None:
    task_set = cascade_set(tasks=10)
    scored(task_set, [2, 3, 1, 4, 2, 3, 3, 2, 1, 4])
    row = rows(publish(task_set=task_set, now=LATER))[0]
    assert row["values"]["user_pref"] == 2.5
    assert row["intervals"] == {"user_pref": [1.73, 3.27]}
    assert row["tasks"]["rationality"] == 10
    assert row["values"]["minutes"] == 5.0
    assert row["values"]["cost_usd"] == 0.25
    assert row["values"]["reference_ratio"] == 0.75


def test_tasks_that_share_an_event_widen_the_interval() -> None:
    task_set = cascade_set(tasks=0)
    for position, cluster in enumerate([0, 0, 1, 1, 2, 2, 2, 3, 3, 4], start=1):
        make_task(task_set, position=position, cluster=f"event {cluster}")
    scored(task_set, [1, 1, 2, 2, 3, 3, 3, 4, 4, 2])
    board = publish(task_set=task_set, now=LATER)
    assert rows(board)[0]["intervals"]["user_pref"] == [1.06, 3.94]
    assert "CR1" in board.document["columns"][0]["interval"]


def test_a_single_run_has_a_wilson_interval_and_no_pass_at_k() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=4)
    scored(task_set, [1.0, 1.0, 0.5, 0.0])
    board = publish(task_set=task_set, now=LATER)
    row = rows(board)[0]
    assert row["values"]["partial_completion"] == 0.625
    assert row["values"]["success_rate"] == 0.5
    assert row["intervals"]["success_rate"] == [0.15, 0.85]
    assert not [column for column in board.document["columns"] if column["key"].startswith("pass_at")]


def test_several_runs_are_averaged_within_a_task_and_have_pass_at_k() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=2, runs=2)
    scored(task_set, [1.0, 0.0, 0.5, 0.5], runs=2)
    board = publish(task_set=task_set, now=LATER)
    row = rows(board)[0]
    assert row["values"]["partial_completion"] == 0.5
    assert row["intervals"]["partial_completion"] == [0.5, 0.5]
    assert (row["values"]["success_rate"], row["values"]["pass_at_2"]) == (0.25, 0.5)
    assert row["intervals"]["success_rate"] == [0.0, 1.0]


def test_one_task_has_no_interval() -> None:
    task_set = cascade_set(tasks=1)
    scored(task_set, [4])
    assert rows(publish(task_set=task_set, now=LATER))[0]["intervals"] == {"user_pref": None}


def test_no_interval_is_drawn_around_another_number_than_the_one_shown() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 4, 3])
    submission.answers.update(user_pref=1)
    assert rows(publish(task_set=task_set, now=LATER))[0]["intervals"] == {"user_pref": None}


def test_an_answer_without_a_score_leaves_no_interval() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 4, 3])
    submission.answers.filter(run=1, task__position=1).update(user_pref=None)
    assert rows(publish(task_set=task_set, now=LATER))[0]["intervals"] == {"user_pref": None}


def test_a_lower_bound_is_marked_as_one() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 4, 3], details={"in_full": False})
    assert rows(publish(task_set=task_set, now=LATER))[0]["at_least"] == ["hallucination_rate"]


def test_the_document_says_what_is_needed_to_read_it() -> None:
    task_set = cascade_set(as_of=dt.date(2026, 5, 1))
    scored(task_set, [4, 4, 3], system=make_system(make_team(organisation="Halcyon"), name="M", model="m-1"))
    board = publish(task_set=task_set, now=LATER)
    document = board.document
    assert document["task_set"]["as_of"] == "2026-05-01"
    assert (document["task_set"]["tasks"], document["task_set"]["runs"]) == (3, 1)
    assert document["method"]["constants"]["pass_at"] == 0.8
    assert document["method"]["marks"] == ["offline_judge", "uncalibrated"]
    assert document["board"] == {
        "id": board.public_id,
        "number": 1,
        "published_at": "2026-05-04T22:00:00Z",
    }
    assert rows(board)[0]["system"]["organisation"] == "Halcyon"
    assert rows(board)[0]["provenance"] == "self_service"


def test_nothing_of_a_task_or_an_answer_is_in_the_document() -> None:
    task_set = cascade_set(tasks=0)
    task = make_task(task_set, position=1, key="secret-key", prompt="secret prompt", cluster="secret cluster")
    submission = scored(task_set, [4])
    submission.answers.update(text="secret answer", feedback={"reason": "secret reason"})
    document = json.dumps(publish(task_set=task_set, now=LATER).document)
    assert "secret" not in document
    assert task.public_id not in document
    assert submission.public_id not in document
