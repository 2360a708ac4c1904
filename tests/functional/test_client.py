"""The command line and the client against a real server, as a team uses them."""

from __future__ import annotations

import datetime as dt
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from typer.testing import CliRunner, Result

from evalservice.client import Client, Problem
from evalservice.client.cli import app
from leaderboard.services import publish
from submissions.models import Submission, TaskSet, Team
from tests.factories import make_key, make_submission, make_system, make_task_set, make_team
from tests.integration.leaderboard.results import cascade_set, scored

pytestmark = pytest.mark.django_db(transaction=True)

Run = Callable[..., Result]


@pytest.fixture
def team() -> Team:
    """Who submits."""
    return make_team(organisation="Lab", name="Seekers")


@pytest.fixture
def run(live_server: Any, team: Team) -> Run:
    """The command line with address and key in the environment."""
    environment = {"EVALSERVICE_URL": live_server.url, "EVALSERVICE_KEY": make_key(team)[1]}
    return lambda *arguments, **more: CliRunner().invoke(
        app, [str(argument) for argument in arguments], env={**environment, **more}
    )


@pytest.fixture
def task_set() -> TaskSet:
    """Two tasks, one run."""
    return make_task_set(tasks=2, slug="expeditions", version="1.0")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """A folder with an answer to each."""
    for number in (1, 2):
        file = tmp_path / "answers" / f"task-{number}" / "answer_1.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"Answer {number}, 答え", encoding="utf-8")
    return tmp_path / "answers"


def submitted(run: Run, answers: Path, *options: str) -> str:
    """The id of a submission made by command."""
    result = run("submit", answers, "--task-set", "expeditions", "--system", "Searcher", *options)
    assert result.exit_code == 0, result.stderr
    return result.stdout.strip()


def test_a_team_finds_its_way_from_its_key_to_a_queued_submission(
    run: Run, task_set: TaskSet, answers: Path
) -> None:
    assert run("whoami").stdout.startswith("Seekers (Lab)\n")
    assert "expeditions" in run("sets").stdout
    prompts = [json.loads(line) for line in run("tasks", "expeditions").stdout.splitlines()]
    assert [task["key"] for task in prompts] == ["task-1", "task-2"]
    ident = submitted(run, answers, "--note", "first", "--system-class", "human")
    assert run("status", ident).stdout == "queued: 2 of 2 answers given\n"
    submission = Submission.objects.get(public_id=ident)
    assert (submission.note, submission.system.system_class) == ("first", "human")
    texts = submission.answers.order_by("task__position").values_list("text", flat=True)
    assert list(texts) == ["Answer 1, 答え", "Answer 2, 答え"]


def test_a_system_is_registered_once_however_many_there_are(
    run: Run, task_set: TaskSet, answers: Path, team: Team
) -> None:
    for number in range(60):
        make_system(team, name=f"A{number:02d}")
    first, second = submitted(run, answers), submitted(run, answers)
    systems = Submission.objects.filter(public_id__in=[first, second]).values_list("system__name", "system")
    assert len(set(systems)) == 1


def test_a_repeated_command_submits_once_and_another_one_is_refused(
    run: Run, task_set: TaskSet, answers: Path
) -> None:
    ident = submitted(run, answers, "--idempotency-key", "k1")
    assert submitted(run, answers, "--idempotency-key", "k1") == ident
    (answers / "task-2" / "answer_1.md").write_text("Another answer.")
    other = run(
        "submit", answers, "--task-set", "expeditions", "--system", "Searcher", "--idempotency-key", "k1"
    )
    assert other.exit_code == 1
    assert "idempotency_key_reused" in other.stderr
    assert Submission.objects.count() == 1


def test_a_refused_bundle_is_refused_with_every_fault_by_name(
    run: Run, task_set: TaskSet, answers: Path
) -> None:
    (answers / "task-1" / "answer_1.md").rename(answers / "task-1" / "answer_9.md")
    (answers / "task-2").rename(answers / "task-7")
    result = run("submit", answers, "--task-set", "expeditions", "--system", "Searcher")
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith("Registered a new system: Searcher")
    assert "(bundle_refused)" in lines[1]
    assert [line.split(":")[0].strip() for line in lines if line.startswith("  ")] == [
        "task-1/answer_9.md", "task-7/answer_1.md",
    ]  # fmt: skip
    assert not Submission.objects.exists()


def test_a_set_that_is_not_open_names_the_command_that_lists_those_that_are(run: Run, answers: Path) -> None:
    result = run("submit", answers, "--task-set", "expeditions", "--system", "Searcher")
    assert result.exit_code == 1
    assert "evalservice sets" in result.stderr


@pytest.mark.parametrize(
    ("key", "code"),
    [("", "not_authenticated"), ("evk_0000000000000000_x", "key_unknown"), ("expired", "key_expired")],
)
def test_a_key_that_opens_nothing_says_why_and_what_to_do(run: Run, team: Team, key: str, code: str) -> None:
    if key == "expired":
        key = make_key(team, at=timezone.now() - dt.timedelta(days=9), days=1)[1]
    result = run("whoami", EVALSERVICE_KEY=key)
    assert result.exit_code == 1
    assert f"({code})" in result.stderr
    assert "EVALSERVICE_KEY" in result.stderr


def test_another_teams_submission_is_not_there(run: Run) -> None:
    result = run("status", make_submission().public_id)
    assert result.exit_code == 1
    assert "(not_found)" in result.stderr


def test_a_watch_ends_with_the_submission(run: Run, team: Team, task_set: TaskSet) -> None:
    system = make_system(team)
    published = make_submission("published", system=system, task_set=task_set, summary={"overall": 0.5})
    result = run("status", published.public_id, "--watch")
    assert (result.exit_code, result.stdout) == (
        0,
        "published: 2 of 2 answers given\n  overall 0.5\n"
        f"  where points were lost: evalservice feedback {published.public_id}\n",
    )
    cancelled = make_submission("cancelled", system=system, task_set=task_set)
    assert run("status", cancelled.public_id, "--watch").exit_code == 3
    waiting = make_submission("queued", system=system, task_set=task_set)
    assert run("status", waiting.public_id, "--watch", "--seconds", "0").exit_code == 5


def test_a_board_is_the_same_as_a_table_and_as_json(run: Run, live_server: Any) -> None:
    board_set = cascade_set(slug="briefings", version="1.0", title="Briefings")
    for name, values in (("Good", (4, 4, 3)), ("Poor", (1, 2, 1))):
        scored(board_set, values, system=make_system(make_team(organisation=f"{name} Lab"), name=name))
    publish(task_set=board_set, now=timezone.now())
    lines = run("board", "briefings", "1.0").stdout.splitlines()
    assert lines[0].startswith("Briefings 1.0; published ")
    assert lines[0].endswith("; judge lexical; offline judge, not for publication; uncalibrated")
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines[4:6]]
    document = json.loads(run("board", "briefings", "1.0", "--json").stdout)
    with Client(live_server.url) as client:
        assert client.board("briefings", "1.0") == document
    for shown, row, rank, name in zip(rows, document["rows"], "12", ("Good", "Poor"), strict=True):
        assert shown[:4] == [rank, name, f"{name} Lab", f"{row['values']['user_pref']:.2f}"]
        assert shown[4] == "{:.2f} to {:.2f}".format(*row["intervals"]["user_pref"])


def test_a_board_that_is_not_there_is_refused(run: Run) -> None:
    assert run("board", "none", "1").exit_code == 1


def test_a_service_that_is_not_there_is_unreachable(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = run("whoami", EVALSERVICE_URL=address)
    assert result.exit_code == 4
    assert address in result.stderr


def test_scripts_get_typed_refusals_and_settled_submissions(
    live_server: Any, team: Team, task_set: TaskSet, answers: Path
) -> None:
    with Client(live_server.url, key=make_key(team)[1]) as client:
        with pytest.raises(Problem) as refused:
            client.submit(system="0" * 16, task_set="expeditions", bundle=answers)
        assert (refused.value.status, refused.value.code) == (404, "system_unknown")
        system = client.create_system(name="Searcher", system_class="deep_research", model="m-1")
        submission = client.submit(system=system["id"], task_set="expeditions", bundle=answers, runs=1)
        assert submission["answers"] == {"expected": 2, "given": 2}
        Submission.objects.filter(public_id=submission["id"]).update(state="cancelled")
        assert client.wait(submission["id"], every=0.01)["state"] == "cancelled"
