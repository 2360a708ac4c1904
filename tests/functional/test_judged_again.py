"""From an operator's button to the board and back: a second judging at a dead endpoint, as everybody sees it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from judging.models import JudgeRun
from leaderboard.services import publish
from submissions.models import Submission
from tests.factories import make_key, make_user, now
from tests.http import ApiClient, assert_problem
from tests.judging_factories import import_set, judged, lake_answer, model_judges, run_jobs, tree_files

pytestmark = pytest.mark.django_db(transaction=True)

ANSWERS = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}
NOWHERE = "http://127.0.0.1:9/v1"
PUBLIC = (
    "/",
    "/leaderboards/lakes/1.0/",
    "/api/v1/leaderboards/lakes/1.0",
    "/api/v1/leaderboards/lakes/1.0?format=csv",
)


@pytest.fixture
def submission(settings: Any) -> Submission:
    made = judged(import_set(tree_files()), ANSWERS)
    publish(task_set=made.task_set, now=now())
    model_judges(settings, NOWHERE, attempts=1, timeout_s=2)
    return made


@pytest.fixture
def operator() -> Client:
    user = make_user(staff=True)
    user.groups.set(Group.objects.filter(name="judge operator"))
    browser = Client()
    browser.force_login(user)
    return browser


def judge_again(operator: Client, submission: Submission) -> str:
    data = {"action": "judge_again", "_selected_action": [submission.pk]}
    address = reverse("admin:submissions_submission_changelist")
    return str(operator.post(address, data, follow=True).content.decode())


def public() -> list[bytes]:
    visitor = Client()
    return [bytes(visitor.get(address).content) for address in PUBLIC]


def test_a_dead_endpoint_takes_nothing_off_a_board(submission: Submission, operator: Client) -> None:
    team = ApiClient(make_key(submission.system.team)[1])
    address = f"submissions/{submission.public_id}"
    boards, page = public(), team.get(address).json()
    answers = team.get(f"{address}/answers").json()
    assert page["state"] == "published"
    assert submission.system.name.encode() in boards[1]

    assert f"Submission {submission}: round 2 begins." in judge_again(operator, submission)
    under_way = team.get(address).json()
    assert (under_way["state"], under_way["scores"]) == ("judging", page["scores"])
    assert public() == boards
    assert_problem(team.post(f"{address}/cancel"), "too_late_to_cancel")

    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert team.get(address).json() == page
    assert team.get(f"{address}/answers").json() == answers
    publish(task_set=submission.task_set, now=now())
    assert public() == boards

    change = reverse("admin:submissions_submission_change", args=[submission.pk])
    shown = operator.get(change).content.decode()
    assert "rejudge_incomplete" in shown
    run = JudgeRun.objects.get(submission=submission, round=2)
    listed = operator.get(f"{reverse('admin:judging_verdict_changelist')}?finding=error").content.decode()
    assert str(run) in listed
