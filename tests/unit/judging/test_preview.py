"""Trying a task set: one answer judged against the set's own pages, told in a terminal, without a database."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judging.imports import read_whole
from judging.preview import preview, told
from judging.results import AnswerResult
from tests.judging_factories import (
    REPORT_RIGHT,
    cascade_files,
    lake_answer,
    lake_task,
    report_task,
    tree_files,
)
from tests.pictures import png

NOW = dt.datetime.now(dt.UTC)


def tried(files: Mapping[str, bytes], answer: str, key: str | None = None) -> AnswerResult:
    bundle, pages, _ = read_whole(files)
    task = next(one for one in bundle.tasks if key in (None, one.key))
    return preview(bundle=bundle, pages=pages, task=task, answer=answer, now=NOW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The set of two lakes in a folder."""
    return _written(tmp_path / "set", tree_files())


def _written(root: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def run(*arguments: str | Path) -> list[str]:
    out = StringIO()
    call_command("taskset", "preview", *map(str, arguments), stdout=out)
    return out.getvalue().splitlines()


# ------------------------------------------------------------------ what is judged
def test_a_tree_is_judged_against_the_sets_own_pages() -> None:
    found = tried(tree_files(), lake_answer(212, 15, "brume"), "brume")
    assert (found.score, found.result.task) == (0.5, "brume")


def test_a_picture_is_there_and_the_offline_judge_says_that_it_did_not_look() -> None:
    task = lake_task()
    task["tree"]["children"][1]["screenshot"] = "always"
    found = tried(tree_files({"brume": task}) | {"pages/brume.png": png()}, lake_answer(212, 14, "brume"))
    assert found.score == 1.0


def test_a_page_the_set_lacks_is_an_error_as_in_the_service() -> None:
    found = tried(tree_files(), lake_answer(212, 14, "missing"), "brume")
    assert (found.score, found.result.errors) == (None, 2)


def test_a_cascade_is_judged_with_the_profile_of_its_set() -> None:
    assert tried(cascade_files(), REPORT_RIGHT).user_pref == 4
    strict = cascade_files(profile={"excellent": 1.0, "pass_at": 1.0})
    assert tried(strict, REPORT_RIGHT.replace("14 kilometres", "41 kilometres")).user_pref == 2


def test_everything_is_judged_even_on_a_test_set() -> None:
    held = cascade_files(split="test")
    found = tried(held, REPORT_RIGHT.replace("212", "221"))
    assert found.result.in_full
    assert found.feedback["subtasks"][0]["factuality"][0]["claims"]


# ------------------------------------------------------------------ how it is told
def test_a_tree_is_told_node_by_node() -> None:
    nested = lake_task()
    nested["tree"]["children"][1:] = [
        {"id": "figures", "description": "What the page says", "children": nested["tree"]["children"][1:]}
    ]
    lines = list(told(tried(tree_files({"brume": nested}), lake_answer(212, 15, "brume"))))
    assert [line for line in lines if "heuristic" not in line] == [
        "score 0.5, 3 of 3 checks judged",
        '  lake: {"depth": 212, "length": 15, "sources": ["https://lakes.example/brume"]}',
        "  0.5 partial  lake",
        "    met          given (critical): lake.depth and lake.sources",
        "    0.5 partial  figures: What the page says",
        "      met          depth: Lake Brume is 212 metres deep",
        "                   cited https://lakes.example/brume: ok, supported",
        "      unmet        length: Lake Brume is 15 kilometres long",
        "                   cited https://lakes.example/brume: ok, refuted",
    ]
    assert any(line.strip().startswith("unsupported.synthesis; heuristic: ") for line in lines)


def test_what_is_unknown_is_told_as_unknown() -> None:
    lines = list(told(tried(tree_files(), lake_answer(212, 14, "missing"), "brume")))
    assert (lines[0], lines[2]) == ("score unknown, 1 of 3 checks judged", "  unknown unknown  lake")
    assert "                 page_retry" in lines
    assert "                 cited https://lakes.example/missing: not in the bundle, retry" in lines


def test_what_could_not_be_read_is_told_with_its_reason() -> None:
    task = lake_task()
    task["extract"]["sheet"] = {
        "instruction": "The year of the page",
        "schema": {"type": "object", "properties": {"year": {"type": "integer"}}},
        "from_url": "lake.sources | first",
    }
    lines = list(told(tried(tree_files({"brume": task}), lake_answer(212, 14, "missing"), "brume")))
    assert "  sheet: error, page_retry" in lines


def test_an_assertion_that_failed_is_told_with_its_values() -> None:
    task = lake_task()
    task["tree"]["children"][0]["assert"] = "lake.depth == 213"
    lines = list(told(tried(tree_files({"brume": task}), lake_answer(212, 14, "brume"), "brume")))
    reason = "lake.depth == 213 does not hold: left is 212, right is 213"
    assert f"                 incomplete.partial; {reason}" in lines


def test_a_cascade_is_told_subtask_by_subtask() -> None:
    lines = list(told(tried(cascade_files(), REPORT_RIGHT)))
    shown = [re.sub(r" (survey|law) ?\.$", "", line) for line in lines if "heuristic" not in line]
    assert shown == [
        "score 1, UserPref 4, instruction 1, factuality 1, rationality 1, 6 of 6 checks judged",
        "  1 pass  P0 Depth of Lake Brume",
        "    met          instruction states-depth: States that Lake Brume is 212 metres deep",
        "    met          rationality why: Explains that it is deep because a glacier carved it",
        "    factuality depth-facts, claims: ok",
        "      supported    Lake Brume is 212 metres deep",
        "                   cited https://lakes.example/brume: ok, supported",
        "      supported    Lake Brume is 14 kilometres long",
        "                   cited https://lakes.example/brume: ok, supported",
        "  1 pass  P1 Motor boats and the Lake Act",
        "    met          instruction names-act: Names the Lake Act of 1968",
        "    factuality law-facts, claims: ok",
        "      supported    The Lake Act of 1968 forbids motor boats on Lake Brume",
        "                   reference https://lakes.example/law: ok, supported",
        "                   cited https://lakes.example/law: ok, supported",
    ]


def test_given_claims_and_missing_dimensions_are_told_too() -> None:
    task = report_task()
    task["subtasks"] = [
        {
            "id": "s",
            "importance": "P0",
            "factuality": [{"id": "f", "claims": ["Lake Brume is 212 metres deep"]}],
        }
    ]
    lines = list(told(tried(cascade_files({"report": task}), REPORT_RIGHT)))
    assert lines[0].startswith("score 1, UserPref 4, instruction unknown, factuality 1, rationality unknown")
    assert "    factuality f" in lines


def test_a_blank_answer_is_told_as_one() -> None:
    assert list(told(tried(tree_files(), " "))) == [
        "score 0, 0 of 0 checks judged",
        "  No answer was handed in.",
    ]


def test_nothing_an_answer_or_a_page_says_can_steer_a_terminal() -> None:
    evil = lake_answer(212, 14, "brume") + "\n- Source: [x](https://lakes.example/\x1b[31m)\x07\x9b2J\u202e"
    found = tried(tree_files(), evil, "brume")
    assert all(character.isprintable() for line in told(found) for character in line)


def test_a_check_that_was_not_reached_says_so() -> None:
    found = tried(tree_files(), lake_answer(212, 14, "brume"), "brume")
    found.feedback["tree"]["children"][1].pop("verdict")
    assert "    not reached  depth" in list(told(found))


# ------------------------------------------------------------------ the command
def test_the_command_needs_no_task_where_the_folder_tells_it(folder: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answers" / "brume" / "answer_1.md"
    answer.parent.mkdir(parents=True)
    answer.write_text(lake_answer(212, 14, "brume"))
    lines = run(folder, "--answer", answer)
    assert lines[:2] == [
        "brume: judged offline by rule; a model may decide otherwise",
        "score 1, 3 of 3 checks judged",
    ]
    assert run(folder, "--answer", answer, "--task", "sallow", "--judge", "lexical")[0].startswith("sallow: ")


def test_the_command_needs_no_task_where_there_is_one(tmp_path: Path) -> None:
    folder = _written(tmp_path / "set", tree_files({"brume": lake_task()}))
    (tmp_path / "a.md").write_bytes(lake_answer(212, 14, "brume").encode("utf-16"))
    assert run(folder, "--answer", tmp_path / "a.md")[1].startswith("score 1")


def test_the_command_says_what_it_cannot_do(folder: Path, tmp_path: Path) -> None:
    answer = tmp_path / "a.md"
    with pytest.raises(CommandError, match="Which task\\? --task is one of brume, sallow"):
        run(folder, "--answer", answer)
    with pytest.raises(CommandError, match=r"a\.md"):
        run(folder, "--answer", answer, "--task", "brume")
    answer.write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(CommandError, match=r"a\.md"):
        run(folder, "--answer", answer, "--task", "brume")


def test_the_command_tells_every_fault_of_a_set(tmp_path: Path) -> None:
    folder = _written(tmp_path / "set", cascade_files(pages={}))
    out = StringIO()
    with pytest.raises(CommandError, match="1 to mend; nothing was done"):
        call_command("taskset", "preview", str(folder), "--answer", "x", stdout=out)
    assert "law/law-facts: https://lakes.example/law is a reference" in out.getvalue()
    with pytest.raises(CommandError, match="1 to mend; nothing was done"):
        call_command("taskset", "preview", str(tmp_path / "none"), "--answer", "x", stdout=out)
