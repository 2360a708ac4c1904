"""What the command line prints and how it ends, for answers a live service cannot be made to give."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from evalservice.client import cli, terminal
from tests.unit.evalservice.client.service import Service, refused, said, submission

Run = Callable[..., Result]
SUBMIT = ("submit", "--task-set", "set", "--system", "A")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[[Service], Run]:
    """Runs the command line against a service that a test has scripted."""

    def against(service: Service) -> Run:
        monkeypatch.setattr(cli, "Client", lambda address, key: service.client(address, key=key))
        environment = {"EVALSERVICE_URL": "http://service.test", "EVALSERVICE_KEY": "evk_a_b"}
        return lambda *arguments: CliRunner().invoke(cli.app, [str(a) for a in arguments], env=environment)

    return against


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Something to submit."""
    file = tmp_path / "answers.jsonl"
    file.write_text("{}\n")
    return file


def board(name: str = "Searcher", **row: Any) -> dict[str, Any]:
    """A board of one row."""
    return {
        "task_set": {"title": "Set"},
        "method": {"judge": "lexical", "model": "", "marks": ["offline_judge", "new_mark"]},
        "board": {"published_at": "2026-11-30T12:00:00Z"},
        "columns": [{"key": "user_pref", "label": "UserPref", "decimals": 2}],
        "rows": [
            {
                "rank": 1, "system": {"name": name, "organisation": "Org"}, "values": {"user_pref": 3.5},
                "intervals": {"user_pref": [3.1, 3.9]}, "attempts": 2, "status": "ranked", "marks": [],
                "reasons": [], **row,
            }
        ],
    }  # fmt: skip


# ------------------------------------------------------------------ what is shown
def test_a_board_shows_value_and_interval(run: Callable[[Service], Run]) -> None:
    result = run(Service([said(board())]))("board", "set", "1.0")
    assert result.exit_code == 0
    line = (
        "Set 1.0; published 2026-11-30 12:00 UTC; judge lexical; offline judge, not for publication; new_mark"
    )
    assert result.stdout.splitlines()[0] == line
    cells = [cell.strip() for cell in result.stdout.splitlines()[4].strip("│").split("│")]
    assert cells == ["1", "Searcher", "Org", "3.50", "3.10 to 3.90", "2", "ranked"]


def test_what_is_unknown_is_blank_and_zero_is_zero(run: Callable[[Service], Run]) -> None:
    row = board(rank=None, values={}, intervals={}, attempts=0)
    result = run(Service([said(row)]))("board", "set", "1.0")
    cells = [cell.strip() for cell in result.stdout.splitlines()[4].strip("│").split("│")]
    assert cells == ["", "Searcher", "Org", "", "", "0", "ranked"]


def test_a_board_without_ranks_says_so_and_a_row_says_why(run: Callable[[Service], Run]) -> None:
    document = board(status="incomplete", marks=["offline_judge", "flagged"], reasons=["errors_left"])
    document["method"] = {"judge": "", "model": "", "marks": ["uncalibrated"]}
    lines = run(Service([said(document)]))("board", "set", "1.0").stdout.splitlines()
    assert lines[0] == "Set 1.0; published 2026-11-30 12:00 UTC; nothing is ranked yet"
    assert lines[4].strip("│ ").endswith("incomplete (flagged, errors_left)")


def test_a_board_names_the_model_that_judged(run: Callable[[Service], Run]) -> None:
    document = board()
    document["method"] = {"judge": "openai", "model": "m-1", "marks": []}
    line = run(Service([said(document)]))("board", "set", "1.0").stdout.splitlines()[0]
    assert line.endswith("; judge openai m-1")


def test_names_on_a_board_cannot_steer_the_terminal(run: Callable[[Service], Run]) -> None:
    result = run(Service([said(board("[red]A[/nonsense] \x1b]0;mine\x07 :smile:"))]))("board", "set", "1.0")
    assert result.exit_code == 0
    assert "[red]A[/nonsense]" in result.stdout
    assert ":smile:" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_a_pipe_gets_whole_names_and_a_narrow_terminal_folds_them(
    run: Callable[[Service], Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "S" * 300
    assert long in run(Service([said(board(long))]))("board", "set", "1.0").stdout
    monkeypatch.setattr(terminal, "out", Console(force_terminal=True, width=60, color_system=None))
    folded = run(Service([said(board(long))]))("board", "set", "1.0").stdout
    table = folded.partition("┏")[2]
    assert table.count("S") == 300
    assert max(map(len, table.splitlines())) <= 60


@pytest.mark.parametrize(
    ("arguments", "answer", "expected"),
    [
        (("board", "set", "1", "--json"), board("ü\x1b"), board("ü\x1b")),
        (("status", "s1", "--json"), submission("queued"), submission("queued")),
        (("sets", "--json"), {"results": [{"slug": "a"}]}, [{"slug": "a"}]),
        (("whoami", "--json"), {"team": {}}, {"team": {}}),
        (("tasks", "set"), {"tasks": [{"id": "t", "prompt": "p\nq"}]}, {"id": "t", "prompt": "p\nq"}),
    ],
)
def test_json_is_one_line_of_what_the_service_said(
    run: Callable[[Service], Run], arguments: tuple[str, ...], answer: Any, expected: Any
) -> None:
    result = run(Service([said(answer)]))(*arguments)
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    assert result.stdout.isascii()
    assert json.loads(result.stdout) == expected


def test_a_watch_in_json_is_a_line_for_each_step(run: Callable[[Service], Run]) -> None:
    steps = [submission("queued"), submission("judging"), submission("published")]
    result = run(Service([said(step) for step in steps]))("status", "s1", "--watch", "--json")
    assert [json.loads(line) for line in result.stdout.splitlines()] == steps


@pytest.mark.parametrize(
    "scores",
    [
        {"overall": 0.12345, "coverage": 1.0, "tasks": 3},
        {"values": {"overall": 0.123}, "coverage": 1.0, "rank": 1},
    ],
)
def test_a_status_shows_counts_reasons_and_the_scores_that_matter(
    run: Callable[[Service], Run], scores: dict[str, Any]
) -> None:
    shown = submission(
        "incomplete", state_reason="checks_missing", incomplete_reasons=["errors_left", "new_code"], scores=scores,
        not_listed_because=["incomplete", "errors_left", "withdrawn"],
        missing=[{"task": "t1", "run": 2, "reason": "not_given"}],
    )  # fmt: skip
    result = run(Service([said(shown)]))("status", "s1")
    assert result.stdout.splitlines() == [
        "incomplete: 3 of 4 answers given",
        "  checks_missing: some checks have no verdict",
        "  errors_left: checks failed by the service's fault and are tried again",
        "  new_code",
        "  no answer: task t1, run 2",
        "  overall 0.123",
        "  coverage 1.0",
        "  not on the board, withdrawn: its team took it back",
        f"  where points were lost: evalservice feedback {'s' * 16}",
    ]


def test_a_status_on_a_test_set_points_to_no_feedback(run: Callable[[Service], Run]) -> None:
    shown = submission("published", scores={"values": {"overall": 0.5}}, task_set={"split": "test"})
    lines = run(Service([said(shown)]))("status", "s1").stdout.splitlines()
    assert lines == ["published: 3 of 4 answers given", "  overall 0.5"]


def test_a_status_lists_the_first_of_many_missing_answers(run: Callable[[Service], Run]) -> None:
    missing = [{"task": f"t{n}", "run": 1, "reason": "no_text" if n else "odd"} for n in range(8)]
    lines = run(Service([said(submission("draft", missing=missing))]))("status", "s1").stdout.splitlines()
    assert lines[1:3] == ["  odd: task t0, run 1", "  no text in the answer: task t1, run 1"]
    assert lines[6:] == ["  and 3 more answers without text"]


def test_a_watch_tells_of_missing_answers_once(run: Callable[[Service], Run]) -> None:
    missing = [{"task": "t1", "run": 1, "reason": "not_given"}]
    steps = [submission("queued", missing=missing), submission("judged", missing=missing)]
    lines = run(Service([said(step) for step in steps]))("status", "s1", "--watch").stdout.splitlines()
    assert lines == [
        "queued: 3 of 4 answers given", "judged: 3 of 4 answers given", "  no answer: task t1, run 1",
    ]  # fmt: skip


def test_people_read_tables_and_sentences(run: Callable[[Service], Run]) -> None:
    me: dict[str, Any] = {
        "team": {"name": "T", "organisation": "O"},
        "key": {"name": "K", "scopes": ["read"], "expires_at": "2027"},
    }
    assert run(Service([said(me)]))("whoami").stdout.splitlines() == [
        "T (O)", "key 'K' (read) is valid until 2027",
    ]  # fmt: skip
    me["key"]["expires_at"] = "2027-01-02T03:04:05.678901Z"
    assert run(Service([said(me)]))("whoami").stdout.endswith("until 2027-01-02 03:04 UTC\n")


@pytest.mark.parametrize(
    ("closes_at", "shown"), [(None, ["a", "7"]), ("2027-01-02T03:04:05Z", ["a", "7", "2027-01-02 03:04 UTC"])]
)
def test_sets_come_with_the_date_they_close_if_any_does(
    run: Callable[[Service], Run], closes_at: str | None, shown: list[str]
) -> None:
    row = {"slug": "a", "tasks": 7, "closes_at": closes_at}
    table = run(Service([said({"results": [row]})]))("sets").stdout.splitlines()
    assert ("closes" in table[1]) is (closes_at is not None)
    assert [cell.strip() for cell in table[3].split("│") if cell.strip()] == shown


def test_a_service_without_open_sets_says_so(run: Callable[[Service], Run]) -> None:
    result = run(Service([said({"results": []})]))("sets")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "No task set is open.\n")


# ------------------------------------------------------------------ how it ends
@pytest.mark.parametrize(
    ("state", "code"),
    [("published", 0), ("judged", 0), ("incomplete", 3), ("failed", 3), ("cancelled", 3), ("paused", 3)],
)
def test_a_watch_ends_by_what_became_of_the_submission(
    run: Callable[[Service], Run], state: str, code: int
) -> None:
    assert run(Service([said(submission(state))]))("status", "s1", "--watch").exit_code == code


def test_a_watch_that_ends_before_the_submission_says_how_to_come_back(run: Callable[[Service], Run]) -> None:
    result = run(Service(lambda request: said(submission("judging"))))(
        "status", "s1", "--watch", "--seconds", 2
    )
    assert result.exit_code == 5
    assert "evalservice status s1 --watch" in result.stderr


def test_a_submission_can_be_watched_from_the_start(run: Callable[[Service], Run], bundle: Path) -> None:
    answers = [said({"results": [], "next": None}), said({"id": "a1"}, 201), said(submission("queued"), 202),
               said(submission("failed", "done", state_reason="no_progress"))]  # fmt: skip
    result = run(Service(answers))(*SUBMIT, bundle, "--watch")
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        "s" * 16,
        "failed: 3 of 4 answers given",
        "  no_progress: judging failed again and again, by the service's fault",
    ]
    assert result.stderr == "Registered a new system: A (deep_research).\n"


def test_an_interrupted_watch_says_how_to_come_back(run: Callable[[Service], Run]) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise KeyboardInterrupt

    result = run(Service(answer))("status", "s1", "--watch")
    assert result.exit_code == 130
    assert "evalservice status s1 --watch" in result.stderr


def test_a_refusal_names_its_code_every_fault_and_what_to_do(run: Callable[[Service], Run]) -> None:
    result = run(Service([refused("key_expired", 401)]))("whoami")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "No (key_expired)", "Because.", "  /x: Because.", "Ask for a new key and set EVALSERVICE_KEY.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("bundle_refused", "Nothing of the bundle was stored. Its faults:"),
        ("request_invalid", "The service does not take this:"),
    ],
)
def test_what_the_service_lists_is_not_announced_as_a_field_of_its_answer(
    run: Callable[[Service], Run], code: str, sentence: str
) -> None:
    answer = refused(code, 400)
    assert run(Service([answer]))("whoami").stderr.splitlines() == [
        f"No ({code})",
        sentence,
        "  /x: Because.",
    ]


def test_a_fault_says_what_to_do_as_well(run: Callable[[Service], Run]) -> None:
    body = {
        "type": "urn:evalservice:problem:bundle_refused", "title": "No",
        "errors": [{"pointer": "a.md", "code": "task_unknown", "detail": "None."}] * 2,
    }  # fmt: skip
    lines = run(Service([httpx.Response(400, json=body)]))("whoami").stderr.splitlines()
    assert lines[-1] == "`evalservice tasks SET` lists a set's tasks with their ids."
    assert sum("evalservice tasks" in line for line in lines) == 1


def test_a_refusal_without_a_code_or_pointer_stays_a_sentence(run: Callable[[Service], Run]) -> None:
    answer = httpx.Response(503, json={"title": "[/x]", "detail": "busy", "errors": [{"pointer": ""}], "instance": "i7"},
                            headers={"Retry-After": "30"})  # fmt: skip
    result = run(Service([answer]))("sets")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "[/x] (503)", "busy", "Try again in 30 s.", "Report it with the number i7.",
    ]  # fmt: skip


def test_a_lost_submission_can_be_repeated_without_submitting_twice(
    run: Callable[[Service], Run], bundle: Path
) -> None:
    systems = said({"results": [{"name": "A", "id": "a1"}], "next": None})
    lost = run(Service([systems, httpx.ReadTimeout("too slow")]))(*SUBMIT, bundle)
    assert lost.exit_code == 4
    assert "too slow" in lost.stderr
    key = lost.stderr.split("--idempotency-key ")[1].split(":")[0]
    again = Service([systems, said(submission("queued"), 202)])
    result = run(again)(*SUBMIT, bundle, "--idempotency-key", key)
    assert result.exit_code == 0
    assert result.stdout == "s" * 16 + "\n"
    assert result.stderr == f"To follow it: evalservice status {'s' * 16} --watch\n"
    assert again.asked[1].headers["idempotency-key"] == key


def test_a_wrong_key_or_path_is_wrong_use(run: Callable[[Service], Run], tmp_path: Path) -> None:
    result = run(Service([]))("whoami", "--key", "evk_…")
    assert result.exit_code == 2
    assert "copy it again" in result.stderr
    service = Service([])
    result = run(service)(*SUBMIT, tmp_path)
    assert (result.exit_code, service.asked) == (2, [])  # no system is registered for nothing
    assert "holds no <task>/answer_<run>.md" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("status",), ("submit", "--runs", "0"), ("status", "s1", "--seconds", "-1")]
)
def test_arguments_that_cannot_be_are_wrong_use(
    run: Callable[[Service], Run], arguments: tuple[str, ...]
) -> None:
    service = Service([])
    assert run(service)(*arguments).exit_code == 2
    assert service.asked == []


@pytest.mark.parametrize("command", [(), ("submit",), ("status",), ("feedback",)])
def test_help_says_what_every_exit_code_means(
    run: Callable[[Service], Run], command: tuple[str, ...]
) -> None:
    lines = run(Service([]))(*command, "--help").stdout.split("Exit codes:")[1].split("\n")
    found = {
        int(code): meaning for code, _, meaning in (line.strip().partition(" ") for line in lines) if code
    }
    assert found == cli.EXIT_CODES


def test_help_never_shows_the_key(run: Callable[[Service], Run]) -> None:
    text = run(Service([]))("whoami", "--help").stdout
    assert "EVALSERVICE_KEY" in text
    assert "evk_a_b" not in text
