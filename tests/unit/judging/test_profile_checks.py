"""The system checks say what is wrong with the file of a judge's profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.checks import registry

from evalservice import checks

ALONE = {"name": "alone", "models": {"extract": "m", "verify": ["m"]}}


def told(settings: Any, file: Path | str, **config: Any) -> list[tuple[str, str]]:
    """Id and text of every message."""
    asked = {
        "JUDGE": "openai",
        "JUDGE_MODEL": "",
        "OPENAI_API_KEY": "k",
        "JUDGE_PROFILE": str(file),
        **config,
    }
    settings.EVALSERVICE = {**settings.EVALSERVICE, **asked}
    return [(str(message.id), message.msg) for message in checks.check_profile(None)]


def written(folder: Path, **profile: Any) -> Path:
    """A profile in a file."""
    file = folder / "judge.yaml"
    file.write_text(yaml.safe_dump({**ALONE, **profile}), encoding="utf-8")
    return file


def test_the_check_is_registered() -> None:
    registered: list[Any] = list(registry.registry.get_checks())
    assert checks.check_profile in registered


def test_a_file_that_describes_a_judge_passes_and_needs_no_model_beside_it(
    settings: Any, tmp_path: Path
) -> None:
    assert told(settings, written(tmp_path)) == []
    assert checks.check_judge(None) == []


def test_without_a_file_nothing_is_said(settings: Any) -> None:
    assert told(settings, "") == []


def test_a_file_that_is_not_there_is_an_error(settings: Any, tmp_path: Path) -> None:
    assert told(settings, tmp_path / "none.yaml") == [
        (
            "evalservice.E011",
            "EVALSERVICE_JUDGE_PROFILE: none.yaml: (whole file): cannot be read: No such file or directory",
        )
    ]


def test_every_fault_of_the_file_is_an_error(settings: Any, tmp_path: Path) -> None:
    file = written(tmp_path, vote=3, models={"extract": "m", "verify": []})
    assert [ident for ident, _ in told(settings, file)] == ["evalservice.E011"] * 2


@pytest.mark.parametrize(
    ("profile", "config", "expected"),
    [
        ({"votes": 3}, {}, ("evalservice.W002", "EVALSERVICE_JUDGE_PROFILE: judge.yaml: votes: at temperature 0")),
        ({"prices": {"n": {"prompt": 1, "completion": 1}}}, {}, ("evalservice.W002", "EVALSERVICE_JUDGE_PROFILE: judge.yaml: prices: has none for")),
        ({}, {"JUDGE_MODEL": "m"}, ("evalservice.W003", "EVALSERVICE_JUDGE_MODEL is not used")),
        ({}, {"JUDGE": "lexical"}, ("evalservice.W001", "EVALSERVICE_JUDGE_PROFILE is not used")),
        ({"limits": {"timeout_s": 80}}, {"SLICE_SECONDS": 30, "CLOSING_SECONDS": 10}, ("evalservice.E012", "EVALSERVICE_JUDGE_PROFILE: limits.timeout_s: must be at most 79")),
    ],
)  # fmt: skip
def test_what_does_not_do_what_it_seems_to_is_told(
    settings: Any, tmp_path: Path, profile: dict[str, Any], config: dict[str, Any], expected: tuple[str, str]
) -> None:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "timeout": 120}
    ((ident, text),) = told(settings, written(tmp_path, **profile), **config)
    assert (ident, text[: len(expected[1])]) == expected
