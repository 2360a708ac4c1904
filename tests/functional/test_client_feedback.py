"""``evalservice feedback`` against a real server that has judged real answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evalservice.client import Client
from evalservice.client.cli import app
from submissions.models import Submission, Team
from tests.factories import make_key, make_system, make_task_set, make_team
from tests.judging_factories import (
    REPORT_RIGHT,
    cascade_files,
    import_set,
    lake_answer,
    lake_task,
    run_jobs,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

Run = Callable[..., Result]


@pytest.fixture
def team() -> Team:
    """Who submits."""
    return make_team()


@pytest.fixture
def key(team: Team) -> str:
    """Its key."""
    return make_key(team)[1]


@pytest.fixture
def run(live_server: Any, key: str) -> Run:
    """The command line with address and key in the environment."""
    environment = {"EVALSERVICE_URL": live_server.url, "EVALSERVICE_KEY": key}
    return lambda *arguments: CliRunner().invoke(app, ["feedback", *arguments], env=environment)


def judged(team: Team, files: Any, answers: dict[str, str], *, drive: bool = True) -> Submission:
    made = submit(import_set(files), answers, system=make_system(team))
    if drive:
        run_jobs(made)
    return made


def cells(result: Result) -> list[list[str]]:
    """The rows of all tables."""
    return [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in result.stdout.splitlines()
        if line.startswith("│")
    ]


def test_a_team_reads_where_a_tree_lost_points(run: Run, team: Team) -> None:
    task = lake_task()
    task["tree"]["children"][0]["assert"] = "lake.depth == 213"
    made = judged(
        team,
        tree_files({"brume": task, "sallow": lake_task("Sallow")}),
        {"brume": lake_answer(212, 14, "brume")},
    )
    result = run(made.public_id)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("brume run 1: score 0, ")
    assert lines[1] == '  read lake: {"depth": 212, "length": 14, "sources": ["https://lakes.example/brume"]}'
    reason = "incomplete.partial; lake.depth == 213 does not hold: left is 212, right is 213"
    assert cells(result) == [["given (critical)", "unmet", "lake.depth == 213", reason]]
    assert lines[-2:] == ["sallow run 1: score 0, 0 of 0 checks assessed", "  No answer was handed in."]
    assert [row[0] for row in cells(run(made.public_id, "--all", "--task", "brume"))] == [
        "given (critical)", "depth", "length",
    ]  # fmt: skip


def test_a_team_reads_where_a_cascade_lost_points(run: Run, team: Team) -> None:
    made = judged(team, cascade_files(), {"report": REPORT_RIGHT.replace("212", "221")})
    result = run(made.public_id)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("report run 1: score 0.333, UserPref 1, instruction 0.333")
    assert lines[1].startswith("  depth (P0): 0, fail; factuality and rationality not counted")
    assert lines[2] == "  law (P1): 1, pass"
    assert [row[:2] for row in cells(result)] == [
        ["depth (P0) instruction states-depth", "unmet"],
        ["depth (P0) factuality depth-facts", "refuted"],
    ]


def test_a_perfect_answer_has_nothing_to_mend(run: Run, team: Team) -> None:
    made = judged(team, tree_files({"brume": lake_task()}), {"brume": lake_answer(212, 14, "brume")})
    assert run(made.public_id).stdout.splitlines()[-1] == "  every check that was reached is met"


def test_json_and_client_give_what_the_api_gives(run: Run, team: Team, key: str, live_server: Any) -> None:
    task_set = make_task_set(tasks=120)
    made = submit(task_set, {"task-1": "x"}, system=make_system(team))
    with Client(live_server.url, key=key) as client:
        rows = client.answers(made.public_id)
    assert len(rows) == 120  # more than a page
    judged_one = judged(team, tree_files({"brume": lake_task()}), {"brume": lake_answer(212, 15, "brume")})
    result = run(judged_one.public_id, "--json")
    (row,) = json.loads(result.stdout)
    with Client(live_server.url, key=key) as client:
        assert client.answers(judged_one.public_id) == [row]
    assert row["result"]["feedback"]["extracted"][0]["value"]["length"] == 15


@pytest.mark.parametrize(("state", "code"), [("queued", 5), ("failed", 3)])
def test_what_is_not_judged_ends_with_a_code_of_its_own(run: Run, team: Team, state: str, code: int) -> None:
    made = judged(team, tree_files(), {"brume": "x"}, drive=False)
    Submission.objects.filter(pk=made.pk).update(state=state)
    result = run(made.public_id)
    assert (result.exit_code, result.stdout) == (code, "")
    assert f"the submission is {state}" in result.stderr


def test_a_test_set_gives_none(run: Run, team: Team) -> None:
    files = tree_files({"brume": lake_task()}, split="test", delivery="open", delivery_reason="A trial.")
    made = judged(team, files, {"brume": lake_answer(212, 15, "brume")})
    for arguments in ((), ("--json",), ("--all",)):
        result = run(made.public_id, *arguments)
        assert (result.exit_code, result.stdout) == (6, "")


def test_another_teams_submission_is_not_there(run: Run) -> None:
    made = judged(make_team(), tree_files(), {"brume": "x"}, drive=False)
    result = run(made.public_id)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "(not_found)" in result.stderr
