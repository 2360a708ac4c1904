"""``manage.py profile``: what a judge's profile means, or what is wrong with it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from judging.profile_files import profile_schema
from tests.programs import ROOT, clean_environment, manage

ALONE = {"name": "alone", "models": {"extract": "m", "verify": ["m"]}}


def told(file: Path) -> tuple[dict[str, str], str]:
    """What is said of a file, and the warnings."""
    out, err = StringIO(), StringIO()
    call_command("profile", str(file), stdout=out, stderr=err)
    return {line[:16].strip(): line[16:] for line in out.getvalue().splitlines()}, err.getvalue()


def written(folder: Path, **profile: Any) -> Path:
    """A profile in a file."""
    file = folder / "judge.yaml"
    file.write_text(yaml.safe_dump({**ALONE, **profile}), encoding="utf-8")
    return file


def test_a_panel_is_told_with_its_seats_and_calls() -> None:
    found, warnings = told(ROOT / "examples/profiles/panel.yaml")
    assert len(found.pop("hash")) == 64
    assert found == {
        "name": "panel-2026-05",
        "extraction": "small-reader",
        "verification": "north-large, south-large, east-large",
        "calls a check": "2, up to 3 where they disagree",
        "sampling": "temperature 0",
        "page tokens": "6000 to verify, 4000 to extract",
        "prices": "small-reader, north-large, south-large, east-large",
        "limits": "in_flight 48, tokens_per_minute 2000000",
    }
    assert warnings == ""


def test_groups_are_told(tmp_path: Path) -> None:
    assert told(written(tmp_path, group_claims=8))[0]["checks a call"] == "up to 8"


def test_votes_that_would_be_the_same_are_told_as_one_call_and_a_warning(tmp_path: Path) -> None:
    found, warnings = told(written(tmp_path, votes=3))
    assert found["calls a check"] == "1"
    assert (found["prices"], found["limits"]) == ("those of the environment",) * 2
    assert warnings.startswith("warning: judge.yaml: votes: at temperature 0")
    assert (
        told(written(tmp_path, votes=5, sampling={"seed": 1}))[0]["calls a check"]
        == "3, up to 5 where they disagree"
    )


def test_faults_end_the_command_with_one_line_for_each(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as refused:
        told(written(tmp_path, vote=1, votes=2))
    assert [line.split(": ")[1] for line in str(refused.value).splitlines()] == ["vote", "votes"]


def test_the_schema_is_printed() -> None:
    out = StringIO()
    call_command("profile", "--schema", stdout=out)
    assert json.loads(out.getvalue()) == profile_schema()


def test_the_command_needs_neither_a_secret_nor_a_database(tmp_path: Path) -> None:
    done = manage("profile", "examples/profiles/panel.yaml", env=clean_environment(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("name            panel-2026-05")
