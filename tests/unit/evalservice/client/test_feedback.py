"""Feedback as lines and rows: trees, cascades, and what was not judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evalservice.client import cli
from evalservice.client.feedback import MAX_VALUE, checks, gates, headline, read_out
from tests.unit.evalservice.client.service import Service, refused, said, submission

Run = Callable[..., Result]
PAGE = {
    "url": "https://a.example",
    "source": "cited",
    "verdict": "ok",
    "standing": "readable",
    "finding": "refuted",
}
LOST = {"url": "https://b.example", "source": "cited", "verdict": None, "standing": "retry", "finding": None}


def verdict(finding: str, **fields: Any) -> dict[str, Any]:
    values = {
        "code": "",
        "error_class": "",
        "statement": "",
        "reason": "",
        "quote": "",
        "pages": [],
        **fields,
    }
    return {"finding": finding, **values}


def leaf(name: str, found: dict[str, Any] | None = None, *, critical: bool = False) -> dict[str, Any]:
    node = {"id": name, "description": f"About {name}", "critical": critical, "score": 1.0, "status": None}
    return node if found is None else {**node, "verdict": found}


def tree(*leaves: dict[str, Any], **more: Any) -> dict[str, Any]:
    inner = {
        "id": "inner",
        "description": "",
        "critical": False,
        "score": 0.5,
        "status": None,
        "children": list(leaves),
    }
    return {"protocol": "rubric_tree", "extracted": [], "tree": {**inner, "children": [inner]}, **more}


def facts(*claims: dict[str, Any], extraction: str | None = "ok", reason: str = "") -> dict[str, Any]:
    return {
        "id": "f",
        "criterion": "Facts",
        "extraction": extraction,
        "extraction_reason": reason,
        "claims": list(claims),
    }


def subtask(*rubrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    one = {
        "id": "s", "title": "S", "importance": "P0", "factuality_reached": True, "rationality_reached": True,
        "overall": 0.5, "band": "weak", "instruction": [], "factuality": list(rubrics), "rationality": [], **more,
    }  # fmt: skip
    return {"protocol": "cascade", "subtasks": [one]}


def answer(feedback: Any = None, task: str = "t1", run: int = 1, **result: Any) -> dict[str, Any]:
    """An answer as the API lists it; without feedback one that is not judged."""
    values = {
        "score": 0.5,
        "user_pref": None,
        "coverage": 1.0,
        "metrics": {"checks": 3, "assessed": 2},
        **result,
    }
    return {"task": task, "run": run, "result": {**values, "feedback": feedback} if feedback else None}


# ------------------------------------------------------------------ the scores of an answer
@pytest.mark.parametrize(
    ("result", "line"),
    [
        ({}, "score 0.5, 2 of 3 checks assessed"),
        ({"score": None, "metrics": None}, "score unknown"),
        ({"metrics": {"checks": 3, "assessed": 2, "errors": 1}},
         "score 0.5, 2 of 3 checks assessed, 1 to be repeated"),
        ({"user_pref": 4, "metrics": {"instruction": 1, "factuality": None, "rationality": 0.1234}},
         "score 0.5, UserPref 4, instruction 1, factuality unknown, rationality 0.123"),
    ],
)  # fmt: skip
def test_the_headline_holds_the_scores(result: dict[str, Any], line: str) -> None:
    assert headline(answer({"protocol": "blank"}, **result)) == line


# ------------------------------------------------------------------ what was read
def extracted(value: Any, **fields: Any) -> dict[str, Any]:
    return {
        "extracted": [{"name": "x", "outcome": "ok", "reason": "", "value": value, "cut": False, **fields}]
    }


def test_what_was_read_is_a_line_a_name() -> None:
    assert list(read_out(extracted({"a": "Zürich"}))) == ['read x: {"a": "Zürich"}']
    assert list(read_out(extracted([1], cut=True))) == ["read x: [1]…"]
    (long,) = read_out(extracted("y" * 1_000))
    assert (len(long), long[-1]) == (len("read x: ") + MAX_VALUE + 1, "…")
    assert list(read_out(extracted(None, outcome="failed", reason="refusal"))) == ["read x: failed, refusal"]
    assert list(read_out({"protocol": "blank"})) == []


# ------------------------------------------------------------------ checks
def test_checks_of_a_tree_that_are_not_met_come_with_their_reasons() -> None:
    bad = verdict(
        "unmet", error_class="criteria_violation", code="page_retry", reason="No.", statement="It is",
        pages=[PAGE, LOST],
    )  # fmt: skip
    feedback = tree(
        leaf("a", verdict("met", reason="Yes.", pages=[PAGE])), leaf("b", bad, critical=True), leaf("c")
    )
    why = "criteria_violation; page_retry; No.; cited https://a.example: ok, refuted; cited https://b.example: not collected, retry"
    assert list(checks(feedback, everything=False)) == [
        {"check": "b (critical)", "finding": "unmet", "asked": "It is", "why": why}
    ]
    assert list(checks(feedback, everything=True)) == [
        {"check": "a", "finding": "met", "asked": "About a", "why": "Yes."},
        {"check": "b (critical)", "finding": "unmet", "asked": "It is", "why": why},
        {"check": "c", "finding": "not reached", "asked": "About c", "why": ""},
    ]


def test_checks_of_a_cascade_name_subtask_dimension_and_rubric() -> None:
    feedback = subtask(
        facts(verdict("supported", statement="A"), verdict("undecided", statement="B")),
        instruction=[{"id": "i", "criterion": "States it", "verdict": verdict("met", statement="States it")}],
        rationality=[{"id": "r", "criterion": "Follows", "verdict": None}],
    )
    rows = [(row["check"], row["finding"], row["asked"]) for row in checks(feedback, everything=True)]
    assert rows == [
        ("s (P0) instruction i", "met", "States it"),
        ("s (P0) rationality r", "not reached", "Follows"),
        ("s (P0) factuality f", "supported", "A"),
        ("s (P0) factuality f", "undecided", "B"),
    ]
    assert [row["asked"] for row in checks(feedback, everything=False)] == ["B"]


@pytest.mark.parametrize(
    ("rubric", "finding", "why"),
    [
        (facts(), "no claims", "the answer makes none"),
        (
            facts(extraction="failed", reason="refusal"),
            "not_assessed",
            "claims could not be listed: failed, refusal",
        ),
        (facts(extraction=None), "not reached", ""),
    ],
)
def test_a_rubric_without_claims_says_why(rubric: dict[str, Any], finding: str, why: str) -> None:
    (row,) = checks(subtask(rubric), everything=True)
    assert row == {"check": "s (P0) factuality f", "finding": finding, "asked": "Facts", "why": why}


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "s (P0): 0.5, weak"),
        ({"overall": None, "band": None}, "s (P0): unknown"),
        ({"factuality_reached": False, "rationality_reached": False},
         "s (P0): 0.5, weak; factuality not counted, since an instruction is not met"),
        ({"factuality_reached": None}, "s (P0): 0.5, weak"),
    ],
)  # fmt: skip
def test_a_subtask_says_what_its_gate_hid(fields: dict[str, Any], line: str) -> None:
    assert list(gates(subtask(facts(), **fields))) == [line]


# ------------------------------------------------------------------ the command
@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs ``feedback s1`` against the submission, its answers and the set's tasks that a test gives."""

    def against(shown: Any, rows: list[Any], *arguments: str, tasks: Any = None) -> Result:
        known = {"tasks": [{"id": "t2", "key": "second"}, {"id": "t1", "key": "first"}]}
        service = Service([said(shown), said({"results": rows, "next": None}), tasks or said(known)])
        monkeypatch.setattr(cli, "Client", lambda address, key: service.client(address, key=key))
        return CliRunner().invoke(
            cli.app, ["feedback", "s1", *arguments], env={"EVALSERVICE_URL": "http://service.test"}
        )

    return against


GOOD = tree(leaf("a", verdict("met")))
BAD = tree(leaf("b", verdict("unmet", reason="\x1b[31mNo.")))


def test_answers_come_in_the_order_of_the_set_under_their_keys(run: Run) -> None:
    rows = [answer(GOOD, "t1", 2), answer(BAD, "t1"), answer({"protocol": "blank", "note": "None."}, "t2")]
    result = run(submission("judged"), rows)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    heads = [line for line in lines if " run " in line]
    assert [line.split(":")[0] for line in heads] == ["second run 1", "first run 1", "first run 2"]
    assert lines[1] == "  None."
    assert lines[-1] == "  every check that was reached is met"
    assert "\x1b" not in result.stdout
    assert "[31mNo." in result.stdout


@pytest.mark.parametrize("task", ["t2", "second"])
def test_one_task_is_asked_for_by_its_id_or_its_key(run: Run, task: str) -> None:
    rows = [answer(GOOD, "t1"), answer(GOOD, "t2")]
    assert [line[:6] for line in run(submission("judged"), rows, "--task", task).stdout.splitlines()] == [
        "second", "  ever",
    ]  # fmt: skip
    nobody = run(submission("judged"), rows, "--task", "third")
    assert (nobody.exit_code, nobody.stderr) == (2, "The set has no task third.\n")


@pytest.mark.parametrize(
    ("code", "status"), [("task_set_not_open", 404), ("not_found", 404), ("sealed_needs_lease", 409)]
)
def test_a_set_that_tells_no_tasks_has_ids_alone(run: Run, code: str, status: int) -> None:
    result = run(submission("judged"), [answer(GOOD, "t1")], tasks=refused(code, status))
    assert result.stdout.startswith("t1 run 1: ")


def test_a_service_that_refuses_to_name_the_tasks_for_another_reason_is_told(run: Run) -> None:
    result = run(submission("judged"), [answer(GOOD, "t1")], tasks=refused("rate_limited", 429))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "(rate_limited)" in result.stderr


def test_everything_is_shown_with_all(run: Run) -> None:
    assert "About a" not in run(submission("judged"), [answer(GOOD)]).stdout
    assert "About a" in run(submission("judged"), [answer(GOOD)], "--all").stdout


def test_json_is_one_line_of_what_the_service_said(run: Run) -> None:
    rows = [answer(BAD, "t1"), answer(None, "t1", 2)]
    result = run(submission("judged"), rows, "--json")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    assert json.loads(result.stdout) == rows


@pytest.mark.parametrize(
    ("state", "code", "sentence"),
    [
        ("draft", 5, "Nothing is judged: the submission is draft."),
        ("judging", 5, f"Nothing is judged: the submission is judging. To watch it: evalservice status {'s' * 16} --watch"),
        ("paused", 3, "Nothing is judged: the submission is paused."),
        ("failed", 3, "Nothing is judged: the submission is failed."),
    ],
)  # fmt: skip
def test_what_is_not_judged_has_no_feedback(run: Run, state: str, code: int, sentence: str) -> None:
    for arguments, shown in (((), ""), (("--json",), json.dumps([answer()]) + "\n")):
        result = run(submission(state), [answer()], *arguments)
        assert (result.exit_code, result.stdout, result.stderr) == (code, shown, sentence + "\n")


def test_a_test_set_has_none_and_is_not_asked(run: Run) -> None:
    result = run(submission("published", task_set={"split": "test"}), [answer(GOOD)])
    assert (result.exit_code, result.stdout) == (6, "")
    assert "dev sets alone" in result.stderr
