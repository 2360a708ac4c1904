"""The system checks: what they refuse, and that the service as it is passes them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import registry

from evalservice import checks


def ids(messages: list[Any]) -> list[str]:
    """The ids of what was found."""
    return [message.id for message in messages]


def test_the_service_as_it_is_has_no_fault() -> None:
    registered: list[Any] = list(registry.registry.get_checks(include_deployment_checks=True))
    for check in (checks.check_pipeline, checks.check_queue, checks.check_judge):
        assert check in registered
        assert check(None) == []
    assert checks.check_tables in registered
    assert checks.check_static_files in registered


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("no.such.module", "evalservice.E001"),
        ("evalservice.checks.no_such_name", "evalservice.E001"),
        ("nodots", "evalservice.E001"),
        ("submissions.problems.CODES", "evalservice.E002"),
    ],
)
def test_a_step_that_names_nothing_callable_is_a_fault(settings: Any, path: str, fault: str) -> None:
    settings.PIPELINE = {"good": "evalservice.checks.check_queue", "bad": path}
    found = checks.check_pipeline(None)
    assert ids(found) == [fault]
    assert f"PIPELINE['bad'] = {path!r}" in found[0].msg


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"retry": 120}, ["evalservice.E003"]),
        ({"retry": 121}, []),
        ({"max_attempts": 0}, ["evalservice.E004"]),
        ({"timeout": 100}, ["evalservice.E005"]),
        ({"timeout": 101}, []),
        (
            {"timeout": 50, "retry": 50, "max_attempts": -1},
            ["evalservice.E003", "evalservice.E004", "evalservice.E005"],
        ),
    ],
)
def test_a_queue_that_would_repeat_long_jobs_for_ever_is_a_fault(
    settings: Any, change: dict[str, int], faults: list[str]
) -> None:
    bounds = {"SLICE_SECONDS": 30, "FETCH_SECONDS": 50, "CLOSING_SECONDS": 10, "MODEL": {"timeout_s": 60}}
    settings.EVALSERVICE = {**settings.EVALSERVICE, **bounds}
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "timeout": 120, "retry": 600, **change}
    assert ids(checks.check_queue(None)) == faults


@pytest.mark.parametrize(
    ("slice_", "fetch", "model", "closing"),
    [(51, 60, 1, 10), (51, 1, 60, 10), (1, 110, 1, 10), (31, 60, 60, 30)],
)
def test_what_follows_a_slice_must_fit_as_well(
    settings: Any, slice_: int, fetch: int, model: int, closing: int
) -> None:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "timeout": 120, "retry": 600}
    bounds = {"FETCH_SECONDS": fetch, "CLOSING_SECONDS": closing, "MODEL": {"timeout_s": model}}
    settings.EVALSERVICE = {**settings.EVALSERVICE, **bounds, "SLICE_SECONDS": slice_}
    assert ids(checks.check_queue(None)) == ["evalservice.E005"]
    settings.EVALSERVICE = {**settings.EVALSERVICE, **bounds, "SLICE_SECONDS": slice_ - 2}
    assert ids(checks.check_queue(None)) == []


@pytest.mark.parametrize(
    ("key", "model", "missing"),
    [
        ("", "", ["OPENAI_API_KEY", "EVALSERVICE_JUDGE_MODEL"]),
        ("k", "", ["EVALSERVICE_JUDGE_MODEL"]),
        ("", "m", ["OPENAI_API_KEY"]),
        ("k", "m", []),
    ],
)
def test_a_judge_with_a_model_needs_a_key_and_the_models_name(
    settings: Any, key: str, model: str, missing: list[str]
) -> None:
    asked = {"JUDGE": "openai", "OPENAI_API_KEY": key, "JUDGE_MODEL": model}
    settings.EVALSERVICE = {**settings.EVALSERVICE, **asked}
    found = checks.check_judge(None)
    assert [message.msg for message in found] == [
        f"EVALSERVICE_JUDGE=openai needs {name}." for name in missing
    ]


def test_a_search_without_what_it_needs_is_a_fault(settings: Any) -> None:
    registered: list[Any] = list(registry.registry.get_checks())
    assert checks.check_search in registered
    assert checks.check_search(None) == []
    search = {**settings.EVALSERVICE["SEARCH"], "provider": "serper"}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SEARCH": search}
    assert ids(checks.check_search(None)) == ["evalservice.E013"]
