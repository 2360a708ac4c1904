"""``manage.py score``: a file or standard input in, JSON lines out, faults on stderr, an exit code."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[3]
LINE = (
    '{"key": "a", "protocol": "rubric_tree", "tree": {"id": "r", "children": ['
    '{"id": "x", "verdict": "met"}, {"id": "y", "verdict": "unmet"}, {"id": "z", "verdict": "met"}]}}'
)
OPEN_LINE = LINE.replace('"unmet"', "null")


class Ran(NamedTuple):
    results: list[dict[str, object]]
    reports: list[str]
    refusal: str


def run(source: Path | str) -> Ran:
    out, err, refusal = io.StringIO(), io.StringIO(), ""
    try:
        call_command("score", str(source), stdout=out, stderr=err, no_color=True)
    except CommandError as error:
        refusal = str(error)
    return Ran(
        [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue().splitlines(), refusal
    )


def test_a_file_is_scored_line_by_line_at_full_precision(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    file.write_text(f"{LINE}\n\n{OPEN_LINE}\n", encoding="utf-8")
    assert run(file) == Ran(
        [
            {"key": "a", "score": 2 / 3, "status": "partial"},
            {"key": "a", "score": None, "status": None},
        ],
        [],
        "",
    )


def test_bad_lines_are_reported_and_the_good_ones_are_scored(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    file.write_text(f"nonsense\n{LINE}\n{LINE.replace('unmet', 'maybe')}\n", encoding="utf-8")
    assert run(file) == Ran(
        [{"key": "a", "score": 2 / 3, "status": "partial"}],
        [
            "line 1: is not JSON: Expecting value at character 1",
            "line 3: tree.children[1].verdict: must be one of met, unmet, not_assessed, error, or null",
        ],
        "2 lines refused",
    )


def test_a_report_is_one_line_whatever_a_file_calls_its_keys(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    file.write_text(LINE.replace('"id": "y"', r'"id": "y", "中\nline 9: \u001b[31m": 1'), encoding="utf-8")
    assert run(file).reports == [r"line 1: tree.children[1].中\nline 9: \x1b[31m: is not known here"]
    assert run(file).refusal == "1 line refused"


def test_an_empty_file_gives_nothing(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    file.touch()
    assert run(file) == Ran([], [], "")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert run(tmp_path / "absent").refusal == f"{tmp_path / 'absent'}: No such file or directory"
    assert run(tmp_path).refusal == f"{tmp_path}: Is a directory"


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LINE.encode())))
    assert run("-").results == [{"key": "a", "score": 2 / 3, "status": "partial"}]


def test_it_runs_without_secrets_or_a_database_and_ends_with_an_exit_code() -> None:
    # Nothing of the service is configured, and its database would lie where nothing can be written.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVALSERVICE_")}
    environment |= {"DATABASE_URL": "sqlite:////nowhere/at/all.sqlite3", "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(
        [sys.executable, "manage.py", "score", "-"],
        input=f"{LINE}\n[]\n".encode(),
        capture_output=True,
        check=False,
        cwd=ROOT,
        env=environment,
    )
    assert json.loads(ran.stdout) == {"key": "a", "score": 2 / 3, "status": "partial"}
    assert b"line 2: key: must be a text or a whole number" in ran.stderr
    assert b"Traceback" not in ran.stderr
    assert ran.returncode == 1
