"""The two example sets and the answers of their three systems."""

from __future__ import annotations

from typing import Any

from evalservice.demo import SETS, SYSTEMS
from judging.taskset_files import read_files
from submissions.models import Submission, System, TaskSet
from tests.factories import make_system, make_team
from tests.judging_factories import import_set, submit
from tests.processes import ROOT

EXAMPLES = ROOT / "examples"
PAIRS = [(name, system) for name in SETS for system in SYSTEMS]


def open_set(name: str) -> TaskSet:
    """The example set ``name``, imported and open."""
    reading = read_files(EXAMPLES / name / "taskset")
    assert reading.faults == ()
    return import_set(reading.files)


def open_sets() -> dict[str, TaskSet]:
    """Both, by name."""
    return {name: open_set(name) for name in SETS}


def answers_of(name: str, system: str, *, note: str = "") -> dict[str, str]:
    """A system's answers by task, each with ``note`` at its end."""
    folder = EXAMPLES / name / "answers" / system
    return {path.parent.name: path.read_text("utf-8") + note for path in sorted(folder.glob("*/answer_1.md"))}


def submit_pair(
    sets: dict[str, TaskSet], pair: tuple[str, str], *, system: System | None = None, note: str = ""
) -> Submission:
    """One system's answers to one set, queued."""
    name, folder = pair
    return submit(sets[name], answers_of(name, folder, note=note), system=system or make_system(make_team()))


def figures_of(submission: Submission) -> list[tuple[Any, ...]]:
    """Everything judging wrote on the answers."""
    return [
        (answer.task.key, answer.score, answer.user_pref, answer.coverage, answer.metrics, answer.feedback)
        for answer in submission.answers.select_related("task").order_by("task__position", "run")
    ]
