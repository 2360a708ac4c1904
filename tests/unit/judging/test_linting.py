"""A task set is read whole: tasks, pages, and what each says of the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from judging.linting import SetReading, read_set
from judging.rubric import bundle_template
from tests.judging_factories import tree_files

URL = "https://example.org/highest-mountains-of-the-alps"
CASCADE, TREE = bundle_template("cascade", "alps"), bundle_template("rubric_tree", "alps")
LINE: dict[str, Any] = json.loads(CASCADE["pages/index.jsonl"])


def indexed(files: Mapping[str, bytes], *lines: Any) -> dict[str, bytes]:
    rows = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return {**files, "pages/index.jsonl": b"\n".join(rows)}


def edited(files: Mapping[str, bytes], old: str, new: str) -> dict[str, bytes]:
    task = files["tasks/alps.yaml"].decode()
    assert old in task
    return {**files, "tasks/alps.yaml": task.replace(old, new).encode()}


def faults(files: Mapping[str, bytes]) -> list[str]:
    reading = read_set(files)
    assert (reading.bundle is None) == bool(reading.faults)
    return [str(fault) for fault in reading.faults]


def warnings(files: Mapping[str, bytes]) -> list[str]:
    reading = read_set(files)
    assert reading.faults == ()
    return [str(warning) for warning in reading.warnings]


@pytest.mark.parametrize("files", [CASCADE, TREE, tree_files()])
def test_a_sound_set_comes_with_its_pages(files: dict[str, bytes]) -> None:
    reading = read_set(files)
    assert (reading.faults, reading.warnings) == ((), ())
    assert reading.bundle is not None
    assert len(reading.captures) == len(files["pages/index.jsonl"].splitlines())


def test_nothing_at_all_is_told_as_well() -> None:
    assert read_set({}) == SetReading(None, (), read_set({}).faults, ())
    assert len(faults({})) == 2


NO_PAGE = (
    f"tasks/alps.yaml: list/heights: {URL} is a reference, but pages/index.jsonl has no readable page for it"
)


@pytest.mark.parametrize(
    "line",
    [
        LINE | {"url": "https://example.org/other"},
        LINE | {"verdict": "not_found", "file": None, "status": 404},
    ],
)
def test_a_reference_needs_a_readable_page(line: Any) -> None:
    assert faults(indexed(CASCADE, line)) == [NO_PAGE]


def test_a_reference_is_missed_where_there_is_no_archive_either() -> None:
    assert faults({name: data for name, data in CASCADE.items() if not name.startswith("pages/")}) == [
        NO_PAGE
    ]


def test_claims_that_are_given_need_no_page() -> None:
    given = edited(CASCADE, "claims: auto ", "claims: [Mont Blanc is 4806 metres high] ")
    assert warnings({name: data for name, data in given.items() if not name.startswith("pages/")}) == [
        f"tasks/alps.yaml: subtasks[0].factuality[0].{key}: has no effect: claims of yours are looked for in the answer itself"
        for key in ("evidence", "references")
    ]


def test_faults_of_tasks_pages_and_what_joins_them_are_told_together() -> None:
    broken = indexed(
        CASCADE, b"{", [], {"url": 5}, LINE | {"url": "x"}, LINE | {"file": "gone.html", "status": 5}
    )
    assert faults(
        edited(broken, "references: [https://example.org/", "references: [https://example.org/a-")
    ) == [
        "pages/index.jsonl: line 1: is not JSON",
        "pages/index.jsonl: line 2: is not an object",
        "pages/index.jsonl: line 3.url: must be text",
        "pages/index.jsonl: line 3.verdict: is missing",
        "pages/index.jsonl: line 3.fetched_at: is missing",
        "pages/index.jsonl: line 4.url: is no http(s) URL: not a URL",
        "pages/index.jsonl: line 5.status: is no HTTP status",
        "pages/index.jsonl: line 5.file: pages/gone.html is not in the bundle",
        NO_PAGE.replace("highest", "a-highest"),
    ]
    both = edited(broken, "task_type: analysis", "task_type: x")
    assert [line.partition(":")[0] for line in faults(both)] == [
        "tasks/alps.yaml",
        *["pages/index.jsonl"] * 8,
    ]


def test_a_page_that_is_listed_with_a_fault_is_not_missed_as_well() -> None:
    assert faults(indexed(CASCADE, LINE | {"status": 5})) == [
        "pages/index.jsonl: line 1.status: is no HTTP status"
    ]


def test_pages_a_tree_names_should_be_there() -> None:
    named = edited(
        TREE, "  lowest: 4600\n", "  lowest: 4600\n  seen: [https://example.org/x#top, 'https://:x']\n"
    )
    named = edited(named, "sources: m.sources", f"sources: m.sources + ['{URL}', 'https://example.org/y']")
    assert warnings(named) == [
        "tasks/alps.yaml: truth.seen[0]: names https://example.org/x#top, which pages/index.jsonl does not have",
        "tasks/alps.yaml: tree.node.children[3].sources: names https://example.org/y, which pages/index.jsonl does not have",
    ]
    lost = {"url": "https://example.org/x", "verdict": "not_found", "fetched_at": "2026-01-01T00:00:00Z"}
    assert len(warnings(indexed(named, LINE, lost))) == 1


def test_a_set_without_pages_is_judged_live_and_misses_none() -> None:
    named = edited(TREE, "  lowest: 4600\n", "  lowest: 4600\n  seen: https://example.org/x\n")
    assert warnings({name: data for name, data in named.items() if not name.startswith("pages/")}) == []


def test_what_is_odd_about_pages_is_told() -> None:
    files = indexed(TREE, LINE | {"status": 404}) | {"pages/orphan.html": b"<p>x"}
    assert warnings(files) == [
        "pages/orphan.html: (whole file): no line of the index names this file",
        f"pages/index.jsonl: {URL}: is ok in the index, but its status 404 means not_found",
    ]
