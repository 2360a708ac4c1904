"""The demonstration: the whole service on one machine, driven through its public doors alone."""

from __future__ import annotations

import datetime as dt
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from evalservice.client import Client, Problem, ServiceUnreachable
from judging.imports import Imported, RefusedBundle, activate, import_taskset
from judging.taskset_files import read_files
from submissions.models import TaskSet, Team
from submissions.services import create_team, issue_key

SETS = ("expeditions", "briefings")
SYSTEMS = {  # as the READMEs of the examples describe them
    "meridian": ("Meridian", "deep_research"),
    "quicksilver": ("Quicksilver", "llm_search"),
    "idler": ("Idler", "llm_search"),
}
START_SECONDS = 60
JUDGE_SECONDS = 3600  # a model on a laptop takes its time; the offline judge needs seconds
REPORT_SECONDS = 30
STOP_SECONDS = 20.0


class DemoFailed(Exception):
    """Something the demonstration promises did not happen."""


@dataclass
class Servers:
    """The web process and the worker, as an operator would start them."""

    port: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where the pages are."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start both; they end with :meth:`stop`."""
        web = ["-m", "gunicorn", "evalservice.wsgi", "--bind", f"127.0.0.1:{self.port}", "--worker-class", "gthread",
               "--threads", "8", "--no-control-socket", "--log-level", "warning"]  # fmt: skip
        for arguments in (web, ["manage.py", "worker"]):
            command = [sys.executable, *arguments]
            self.processes.append(subprocess.Popen(command, cwd=settings.BASE_DIR))  # noqa: S603  # our interpreter and arguments

    def check(self) -> None:
        """Nobody has died.

        :raises DemoFailed: a process ended.
        """
        for process in self.processes:
            if process.poll() is not None:
                raise DemoFailed(f"{process.args!r} ended with {process.returncode}")

    def stop(self) -> None:
        """End both, gently, then not."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def running(port: int) -> Iterator[Servers]:
    """Web and worker for as long as the block lasts."""
    servers = Servers(port)
    try:
        servers.start()
        yield servers
    finally:
        servers.stop()


def free_port(wanted: int) -> int:
    """``wanted`` if nobody listens there, else some free port."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise DemoFailed("no free port on 127.0.0.1")


# ------------------------------------------------------------------ what an organiser does
def import_sets(examples: Path, say: Callable[[str], None]) -> list[TaskSet]:
    """Import and open the sets in ``examples``.

    :raises DemoFailed: one was refused; with every fault.
    """
    now = timezone.now()
    sets = []
    for name in SETS:
        imported = _imported(examples / name / "taskset", now)
        sets.append(activate(task_set=imported.task_set, now=now))
        tasks = imported.task_set.tasks.count()
        say(f"  {imported.task_set.title}: {tasks} tasks, {imported.pages} archived pages")
    return sets


def _imported(folder: Path, now: dt.datetime) -> Imported:
    reading = read_files(folder)
    try:
        if reading.faults:
            raise RefusedBundle(reading.faults)
        return import_taskset(files=reading.files, now=now)
    except RefusedBundle as refused:
        faults = "\n".join(f"  {fault}" for fault in refused.faults)
        raise DemoFailed(f"{folder} was refused:\n{faults}") from refused


def team_key() -> str:
    """A key of the demonstration's team."""
    now = timezone.now()
    team = Team.objects.filter(name="Demo team").first()
    team = team or create_team(organisation="Demo organisation", name="Demo team", now=now)
    _, text = issue_key(team=team, name=f"demo {now:%Y-%m-%d %H:%M:%S}", now=now, days=1)
    return text


# ------------------------------------------------------------------ what a team does
def wait_until_ready(servers: Servers, client: Client) -> None:
    """Until the web process answers.

    :raises DemoFailed: it does not.
    """
    for _ in range(START_SECONDS * 5):
        servers.check()
        try:
            client.task_sets()
        except (ServiceUnreachable, Problem):
            time.sleep(0.2)
        else:
            return
    raise DemoFailed("the web process does not answer")


def submit_all(
    client: Client, sets: Sequence[TaskSet], examples: Path, say: Callable[[str], None]
) -> list[str]:
    """Submit the answers of all systems to all sets; the ids of the submissions."""
    submitted = []
    for folder, (name, kind) in SYSTEMS.items():
        system = client.system(name) or client.create_system(name=name, system_class=kind)
        for task_set, example in zip(sets, SETS, strict=True):
            answers = examples / example / "answers" / folder
            submission = client.submit(system=system["id"], task_set=task_set.slug, bundle=answers)
            say(f"  {name} → {task_set.slug}: {submission['answers']['given']} answers")
            submitted.append(submission["id"])
    return submitted


def wait_for_results(
    servers: Servers, client: Client, ids: Sequence[str], say: Callable[[str], None]
) -> None:
    """Until every submission is published.

    :raises DemoFailed: one ended otherwise, or it took too long.
    """
    waiting = list(ids)
    begun = time.monotonic()
    reported = begun
    while True:
        servers.check()
        waiting = [ident for ident in waiting if not _published(client.submission(ident), say)]
        if not waiting:
            return
        now = time.monotonic()
        if now - begun > JUDGE_SECONDS:
            raise DemoFailed(f"not published after {JUDGE_SECONDS} s: {', '.join(waiting)}")
        if now - reported > REPORT_SECONDS:
            reported = now
            say(f"  … {len(waiting)} to come after {now - begun:.0f} s")
        time.sleep(0.5)


def _published(submission: Mapping[str, Any], say: Callable[[str], None]) -> bool:
    """Whether it is published; what will not be ends the demonstration."""
    if submission["state"] in {"incomplete", "failed", "paused", "cancelled", "withheld"}:
        raise DemoFailed(f"{submission['id']} is {submission['state']}: {_why(submission)}")
    if submission["state"] != "published":
        return False
    say(f"  {submission['system']['name']} on {submission['task_set']['slug']}: published")
    return True


def _why(submission: Mapping[str, Any]) -> str:
    return submission["state_reason"] or ", ".join(submission["incomplete_reasons"]) or "no reason given"


# ------------------------------------------------------------------ what a reader sees
def board_of(client: Client, task_set: TaskSet) -> dict[str, Any]:
    """The public board, which must show all three systems in the order of their quality, whoever else stands there.

    :raises DemoFailed: it does not.
    """
    board = client.board(task_set.slug, task_set.version)
    expected = [name for name, _ in SYSTEMS.values()]
    names = [row["system"]["name"] for row in board["rows"] if row["system"]["name"] in expected]
    if names != expected:
        raise DemoFailed(f"the board of {task_set.slug} shows {names}, the answers earn {expected}")
    return board


def board_lines(board: Mapping[str, Any]) -> list[str]:
    """The board as plain text."""
    task_set, method = board["task_set"], board["method"]
    judge = f"{method['judge']} ({method['model']})" if method["model"] else method["judge"]
    metrics = [metric for metric in board["columns"] if metric["key"] in SHOWN]
    lines = [f"{task_set['title']} {task_set['version']}: {task_set['tasks']} tasks, judge {judge}"]
    header = [metric["label"] for metric in metrics]
    lines.append("  rank  system        " + "  ".join(f"{label:>22}" for label in header))
    for entry in board["rows"]:
        cells = [f"{_cell(entry, metric):>22}" for metric in metrics]
        lines.append(f"  {entry['rank']:>4}  {entry['system']['name']:<12}  " + "  ".join(cells))
    return lines


SHOWN = frozenset({"user_pref", "overall", "partial_completion", "success_rate", "reference_support"})


def _cell(entry: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    key, places = metric["key"], metric["decimals"]
    value, interval = entry["values"].get(key), entry["intervals"].get(key)
    if value is None:
        return "–"
    ends = f" [{interval[0]:.{places}f}, {interval[1]:.{places}f}]" if interval else ""
    return f"{value:.{places}f}{ends}"
