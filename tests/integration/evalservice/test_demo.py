"""The steps of the demonstration where it fails: what a whole run shows only when something is broken."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evalservice import demo
from evalservice.client import Problem, ServiceUnreachable
from submissions.models import ApiKey, Team
from tests.factories import make_task_set

AWAY = ServiceUnreachable("nobody there")


def submission(state: str, **fields: Any) -> dict[str, Any]:
    """A submission as the client gives it."""
    return {
        "id": "s1", "state": state, "state_reason": "", "incomplete_reasons": [], "system": {"name": "Meridian"},
        "task_set": {"slug": "set"}, **fields,
    }  # fmt: skip


class Fake:
    """A client that gives one answer after the other."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def _next(self, *arguments: Any) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    task_sets = submission = board = _next


@pytest.fixture
def servers() -> demo.Servers:
    """Servers that are not started."""
    return demo.Servers(port=1)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting takes no time here: each look at the clock is a minute later."""
    minutes = iter(range(0, 60_000, 60))
    clock = SimpleNamespace(sleep=lambda seconds: None, monotonic=lambda: next(minutes))
    monkeypatch.setattr("evalservice.demo.time", clock)


# ------------------------------------------------------------------ processes and ports
def test_a_process_that_ends_ends_the_demonstration(servers: demo.Servers) -> None:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    process.wait()
    servers.processes.append(process)
    with pytest.raises(demo.DemoFailed, match="ended with 7"):
        servers.check()
    servers.stop()


def test_a_process_that_does_not_end_when_told_is_killed(
    servers: demo.Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "STOP_SECONDS", 0.2)
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-S", "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    servers.processes.append(process)
    servers.stop()
    assert process.returncode == -9


def test_a_port_in_use_is_left_to_whoever_has_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        wanted = taken.getsockname()[1]
        assert demo.free_port(wanted) != wanted
    assert demo.free_port(wanted) == wanted


def test_no_free_port_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(socket.socket):
        def bind(self, address: Any) -> None:
            raise OSError

    monkeypatch.setattr("evalservice.demo.socket.socket", Full)
    with pytest.raises(demo.DemoFailed, match="no free port"):
        demo.free_port(0)


# ------------------------------------------------------------------ waiting
def test_the_web_process_may_take_its_time_to_answer(servers: demo.Servers) -> None:
    client: Any = Fake(AWAY, Problem(503, {}), [])
    demo.wait_until_ready(servers, client)
    assert client.answers == []


def test_a_web_process_that_never_answers_is_a_failure(servers: demo.Servers) -> None:
    client: Any = Fake(*[AWAY] * 1000)
    with pytest.raises(demo.DemoFailed, match="does not answer"):
        demo.wait_until_ready(servers, client)


def test_waiting_says_what_is_published_and_how_much_is_to_come(servers: demo.Servers) -> None:
    client: Any = Fake(submission("judging"), submission("published"), submission("published"))
    said: list[str] = []
    demo.wait_for_results(servers, client, ["a", "b"], said.append)
    assert said == [
        "  Meridian on set: published",
        "  … 1 to come after 60 s",
        "  Meridian on set: published",
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"state_reason": "quota"}, "quota"),
        ({"incomplete_reasons": ["coverage", "errors"]}, "coverage, errors"),
        ({}, "no reason given"),
    ],
)
@pytest.mark.parametrize("state", ["incomplete", "failed", "paused", "cancelled", "withheld"])
def test_a_submission_that_ends_otherwise_is_a_failure_with_its_reason(
    servers: demo.Servers, state: str, fields: dict[str, Any], reason: str
) -> None:
    client: Any = Fake(submission(state, **fields))
    with pytest.raises(demo.DemoFailed, match=f"s1 is {state}: {reason}"):
        demo.wait_for_results(servers, client, ["s1"], print)


def test_judging_without_an_end_is_a_failure(servers: demo.Servers) -> None:
    client: Any = Fake(*[submission("judging")] * 100)
    with pytest.raises(demo.DemoFailed, match="not published after 3600 s: s1"):
        demo.wait_for_results(servers, client, ["s1"], lambda line: None)


# ------------------------------------------------------------------ boards
def row(name: str, rank: int, value: float | None) -> dict[str, Any]:
    """A row of a board."""
    values = {"overall": value, "user_pref": value, "answer_chars": 99}
    intervals = {"user_pref": [1.0, 2.0]} if value is not None else {}
    return {"rank": rank, "system": {"name": name}, "values": values, "intervals": intervals}


def board(*names: str) -> dict[str, Any]:
    """A board with these systems."""
    keys = ("user_pref", "overall", "answer_chars")
    return {
        "task_set": {"title": "Set", "version": "1", "tasks": 3},
        "method": {"judge": "openai", "model": "m-1"},
        "columns": [{"key": key, "label": key.upper(), "decimals": 2} for key in keys],
        "rows": [
            row(name, rank, None if name == "Idler" else rank / 2) for rank, name in enumerate(names, 1)
        ],
    }


@pytest.mark.django_db
def test_a_board_in_another_order_or_without_somebody_is_a_failure() -> None:
    good = board("Meridian", "My agent", "Quicksilver", "Idler")
    shown: Any = Fake(good, board("Quicksilver", "Meridian", "Idler"), board("Meridian"))
    task_set = make_task_set(slug="briefings")
    assert demo.board_of(shown, task_set) is good
    for _ in range(2):
        with pytest.raises(demo.DemoFailed, match="the board of briefings shows"):
            demo.board_of(shown, task_set)


def test_a_printed_board_shows_the_metrics_that_matter_with_their_intervals() -> None:
    title, header, first, second = demo.board_lines(board("Meridian", "Idler"))
    assert title == "Set 1: 3 tasks, judge openai (m-1)"
    assert header.split() == ["rank", "system", "USER_PREF", "OVERALL"]
    assert first.split() == ["1", "Meridian", "0.50", "[1.00,", "2.00]", "0.50"]
    assert second.split() == ["2", "Idler", "–", "–"]


# ------------------------------------------------------------------ sets and keys
def test_a_folder_that_is_no_set_is_a_failure_with_every_fault(tmp_path: Path) -> None:
    for name in demo.SETS:
        (tmp_path / name / "taskset").mkdir(parents=True)
    (tmp_path / "expeditions" / "taskset" / "taskset.yaml").write_text("slug: x\n")
    with pytest.raises(demo.DemoFailed, match=r"was refused:\n  taskset\.yaml: (?s:.*)\n  taskset\.yaml: "):
        demo.import_sets(tmp_path, print)


@pytest.mark.django_db
def test_every_run_has_a_key_of_its_own_and_one_team() -> None:
    assert demo.team_key() != demo.team_key()
    assert Team.objects.count() == 1
    assert ApiKey.objects.count() == 2


# ------------------------------------------------------------------ the command
@pytest.fixture
def _signals() -> Iterator[None]:
    """The command takes the handler of SIGTERM for its process, which is the tests' own here."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


@pytest.mark.django_db
@pytest.mark.usefixtures("_signals")
@pytest.mark.parametrize(
    ("raised", "said", "status"),
    [
        (demo.DemoFailed("no room"), "The demonstration failed: no room", 1),
        (KeyboardInterrupt(), "Interrupted.", 130),
    ],
)
def test_the_command_ends_with_one_line_and_a_status(
    raised: BaseException, said: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_sets(*arguments: Any) -> None:
        raise raised

    monkeypatch.setattr(demo, "import_sets", import_sets)
    with pytest.raises(CommandError) as failure:
        call_command("demo", "--once", "--examples", str(tmp_path))
    assert (str(failure.value), failure.value.returncode) == (said, status)
