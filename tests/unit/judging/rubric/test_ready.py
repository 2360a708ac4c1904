"""Reading a checked rubric again without checking it, and only that one."""

from __future__ import annotations

from typing import Any

import pytest

from judging.rubric import check_stored, parse_rubric, read_bundle, rubric_of
from tests.judging_factories import cascade_files, tree_files


def task_of(files: dict[str, bytes]) -> tuple[Any, str]:
    """A task of a bundle, and the bundle's protocol."""
    bundle = read_bundle(files).bundle
    assert bundle is not None
    return bundle.tasks[0], bundle.protocol


@pytest.mark.parametrize("files", [tree_files(), cascade_files()], ids=["tree", "cascade"])
def test_a_ready_rubric_is_the_one_that_was_checked(files: dict[str, bytes]) -> None:
    task, protocol = task_of(files)
    assert rubric_of(task.rubric, task.ready, protocol) == parse_rubric(task.rubric, protocol)
    assert check_stored(task.rubric, protocol).ready == task.ready


def test_another_source_is_not_taken_for_the_checked_one() -> None:
    task, protocol = task_of(tree_files())
    changed = {**task.rubric, "truth": ["something else"]}
    assert rubric_of(changed, task.ready, protocol) is None


@pytest.mark.parametrize("ready", [{}, {"checks": 0, "of": "", "rubric": {}}])
def test_what_other_rules_checked_is_checked_again(ready: dict[str, Any]) -> None:
    task, protocol = task_of(tree_files())
    assert rubric_of(task.rubric, ready, protocol) is None
