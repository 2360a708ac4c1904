"""``manage.py taskset revise``: one rubric is corrected, nothing else, and judging again asks for its checks alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from judging.imports import revise_rubric
from judging.models import Rubric
from judging.revising import revise
from judging.rubric import read_bundle
from submissions.models import Task, TaskSet
from tests.endpoint import Endpoint
from tests.integration.judging.test_taskset_command import run, write
from tests.integration.submissions.races import at_once
from tests.judging_factories import (
    BRUME,
    PAGES,
    REPORT_RIGHT,
    archive,
    cascade_files,
    findings,
    import_set,
    judged,
    lake_answer,
    lake_task,
    model_judges,
    report_task,
    run_jobs,
    scores_of,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

BOTH = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}
WHY = "is not as imported: a revision changes the rubric of one task; all else is a new version of lakes"


def in_miles(name: str = "Brume", **more: Any) -> dict[str, Any]:
    task = lake_task(name, **more)
    task["tree"]["children"][2]["claim"] = f"Lake {name} is {{{{ lake.length }}}} miles long"
    return task


def corrected(**tasks: Mapping[str, Any]) -> dict[str, bytes]:
    """The set of two lakes with other tasks in it."""
    return tree_files({"brume": lake_task(), "sallow": lake_task("Sallow"), **tasks})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "set"


@pytest.fixture
def task_set() -> TaskSet:
    return import_set(tree_files())


def revisions(task_set: TaskSet, key: str) -> list[int]:
    rubrics = task_set.tasks.get(key=key).rubrics.order_by("revision")
    return list(rubrics.values_list("revision", flat=True))


# ------------------------------------------------------------------ from a file to the scores
def test_a_corrected_rubric_costs_its_own_checks_when_judged_again(
    root: Path, task_set: TaskSet, endpoint: Endpoint, settings: Any
) -> None:
    model_judges(settings, endpoint.base_url)
    submission = judged(task_set, BOTH)
    assert scores_of(submission) == {"brume": 1.0, "sallow": 0.5}
    prompts = list(task_set.tasks.values_list("prompt", flat=True))
    assert run("revise", write(root, corrected(brume=in_miles())), "--task", "brume")[-2:] == [
        "lakes 1.0 brume: now judged by revision 2",
        "submissions that keep the old rubric until they are judged again: 1; manage.py rejudge --set lakes/1.0",
    ]
    assert (revisions(task_set, "brume"), revisions(task_set, "sallow")) == ([1, 2], [1])
    assert list(task_set.tasks.values_list("prompt", flat=True)) == prompts
    endpoint.reset()
    call_command("rejudge", "--set", "lakes/1.0")
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert endpoint.calls == 1
    assert set(findings(submission, round=2)) == {"brume/length"}
    assert scores_of(submission)["sallow"] == 0.5
    assert submission.state == "judged"


def test_the_same_again_changes_nothing(root: Path, task_set: TaskSet) -> None:
    write(root, corrected(brume=in_miles()))
    run("revise", root, "--task", "brume")
    judged(task_set, BOTH)
    assert run("revise", root, "--task", "brume")[-1] == "lakes 1.0 brume: unchanged, revision 2"
    assert revisions(task_set, "brume") == [1, 2]


def test_a_correction_can_be_taken_back(root: Path, task_set: TaskSet) -> None:
    run("revise", write(root, corrected(brume=in_miles())), "--task", "brume")
    assert run("revise", write(root, corrected()), "--task", "brume") == [
        "lakes 1.0 brume: now judged by revision 3"
    ]
    first, _, third = task_set.tasks.get(key="brume").rubrics.order_by("revision")
    assert first.content_hash == third.content_hash


def test_a_revised_set_imports_as_it_did_and_not_as_it_is(root: Path, task_set: TaskSet) -> None:
    run("revise", write(root, corrected(brume=in_miles())), "--task", "brume")
    assert run("import", root)[0].startswith("taskset.yaml: version: version 1.0 is already imported")
    assert run("import", write(root, tree_files()))[-1].startswith("lakes 1.0: unchanged")
    assert revisions(task_set, "brume") == [1, 2]


def test_tasks_are_revised_one_after_another_out_of_one_folder(root: Path, task_set: TaskSet) -> None:
    write(root, corrected(brume=in_miles(), sallow=in_miles("Sallow")))
    assert run("revise", root, "--task", "brume") == [
        "tasks/sallow.yaml: (whole file): has another rubric than any that is stored: revise one task at a time"
        " (--task sallow)",
        "error: 1 to mend; nothing was done",
    ]
    run("revise", write(root, corrected(brume=in_miles())), "--task", "brume")
    write(root, corrected(brume=in_miles(), sallow=in_miles("Sallow")))
    assert run("revise", root, "--task", "sallow")[-1] == "lakes 1.0 sallow: now judged by revision 2"
    # An older copy of another task is no correction of it.
    write(root, corrected(sallow=lake_task("Sallow")))
    assert run("revise", root, "--task", "sallow")[-1] == "lakes 1.0 sallow: now judged by revision 3"
    assert revisions(task_set, "brume") == [1, 2]


def test_a_cascade_is_revised_like_a_tree(root: Path) -> None:
    task_set = import_set(cascade_files())
    submission = judged(task_set, {"report": REPORT_RIGHT})
    task = report_task()
    task["subtasks"][1]["instruction"][0]["criterion"] = "Names the Lake Act of 1986"
    run("revise", write(root, cascade_files({"report": task})), "--task", "report")
    call_command("rejudge", submission.public_id)
    run_jobs(submission)
    assert set(findings(submission, round=2)) == {"report/law/names-act"}
    assert submission.state == "judged"


# ------------------------------------------------------------------ what is refused
def refused(root: Path, files: Mapping[str, bytes], key: str = "brume") -> list[str]:
    """The faults told, after which everything is as it was."""
    before = list(Rubric.objects.values())
    *faults, last = run("revise", write(root, files), "--task", key)
    assert last == f"error: {len(faults)} to mend; nothing was done"
    assert list(Rubric.objects.values()) == before
    return faults


def test_every_fault_of_the_set_is_told(root: Path, task_set: TaskSet) -> None:
    wrong = in_miles()
    wrong["tree"]["children"][1]["claim"] = "{{ pond.depth }}"
    del wrong["tree"]["children"][0]["id"]
    told = refused(root, {**corrected(brume=wrong), "tasks/sallow.yaml": b"prompt: [1"})
    assert {fault.split(":")[0] for fault in told} == {"tasks/brume.yaml", "tasks/sallow.yaml"}
    assert sum(fault.startswith("tasks/brume.yaml") for fault in told) == 2


def test_files_that_cannot_be_read_are_told(root: Path, tmp_path: Path) -> None:
    assert run("revise", tmp_path / "nowhere", "--task", "x")[-1] == "error: 1 to mend; nothing was done"


def test_all_that_is_not_as_imported_is_told_at_once(root: Path, task_set: TaskSet) -> None:
    pages = archive({**PAGES, "brume": f"{BRUME} It froze."})
    files = tree_files(
        {"brume": in_miles(prompt="How deep is it?", subset=["deep"]), "new": lake_task("Sallow")},
        pages=pages,
        runs=3,
        licence="CC-BY-4.0",
        title="Other words are staff's",
    )
    assert refused(root, files) == [
        f"taskset.yaml: runs: {WHY}",
        f"taskset.yaml: licence: {WHY}",
        f"tasks/new.yaml: (whole file): {WHY}",
        f"tasks/sallow.yaml: (whole file): {WHY}",
        f"tasks/brume.yaml: prompt: {WHY}",
        f"tasks/brume.yaml: subset: {WHY}",
        f"pages/index.jsonl: https://lakes.example/brume: {WHY}",
    ]


@pytest.mark.parametrize("key", ["pond", "new"])
def test_a_task_that_is_not_there_is_told(root: Path, task_set: TaskSet, key: str) -> None:
    told = refused(root, corrected(new=lake_task()), key)
    assert f"tasks/{key}.yaml: (whole file): is no task of lakes 1.0: --task is one of brume, sallow" in told


def test_a_set_that_is_not_imported_is_told(root: Path) -> None:
    assert refused(root, tree_files()) == [
        "taskset.yaml: version: lakes 1.0 is not imported: import it first"
    ]


def test_one_person_does_not_revise_a_test_set(root: Path) -> None:
    held = import_set(tree_files(split="test"))
    files = tree_files({"brume": in_miles(), "sallow": lake_task("Sallow")}, split="test")
    told = refused(root, files)
    assert told == [
        "taskset.yaml: split: the rubrics of a test set are revised by two people, not by this command"
    ]
    assert revisions(held, "brume") == [1]


def test_warnings_are_told_and_refuse_nothing(root: Path, task_set: TaskSet) -> None:
    files = {**corrected(brume=in_miles()), "pages/stray.html": b"<p>x"}
    lines = run("revise", write(root, files), "--task", "brume")
    assert lines[0].startswith("warning: pages/stray.html")
    assert lines[-1] == "lakes 1.0 brume: now judged by revision 2"


# ------------------------------------------------------------------ at the same moment
def test_of_revisions_at_the_same_moment_each_sees_the_one_before(task_set: TaskSet) -> None:
    files = corrected(brume=in_miles())
    results = at_once(4, lambda: revise(files=files, key="brume", now=timezone.now()))
    assert sorted(result.created for result in results) == [False, False, False, True]
    assert revisions(task_set, "brume") == [1, 2]


def test_different_revisions_at_the_same_moment_are_all_kept(task_set: TaskSet) -> None:
    task = task_set.tasks.get(key="brume")
    wordings = iter(["one", "two", "three", "four"])

    def reword() -> Rubric:
        other = lake_task()
        other["tree"]["children"][2]["claim"] = f"Lake Brume is {next(wordings)} mile long"
        bundle = read_bundle(corrected(brume=other)).bundle
        assert bundle is not None
        return revise_rubric(task=Task.objects.get(pk=task.pk), spec=bundle.tasks[0], now=timezone.now())

    results = at_once(4, reword)
    assert sorted(rubric.revision for rubric in results) == [2, 3, 4, 5]
