"""The table of codes in docs/judging.md is the code's own lists, and nothing else reaches a team or staff."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from django.conf import settings

from evalservice.client import standing, words
from judging.cascade import Finding
from judging.cascade.scores import Band
from judging.codes import VerdictCode
from judging.evidence import Standing
from judging.judges.base import ExtractOutcome
from judging.judges.openai.faults import UNAVAILABLE, Fault
from judging.pages.captures import PageVerdict
from judging.scoring import ErrorClass, Reason
from judging.tree import Outcome, Status
from leaderboard.metrics import MARKS
from submissions.api.standing import MISSING_REASONS, UNLISTED_REASONS
from submissions.reasons import StateReason
from tests.programs import ROOT

LISTS: dict[str, Iterable[str]] = {
    "finding": {*Finding, *Outcome},
    "class": ErrorClass,
    "code": VerdictCode,
    "outcome": ExtractOutcome,
    "page": PageVerdict,
    "standing": Standing,
    "status": Status,
    "band": Band,
    "attempt": Fault,
    "state": StateReason,
    "incomplete": Reason,
    "missing": MISSING_REASONS,
    "unlisted": UNLISTED_REASONS,
}
# What a state says by its name.
STATES = {"draft", "in_progress", "paused", "incomplete", "expired", "cancelled", "failed"}
MOVES = {"move", "fail", "step_back"}


def documented() -> list[tuple[str, str]]:
    """Where and which, of each code of the table."""
    page = (settings.BASE_DIR / "docs" / "judging.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- codes:begin -->\n(.*?)<!-- codes:end -->", page, re.DOTALL)
    assert table is not None
    rows = [line.strip("|").split("|") for line in table[1].splitlines()[2:]]
    assert all(len(row) == 3 and row[2].strip() for row in rows)
    return [
        (place, code)
        for row in rows
        for place in row[0].strip().split(", ")
        for code in re.findall(r"`([^`]+)`", row[1])
    ]


def test_the_table_has_every_code_once_and_no_other() -> None:
    expected = {(place, str(code)) for place, codes in LISTS.items() for code in codes if code}
    found = documented()
    assert [entry for entry, times in Counter(found).items() if times > 1] == []
    assert set(found) == expected


def test_every_way_a_call_can_fail_is_the_code_of_a_verdict_or_pauses() -> None:
    """``unsupported`` is never the last word: the question is asked again without the parameter."""
    for fault in Fault:
        if fault is Fault.UNSUPPORTED:
            continue
        assert (fault.value in set(VerdictCode)) is not (fault in UNAVAILABLE), fault
    assert set(UNAVAILABLE) <= set(StateReason)


@pytest.mark.parametrize("kind", [Standing, ExtractOutcome])
def test_what_keeps_a_check_from_its_judge_has_a_code(kind: type[Standing | ExtractOutcome]) -> None:
    fine = {Standing.READABLE, ExtractOutcome.OK}
    start = "page" if kind is Standing else "extraction"
    assert {f"{start}_{one.value}" for one in kind if one not in fine} <= set(VerdictCode)


def test_the_command_line_has_words_for_every_reason_and_mark() -> None:
    assert set(words.WORDS) == {*StateReason, *Reason, *UNLISTED_REASONS} - STATES
    assert standing.STATES == STATES
    assert set(standing.MISSING) == set(MISSING_REASONS)
    assert set(words.MARKS) == set(MARKS)


# ------------------------------------------------------------------ nothing else is written
def _calls(*folders: str) -> Iterator[tuple[str, ast.Call]]:
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in file.parts:
                tree = ast.parse(file.read_text(encoding="utf-8"))
                yield from ((file.name, node) for node in ast.walk(tree) if isinstance(node, ast.Call))


def _texts(call: ast.Call, keyword: str) -> Iterator[str]:
    """The texts a call gives under a keyword, where they are written out there, under a condition too."""
    given = [one.value for one in call.keywords if one.arg == keyword]
    branches = [
        part for one in given for part in ((one.body, one.orelse) if isinstance(one, ast.IfExp) else (one,))
    ]
    yield from (
        part.value for part in branches if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_no_state_is_given_a_reason_that_is_not_on_the_list() -> None:
    moves = [
        (file, call) for file, call in _calls("submissions", "judging", "leaderboard") if _name(call) in MOVES
    ]
    assert len(moves) > 8
    for file, call in moves:
        assert {text for text in _texts(call, "reason") if text} <= set(StateReason), file
    paused = [call for _, call in _calls("judging") if _name(call) == "JudgeUnavailable"]
    literals = {arg.value for call in paused for arg in call.args[:1] if isinstance(arg, ast.Constant)}
    assert literals <= set(StateReason)


def test_no_verdict_is_given_a_code_that_is_not_on_the_list() -> None:
    makers = {"Judgement", "VerifyReply"}
    made = [(file, call) for file, call in _calls("judging") if _name(call) in makers]
    assert len(made) > 8
    for file, call in made:
        assert set(_texts(call, "code")) <= set(VerdictCode), file
