"""docs/task-sets.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judging.cascade import DEFAULT_PROFILE
from judging.rubric import read_bundle
from judging.rubric.bundle import MAX_TASKS
from judging.rubric.expand import MAX_NODES
from judging.rubric.filters import FILTERS, TESTS
from judging.rubric.schema import DEFINITIONS, ERROR_CLASSES, MAX_COUNT, MAX_EXPRESSION, MAX_TEMPLATE
from judging.rubric.source import MAX_BYTES, MAX_DEPTH, MAX_VALUES
from judging.taskset_files import Limits
from tests.unit.judging.rubric.sets import MANIFEST, dump, tree_task

PAGE = (Path(__file__).parents[4] / "docs" / "task-sets.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)


def test_every_example_of_the_page_is_tried() -> None:
    assert len(EXAMPLES) == PAGE.count("```yaml") == 5


@pytest.mark.parametrize(("file", "text"), EXAMPLES)
def test_examples_pass_every_check_without_a_warning(file: str, text: str) -> None:
    cascade = "subtasks:" in text or "protocol: cascade" in text
    manifest = dump({**MANIFEST, "protocol": "cascade" if cascade else "rubric_tree"})
    files = {"taskset.yaml": manifest, file: text.encode()}
    if file == "taskset.yaml":
        task = next(
            example for name, example in EXAMPLES if cascade == ("subtasks:" in example) and name != file
        )
        files["tasks/a.yaml"] = task.encode()
    reading = read_bundle(files)
    assert (reading.faults, reading.warnings) == ((), ())


def words() -> set[str]:
    return {word for code in re.findall(r"`([^`\n]+)`", PAGE) for word in re.findall(r"[\w.]+", code)}


@pytest.mark.parametrize("definition", sorted(DEFINITIONS))
def test_every_key_is_on_the_page(definition: str) -> None:
    written = words() | set(
        re.findall(r"^\s*(?:- )?(\w+):", "".join(text for _, text in EXAMPLES), re.MULTILINE)
    )
    assert DEFINITIONS[definition]["properties"].keys() <= written


def test_every_filter_test_class_and_constant_is_on_the_page() -> None:
    assert words() >= FILTERS.keys() | TESTS.keys() | set(ERROR_CLASSES)
    assert words() >= DEFAULT_PROFILE.as_dict().keys()


def test_the_limits_are_those_of_the_code() -> None:
    limits = Limits()
    assert f"| {MAX_TASKS:,} | tasks in a set |" in PAGE
    assert f"| {MAX_BYTES:,} bytes, {MAX_VALUES:,} values, {MAX_DEPTH} levels | in a file |" in PAGE
    assert f"| {MAX_EXPRESSION:,} / {MAX_TEMPLATE:,} characters, 400 parts, 30 levels |" in PAGE
    assert f"| {MAX_COUNT} | slots of a loop |" in PAGE
    assert f"| {MAX_NODES:,} | nodes of a tree, loops unrolled |" in PAGE
    megabytes = f"{limits.file_bytes // 10**6} MB each, {limits.total_bytes // 10**6} MB in all"
    assert f"| {limits.files:,} files, {megabytes}, packed {limits.ratio} to 1 |" in PAGE


def test_a_key_that_the_page_does_not_know_is_refused() -> None:
    assert read_bundle({"taskset.yaml": dump(MANIFEST), "tasks/a.yaml": dump(tree_task(difficulty=3))}).faults
