"""What a team learns about its answers: everything on dev sets, nothing on test sets; and the same for staff."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Submission, Team
from tests.factories import make_key, make_system, make_team, make_user
from tests.http import ApiClient
from tests.judging_factories import import_set, lake_answer, lake_task, run_jobs, submit, tree_files

pytestmark = pytest.mark.django_db(transaction=True)

EVIL = "<b>x</b>\u202e"
EXTRACTED = {"depth": 212, "length": 15, "sources": ["https://lakes.example/brume"]}
FAILED = "lake.depth == 213 does not hold: left is 212, right is 213"


@pytest.fixture
def team() -> Team:
    """Who submits."""
    return make_team()


@pytest.fixture
def client(team: Team) -> ApiClient:
    """Its client."""
    return ApiClient(make_key(team)[1])


def judged_for(team: Team, answer: str, **manifest: Any) -> Submission:
    """A judged answer to a task whose first check is an assertion that fails."""
    task = lake_task()
    task["tree"]["children"][0]["assert"] = "lake.depth == 213"
    made = submit(
        import_set(tree_files({"brume": task}, **manifest)), {"brume": answer}, system=make_system(team)
    )
    run_jobs(made)
    made.refresh_from_db()
    return made


def answers(client: ApiClient, submission: Submission) -> Any:
    return client.get(f"submissions/{submission.public_id}/answers")


def test_a_team_reads_what_was_read_and_which_assertion_failed(client: ApiClient, team: Team) -> None:
    made = judged_for(team, lake_answer(212, 15, "brume"))
    (row,) = answers(client, made).json()["results"]
    feedback = row["result"]["feedback"]
    (lake,) = feedback["extracted"]
    assert (lake["name"], lake["outcome"], lake["value"], lake["cut"]) == ("lake", "ok", EXTRACTED, False)
    verdict = feedback["tree"]["children"][0]["verdict"]
    assert (verdict["finding"], verdict["error_class"], verdict["reason"]) == (
        "unmet",
        "incomplete.partial",
        FAILED,
    )
    one = client.get(f"submissions/{made.public_id}/answers/{row['task']}/1").json()
    assert one["result"] == row["result"]


def test_no_word_of_it_is_told_on_a_test_set(client: ApiClient, team: Team) -> None:
    made = judged_for(
        team, lake_answer(212, 15, "brume"), split="test", delivery="open", delivery_reason="A trial."
    )
    assert made.state in {Submission.State.JUDGED, Submission.State.PUBLISHED}
    assert FAILED in made.answers.get().verdicts.get(check_id="given").reason
    listed = answers(client, made)
    (row,) = listed.json()["results"]
    assert row["result"] is None
    told = listed.content + client.get(f"submissions/{made.public_id}").content
    told += client.get(f"submissions/{made.public_id}/answers/{row['task']}/1").content
    for word in (b"lake.depth", b"left is", b"213", b"extracted", b"heuristic"):
        assert word not in told


def test_staff_read_the_same_and_what_strangers_wrote_stays_text(team: Team) -> None:
    made = judged_for(team, f"{lake_answer(212, 15, 'brume')}\n- Source: [x](https://lakes.example/{EVIL})\n")
    staff = Client()
    staff.force_login(make_user(staff=True, superuser=True))
    run, answer = made.judge_runs.get(), made.answers.get()
    page = staff.get(reverse("admin:judging_judgerun_answer", args=[run.pk, answer.pk])).content.decode()
    assert "<h2>Read out</h2>" in page
    assert "&quot;depth&quot;: 212" in page
    assert FAILED in page
    row = staff.get(reverse("admin:submissions_answer_change", args=[answer.pk])).content.decode()
    for shown in (page, row):
        assert "<b>x</b>" not in shown
        assert "lakes.example" in shown
