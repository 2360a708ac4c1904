"""The README's six calls, as they are written there, against a real server and a real judge."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from string import Template
from typing import Any

import httpx
import pytest
from django.utils import timezone

from judging.imports import activate, import_taskset
from judging.taskset_files import read_files
from leaderboard.tasks import publish_due
from submissions.models import Submission
from tests.factories import make_key, make_team
from tests.judging_factories import run_jobs
from tests.programs import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
ANSWERS = ROOT / "examples" / "expeditions" / "answers" / "quicksilver"
Call = Callable[[str, Mapping[str, str], Path], Any]


def transcript() -> list[str]:
    """The commands of the README, in order; the first one sets address and key."""
    block = re.search(
        r"<!-- transcript.*?-->\n```sh\n(.*?)```", ROOT.joinpath("README.md").read_text("utf-8"), re.DOTALL
    )
    assert block is not None
    lines = block[1].replace("\\\n", " ").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def with_curl(command: str, variables: Mapping[str, str], folder: Path) -> Any:
    """By a shell, as a reader would."""
    done = subprocess.run(
        ["bash", "-euc", command], cwd=folder, env={"PATH": os.environ["PATH"], **variables}, timeout=60,
        capture_output=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def with_httpx(command: str, variables: Mapping[str, str], folder: Path) -> Any:
    """The same request for those without curl: the flags of the README and no other."""
    words = shlex.split(Template(command).substitute(variables))
    assert words[:2] == ["curl", "-s"]
    address, options = words[2], list(zip(words[3::2], words[4::2], strict=True))
    assert {flag for flag, _ in options} <= {"-H", "-d", "-F"}
    headers = dict(value.split(": ", 1) for flag, value in options if flag == "-H")
    form = dict(value.split("=", 1) for flag, value in options if flag == "-F")
    files = {name: (folder / value[1:]).read_bytes() for name, value in form.items() if value.startswith("@")}
    fields = {name: value for name, value in form.items() if name not in files}
    body = next((value for flag, value in options if flag == "-d"), None)
    if files:
        uploads = {name: ("answers.zip", content) for name, content in files.items()}
        return httpx.post(address, headers=headers, data=fields, files=uploads).json()
    method = "GET" if body is None else "POST"
    return httpx.request(method, address, headers=headers, content=body).json()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a reader has the answers, as a zip."""
    with zipfile.ZipFile(tmp_path / "answers.zip", "w") as archive:
        for file in ANSWERS.rglob("*.md"):
            archive.write(file, file.relative_to(ANSWERS))
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            with_curl, marks=pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
        ),
        with_httpx,
    ],
)
def test_six_calls_lead_from_a_key_to_the_board(call: Call, live_server: Any, folder: Path) -> None:
    export, me, tasks, register, submit, status, board = transcript()
    assert export.startswith("export API=http://127.0.0.1:8000/api/v1 KEY=")
    files = read_files(ROOT / "examples" / "expeditions" / "taskset").files
    activate(task_set=import_taskset(files=files, now=timezone.now()).task_set, now=timezone.now())
    team = make_team(name="Readers")
    given = {"API": f"{live_server.url}/api/v1", "KEY": make_key(team)[1]}

    assert call(me, given, folder)["team"]["name"] == "Readers"
    assert len(call(tasks, given, folder)["tasks"]) == 8
    given["SYSTEM"] = call(register, given, folder)["id"]
    submission = call(submit, given, folder)
    given["SUBMISSION"] = submission["id"]
    assert submission["answers"] == {"expected": 8, "given": 8}
    assert call(submit, given, folder)["id"] == submission["id"], "the key makes a repeat harmless"
    assert call(status, given, folder)["state"] == "queued"

    found = Submission.objects.get(public_id=submission["id"])
    run_jobs(found)
    publish_due(found.pk)

    shown = call(status, given, folder)
    assert (shown["state"], shown["not_listed_because"]) == ("published", [])
    (row,) = call(board, given, folder)["rows"]
    assert (row["rank"], row["system"]["name"]) == (1, "My agent")
    assert row["values"]["partial_completion"] == round(shown["scores"]["partial_completion"], 3)
