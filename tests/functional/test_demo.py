"""``manage.py demo`` as a visitor runs it: in a process of its own, in an empty folder, to the boards."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
import redis
from psycopg import sql

from tests.endpoint import Endpoint
from tests.programs import ROOT, clean_environment, manage

pytestmark = pytest.mark.timeout(600)
POSTGRES = os.environ.get("DATABASE_URL", "")
REDIS = os.environ.get("REDIS_URL", "")
# What these show does not depend on the database; CI runs them on SQLite.
anywhere = pytest.mark.skipif(bool(POSTGRES), reason="runs on SQLite alone")
ORDER = ["Meridian", "Quicksilver", "Idler"]
BOARDS = ["Orrenfell Expeditions 1.0", "Briefings (development set) 1.0"]


def environment(var: Path, **variables: str) -> dict[str, str]:
    """Nothing but the demonstration's switch."""
    return clean_environment(var, EVALSERVICE_DEMO="1", **variables)


@pytest.fixture
def databases() -> Iterator[dict[str, str]]:
    """The variables of the databases that this run of the tests is about; each is empty and our own."""
    variables = {}
    if REDIS:
        server, _, number = REDIS.rpartition("/")
        variables["REDIS_URL"] = f"{server}/{(int(number) + 1) % 16}"  # messages of other tests lie in theirs
        redis.Redis.from_url(variables["REDIS_URL"]).flushdb()
    if not POSTGRES:
        yield variables
        return
    name = f"demo_{secrets.token_hex(6)}"
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield {**variables, "DATABASE_URL": f"{POSTGRES.rpartition('/')[0]}/{name}"}
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def boards(output: str) -> dict[str, list[str]]:
    """The systems on each board of the output, by rank."""
    found: dict[str, list[str]] = {}
    for block in output.split("\n\n")[1:]:
        title, _, rows = block.partition(":")
        found[title] = re.findall(r"^ +\d+  (\w+) ", rows, re.MULTILINE)
    return found


KEPT = {"expeditions": "huts", "briefings": "rate-decision"}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """The examples with one task a set, to be quick and to take something away from."""
    copy = Path(shutil.copytree(ROOT / "examples", tmp_path / "examples"))
    for name, task in KEPT.items():
        for path in [
            *copy.joinpath(name, "taskset", "tasks").iterdir(),
            *copy.joinpath(name, "answers").glob("*/*"),
        ]:
            if path.stem != task:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return copy


def start(var: Path, *arguments: str) -> subprocess.Popen[str]:
    """A demonstration to read along with."""
    return subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", "0", *arguments], cwd=ROOT, env=environment(var), text=True,
        encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def read_until(process: subprocess.Popen[str], beginning: str) -> str:
    """What it says, up to a line that begins like this."""
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if line.startswith(beginning):
            return "".join(said)
    raise AssertionError(said)


def test_the_demonstration_ends_with_both_boards_in_the_order_of_quality(
    tmp_path: Path, databases: dict[str, str]
) -> None:
    done = manage("demo", "--once", "--port", "0", env=environment(tmp_path, **databases), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert boards(done.stdout) == dict.fromkeys(BOARDS, ORDER)
    assert done.stdout.count("judge lexical") == 2
    assert done.stdout.count(": published") == 6
    assert done.stderr == ""
    assert (tmp_path / "db.sqlite3").exists() is not bool(POSTGRES)


@anywhere
def test_the_demonstration_runs_with_a_model_as_judge(tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        judge = {"EVALSERVICE_JUDGE": "openai", "EVALSERVICE_JUDGE_MODEL": "model-1", "OPENAI_API_KEY": "k-1"}
        asked = environment(tmp_path, OPENAI_BASE_URL=endpoint.base_url, **judge)
        done = manage("demo", "--once", "--port", "0", env=asked, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        assert endpoint.calls > 100
        assert {call.body["model"] for call in endpoint.log} == {"model-1"}
        assert {call.key for call in endpoint.log} == {"Bearer k-1"}
    assert boards(done.stdout) == dict.fromkeys(BOARDS, ORDER)
    assert done.stdout.count("judge openai (model-1)") == 2


@anywhere
@pytest.mark.parametrize(
    ("missing", "sentence"),
    [("expeditions/answers/idler", "idler does not exist"), ("briefings/taskset", "taskset was refused")],
)
def test_a_demonstration_that_lacks_something_fails_with_its_name(
    tmp_path: Path, examples: Path, missing: str, sentence: str
) -> None:
    shutil.rmtree(examples / missing)
    done = manage(
        "demo", "--once", "--port", "0", "--examples", str(examples), env=environment(tmp_path), timeout=120
    )
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert boards(done.stdout) == {}


@anywhere
def test_without_its_switch_the_demonstration_touches_nothing(tmp_path: Path) -> None:
    secret = {"EVALSERVICE_SECRET_KEY": "x" * 40}
    done = manage("demo", "--once", env=clean_environment(tmp_path, **secret))
    assert done.returncode == 1
    assert "EVALSERVICE_DEMO=1" in done.stderr
    assert not (tmp_path / "db.sqlite3").exists()


@anywhere
def test_a_demonstration_that_stays_serves_until_it_is_told_to_stop(tmp_path: Path, examples: Path) -> None:
    process = start(tmp_path, "--examples", str(examples))
    said = read_until(process, "Ctrl-C")
    address = re.search(r"Boards: (\S+)/   Admin: \1/admin/ \(admin / \S+\)", said)
    assert address is not None, said
    for path in re.findall(rf"^  {address[1]}(/leaderboards/\S+)", said, re.MULTILINE):
        page = httpx.get(address[1] + path)
        assert page.status_code == 200
        assert re.findall("Meridian|Quicksilver|Idler", page.text)[0] == "Meridian"
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (0, "Stopping.\n", "")


@anywhere
def test_an_interrupted_demonstration_leaves_no_process_behind(tmp_path: Path, examples: Path) -> None:
    # What runs in the background ignores it, and so would its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(tmp_path, "--once", "--examples", str(examples))
    read_until(process, "Submitting")
    children = descendants(process.pid)
    assert len(children) >= 2
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1] == "CommandError: Interrupted."
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []


def descendants(pid: int) -> list[int]:
    """All processes below ``pid``."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *descendants(child)]
    return found
