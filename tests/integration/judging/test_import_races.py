"""Two organisers who import or open at the same moment: one version, one open version, and no crash."""

from __future__ import annotations

from collections import Counter
from itertools import cycle
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from judging import imports
from judging.citations import url_key
from judging.collecting import begin
from judging.imports import NotActivatable, RefusedBundle, activate, import_taskset
from judging.models import Page, PageSnapshot, Rubric
from judging.pages.store import key_hash
from judging.rubric import Bundle
from submissions.leases import acquire
from submissions.models import Task, TaskSet
from tests.integration.judging.locks import meeting_at
from tests.integration.submissions.races import at_once
from tests.judging_factories import (
    BRUME,
    SITE,
    archive,
    import_set,
    lake_answer,
    lake_task,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


def made(results: list[Any]) -> Counter[Any]:
    """How often what came back: whether a set was created, or the exception."""
    return Counter(getattr(result, "created", type(result)) for result in results)


def test_of_eight_imports_of_one_bundle_one_creates_the_set() -> None:
    files = tree_files()
    results = at_once(8, lambda: import_taskset(files=files, now=timezone.now()))
    assert made(results) == {True: 1, False: 7}
    assert len({result.task_set.pk for result in results}) == 1
    assert (TaskSet.objects.count(), Task.objects.count(), Rubric.objects.count()) == (1, 2, 2)
    assert PageSnapshot.objects.count() == 8


def test_of_two_bundles_with_one_version_one_is_refused() -> None:
    bundles = iter([tree_files(), tree_files({"brume": lake_task()})] * 2)
    results = at_once(4, lambda: import_taskset(files=next(bundles), now=timezone.now()))
    assert made(results) == {True: 1, False: 1, RefusedBundle: 2}
    assert TaskSet.objects.count() == 1


def test_imports_that_share_pages_do_not_wait_for_each_other_whatever_their_order() -> None:
    names = [f"p{number}" for number in range(9)]
    forth, back = (
        tree_files({"brume": lake_task()}, pages=archive(dict.fromkeys(order, BRUME)), slug=f"lakes-{number}")
        for number, order in enumerate((names, names[::-1]))
    )
    key = url_key(f"{SITE}/p4")
    middle = Page(key=key, key_hash=key_hash(key), url=key, created_at=timezone.now())
    results = meeting_at(
        middle,
        [lambda: import_taskset(files=forth, now=NOW), lambda: import_taskset(files=back, now=NOW)],
    )
    assert made(results) == {True: 2}
    assert (Page.objects.count(), PageSnapshot.objects.count()) == (9, 18)
    assert {snapshot.page.url for snapshot in PageSnapshot.objects.filter(number=2)} == {
        f"{SITE}/{name}" for name in names
    }


def test_an_import_and_a_submission_that_share_pages_do_not_wait_for_each_other() -> None:
    names = [f"p{number}" for number in range(9)]
    submission = submit(
        import_set(tree_files({"brume": lake_task()}, pages={})),
        {"brume": lake_answer(212, 14, *names[::-1])},
    )
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    files = tree_files(pages=archive(dict.fromkeys(names, BRUME)), slug="other-lakes")
    key = url_key(f"{SITE}/p4")
    middle = Page(key=key, key_hash=key_hash(key), url=key, created_at=timezone.now())
    results = meeting_at(
        middle,
        [lambda: import_taskset(files=files, now=timezone.now()), lambda: begin(lease, submission)],
    )
    assert (made(results[:1]), results[1]) == ({True: 1}, None)
    assert (Page.objects.count(), submission.cited_pages.count()) == (9, 9)


def test_an_import_that_finds_the_version_taken_between_its_look_and_its_write_takes_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = import_taskset(files=tree_files(), now=timezone.now()).task_set
    looks = iter([None, first])
    monkeypatch.setattr(imports, "_existing", lambda bundle: next(looks))
    late = import_taskset(files=tree_files(), now=timezone.now())
    assert (late.created, late.task_set, TaskSet.objects.count()) == (False, first, 1)


def test_another_broken_rule_is_not_taken_for_an_import_that_was_faster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(bundle: Bundle, *_: object) -> TaskSet:
        raise IntegrityError("another rule")

    monkeypatch.setattr(imports, "_create", broken)
    with pytest.raises(IntegrityError, match="another rule"):
        import_taskset(files=tree_files(), now=timezone.now())


def test_of_two_versions_opened_at_once_one_is_open_in_the_end() -> None:
    for turn in range(5):
        now = timezone.now()
        pair = [
            import_taskset(files=tree_files(version=f"{turn}.{minor}"), now=now).task_set for minor in (1, 2)
        ]
        turns = cycle(pair)
        results = at_once(6, lambda turns=turns: activate(task_set=next(turns), now=timezone.now()))  # type: ignore[misc]  # a lambda with a default
        assert {type(result) for result in results} <= {TaskSet, NotActivatable}
        assert TaskSet.objects.filter(slug="lakes", state="active").count() == 1
        assert sorted(TaskSet.objects.get(pk=one.pk).state for one in pair) == ["active", "retired"]
