"""The first quarter of an hour of somebody who writes a task set: begin one, look at it, try an answer of one's own."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

URL = "https://example.org/highest-mountains-of-the-alps"
HEIGHTS = {"Mont Blanc": "4,806", "Dufourspitze": "4,634", "Nordend": "4,609"}
TABLE = "| Mountain | Height | Source |\n|---|---|---|\n" + "".join(
    f"| {name} | {height} m | [page]({URL}) |\n" for name, height in HEIGHTS.items()
)
LINES = "".join(f"- {name} – {height} m ([source]({URL}))\n" for name, height in HEIGHTS.items())
SECTIONS = "".join(
    f"### {name}\n\nIt is {height.replace(',', '')} metres high [1].\n\n" for name, height in HEIGHTS.items()
)
FORMS = {"a table": TABLE, "lines": LINES, "sections": f"{SECTIONS}## Sources\n\n[1] {URL}\n"}


def run(*arguments: str | Path) -> list[str]:
    out = StringIO()
    call_command("taskset", *map(str, arguments), stdout=out)
    return out.getvalue().splitlines()


def score(folder: Path, answer: Path) -> str:
    """What ``preview`` says an answer is worth."""
    _, headline, *_ = run("preview", folder, "--answer", answer)
    return headline.partition(",")[0]


@pytest.mark.parametrize("protocol", ["rubric_tree", "cascade"])
def test_of_the_answers_that_come_with_a_new_set_one_is_right_and_one_is_wrong(
    protocol: str, tmp_path: Path
) -> None:
    run("new", tmp_path, "--protocol", protocol)
    assert score(tmp_path, tmp_path / "answers" / "alps" / "right.md") == "score 1"
    assert score(tmp_path, tmp_path / "answers" / "alps" / "wrong.md") == "score 0"


@pytest.mark.parametrize("form", FORMS)
def test_a_right_answer_of_ones_own_is_worth_1_in_any_usual_form(form: str, tmp_path: Path) -> None:
    run("new", tmp_path)
    answer = tmp_path / "mine.md"
    answer.write_text(f"The three highest mountains of the Alps:\n\n{FORMS[form]}")
    assert score(tmp_path, answer) == "score 1"
    answer.write_text(answer.read_text().replace("Nordend", "Dom"))
    assert score(tmp_path, answer) == "score 0.6667"


def test_naming_one_mountain_three_times_is_worth_nothing(tmp_path: Path) -> None:
    run("new", tmp_path)
    answer = tmp_path / "mine.md"
    answer.write_text(TABLE.replace("Nordend", "Mont Blanc").replace("Dufourspitze", "Mont Blanc"))
    assert score(tmp_path, answer) == "score 0"


def test_an_answer_is_found_by_its_folder_once_there_are_two_tasks(tmp_path: Path) -> None:
    run("new", tmp_path)
    tasks = tmp_path / "tasks"
    (tasks / "andes.yaml").write_bytes((tasks / "alps.yaml").read_bytes())
    told = run("preview", tmp_path, "--answer", tmp_path / "answers" / "alps" / "right.md")
    assert told[0].startswith("alps: ")


def test_lint_counts_the_pages_and_tells_what_is_wrong_with_them(tmp_path: Path) -> None:
    run("new", tmp_path)
    (told,) = run("lint", tmp_path)
    assert told.endswith(", 1 pages")
    (tmp_path / "pages" / "more.html").write_text("<p>x")
    warning, _ = run("lint", tmp_path)
    assert warning == "warning: pages/more.html: (whole file): no line of the index names this file"
