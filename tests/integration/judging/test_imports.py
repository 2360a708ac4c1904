"""Taking in task sets: whole or not at all, the same again changes nothing, one version open at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest
from django.utils import timezone

from judging.imports import NotActivatable, RefusedBundle, activate, import_taskset, revise_rubric
from judging.models import Page, PageSnapshot, Rubric
from judging.pages.store import read_text
from judging.rubric import read_bundle
from submissions.models import Task, TaskSet
from tests.judging_factories import (
    BRUME,
    PAGES,
    SITE,
    archive,
    cascade_files,
    lake_task,
    page,
    report_task,
    tree_files,
)
from tests.searched import searched_files

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def refused(files: Mapping[str, bytes]) -> list[str]:
    """The faults of a bundle, which leaves nothing behind."""
    before = (TaskSet.objects.count(), Page.objects.count(), Rubric.objects.count())
    with pytest.raises(RefusedBundle) as told:
        import_taskset(files=files, now=NOW)
    assert (TaskSet.objects.count(), Page.objects.count(), Rubric.objects.count()) == before
    assert str(told.value) == "; ".join(str(fault) for fault in told.value.faults)
    return [str(fault) for fault in told.value.faults]


def imported(files: Mapping[str, bytes]) -> TaskSet:
    return import_taskset(files=files, now=NOW).task_set


def test_a_bundle_becomes_a_set_with_tasks_rubrics_and_pages() -> None:
    tasks = {"b": lake_task(position=1, domain="lakes", cluster="north"), "a": lake_task("Sallow")}
    found = import_taskset(files=tree_files(tasks, runs=3, as_of="2026-05-01"), now=NOW)
    task_set = found.task_set
    assert (found.created, found.pages) == (True, 8)
    assert (task_set.slug, task_set.version, task_set.runs, task_set.state) == ("lakes", "1.0", 3, "draft")
    assert (task_set.as_of, task_set.delivery, task_set.created_at) == (dt.date(2026, 5, 1), "open", NOW)
    assert [(task.key, task.position) for task in task_set.tasks.all()] == [("b", 1), ("a", 2)]
    first = task_set.tasks.get(key="b")
    assert (first.domain, first.cluster, first.language) == ("lakes", "north", "en")
    rubric = Rubric.objects.get(task=first)
    assert (rubric.revision, set(rubric.source)) == (1, {"extract", "tree"})
    snapshot = PageSnapshot.objects.get(page__url=f"{SITE}/brume")
    assert (snapshot.task_set_id, snapshot.number, snapshot.verdict) == (task_set.pk, 1, "ok")
    assert "Lake Brume is 212 metres deep" in read_text(snapshot.text_sha256)


def test_the_same_again_changes_nothing() -> None:
    first = import_taskset(files=tree_files(), now=NOW)
    again = import_taskset(files=tree_files(), now=NOW + dt.timedelta(days=1))
    assert (again.created, again.task_set, again.pages) == (False, first.task_set, first.pages)
    assert (TaskSet.objects.count(), Task.objects.count(), Rubric.objects.count()) == (1, 2, 2)


def test_changed_content_needs_a_new_version() -> None:
    imported(tree_files())
    assert refused(tree_files({"brume": lake_task()})) == [
        "taskset.yaml: version: version 1.0 is already imported with other content: raise the version"
    ]
    assert imported(tree_files({"brume": lake_task()}, version="1.1")).pk


@pytest.mark.parametrize(
    "pages",
    [archive({**PAGES, "brume": f"{BRUME} It froze."}), archive({**PAGES, "new": BRUME})],
    ids=["another text", "another page"],
)
def test_changed_pages_need_a_new_version_too(pages: dict[str, bytes]) -> None:
    imported(tree_files(pages=archive(PAGES)))
    (fault,) = refused(tree_files(pages=pages))
    assert fault.startswith("pages/index.jsonl: https://lakes.example/")
    assert fault.endswith("is already imported with other content: raise the version")


def test_every_fault_of_rubrics_and_pages_is_told_at_once() -> None:
    wrong = lake_task()
    wrong["tree"]["children"][1]["claim"] = "{{ pond.depth }}"
    entry = page("gone-file")
    told = refused(tree_files({"brume": wrong}, pages=archive(PAGES, entry), licence=None))
    assert {fault.split(":")[0] for fault in told} == {
        "taskset.yaml",
        "tasks/brume.yaml",
        "pages/index.jsonl",
    }


def test_a_reference_without_a_readable_page_is_refused() -> None:
    assert refused(cascade_files(pages=archive({"brume": BRUME}))) == [
        "tasks/report.yaml: law/law-facts: https://lakes.example/law is a reference, but pages/index.jsonl has no"
        " readable page for it"
    ]
    assert imported(cascade_files()).pk


def test_a_reference_of_given_claims_is_a_note_for_the_author() -> None:
    task = report_task()
    task["subtasks"][1]["factuality"][0]["claims"] = ["The Lake Act forbids motor boats"]
    assert imported(cascade_files({"report": task}, pages=archive({"brume": BRUME}))).pk


def test_warnings_are_told_and_refuse_nothing() -> None:
    files = tree_files(pages={**archive(PAGES), "pages/stray.html": b"<p>Nobody names me</p>"})
    assert "pages/stray.html: (whole file): no line of the index names this file" in [
        str(warning) for warning in import_taskset(files=files, now=NOW).warnings
    ]


def unsearched(files: Mapping[str, bytes]) -> list[str]:
    """What an import says of evidence that this installation does not look for."""
    warnings = import_taskset(files=files, now=NOW).warnings
    return [str(one) for one in warnings if "does not search" in str(one)]


def test_a_set_that_names_search_is_taken_in_with_a_warning_where_nothing_is_searched(settings: Any) -> None:
    told = "tasks/report.yaml: subtasks: names search evidence, but this installation does not search: the other evidence decides"
    assert unsearched(searched_files()) == [told]
    assert unsearched(cascade_files(version="2.0")) == []
    search = {**settings.EVALSERVICE["SEARCH"], "provider": "searxng", "url": "http://127.0.0.1:9"}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SEARCH": search}
    assert unsearched(searched_files(version="3.0")) == []
    assert unsearched(searched_files(version="4.0", split="test")) == [told]
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SEARCH": {**search, "test_sets": True}}
    assert unsearched(searched_files(version="5.0", split="test")) == []


def test_a_set_without_pages_is_a_set() -> None:
    assert import_taskset(files=tree_files(pages={}), now=NOW).pages == 0


# ------------------------------------------------------------------ opening
def test_opening_a_version_closes_the_one_before_at_the_same_instant() -> None:
    first = activate(task_set=imported(tree_files()), now=NOW)
    assert (first.state, first.opens_at) == ("active", NOW)
    later = NOW + dt.timedelta(days=1)
    second = activate(task_set=imported(tree_files(version="2.0")), now=later)
    first.refresh_from_db()
    assert (first.state, first.closes_at, second.state, second.opens_at) == (
        "retired",
        later,
        "active",
        later,
    )


def test_opening_twice_changes_nothing() -> None:
    task_set = activate(task_set=imported(tree_files()), now=NOW)
    assert activate(task_set=task_set, now=NOW + dt.timedelta(days=1)).opens_at == NOW


def test_a_version_that_was_to_open_later_can_be_replaced() -> None:
    first = activate(task_set=imported(tree_files()), now=NOW)
    TaskSet.objects.filter(pk=first.pk).update(opens_at=NOW + dt.timedelta(days=9))
    activate(task_set=imported(tree_files(version="2.0")), now=NOW)
    first.refresh_from_db()
    assert (first.state, first.closes_at) == ("retired", None)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"state": "retired"}, "version 1.0 is retired; import a new version"),
        ({"state": "released"}, "version 1.0 is released; import a new version"),
        ({"split": "test", "delivery": "sealed"}, "a test set is activated by two people"),
        ({"closes_at": NOW - dt.timedelta(days=1)}, "version 1.0 closed on "),
    ],
)
def test_what_may_not_be_opened_says_why(changes: dict[str, Any], why: str) -> None:
    task_set = imported(tree_files())
    TaskSet.objects.filter(pk=task_set.pk).update(**changes)
    task_set.refresh_from_db()
    with pytest.raises(NotActivatable, match=why):
        activate(task_set=task_set, now=NOW)


# ------------------------------------------------------------------ revisions
def test_a_revision_is_added_and_never_edits() -> None:
    task_set = imported(tree_files())
    task = task_set.tasks.get(key="brume")
    changed = lake_task()
    changed["tree"]["children"][2]["claim"] = "Lake Brume is long"
    bundle = read_bundle(tree_files({"brume": changed})).bundle
    assert bundle is not None
    revised = revise_rubric(task=task, spec=bundle.tasks[0], now=NOW)
    assert (revised.revision, Rubric.objects.filter(task=task).count()) == (2, 2)
    assert revise_rubric(task=task, spec=bundle.tasks[0], now=NOW) == revised
    Rubric.objects.filter(task=task).delete()
    assert revise_rubric(task=task, spec=bundle.tasks[0], now=NOW).revision == 1
