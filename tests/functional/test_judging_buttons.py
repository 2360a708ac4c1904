"""What staff set going in the admin: judging again, resuming, importing, opening a set."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.models import Submission, TaskSet
from tests.factories import make_submission
from tests.functional.staff import EVIL, act, listing, page_of, signed_in, text
from tests.judging_factories import archive, import_set, lake_task, run_jobs, tree_files

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_operator_has_submissions_judged_again(submission: Submission) -> None:
    waiting = make_submission("judging", task_set=submission.task_set)
    browser = signed_in("judge operator")
    shown = act(browser, "judge_again", submission, waiting)
    assert f"{submission}: round 2 begins." in shown
    assert f"{waiting} is judging: not judged again." in shown
    run_jobs(submission)
    assert submission.state == "judged"
    assert submission.events.filter(to_state="judging").latest("id").actor.startswith("user:")


def test_an_operator_resumes_what_is_paused(submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(state="judging")
    submission.refresh_from_db()
    submission.move("paused", actor="worker", now=timezone.now(), reason="quota")
    shown = act(signed_in("judge operator"), "resume_paused", submission)
    assert f"{submission}: 0 jobs go on." in shown
    submission.refresh_from_db()
    assert submission.state == "judging"
    assert f"{submission} is judging: nothing to resume." in act(
        signed_in("judge operator"), "resume_paused", submission
    )


@pytest.mark.parametrize("role", ["viewer", "set owner"])
def test_others_set_nothing_going(submission: Submission, role: str) -> None:
    browser = signed_in(role)
    act(browser, "judge_again", submission)
    submission.refresh_from_db()
    assert submission.state == "judged"
    assert "judge_again" not in text(browser, listing("submission", "submissions"))


# ------------------------------------------------------------------ task sets
def zipped(files: Mapping[str, bytes]) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, data in files.items():
            packed.writestr(f"lakes/{name}", data)
    out.seek(0)
    out.name = "lakes.zip"
    return out


def upload(browser: Client, files: Any) -> Any:
    return browser.post(reverse("admin:submissions_taskset_import"), {"bundle": files}, follow=True)


def test_a_bundle_is_imported_whole() -> None:
    browser = signed_in("task author", "set owner")
    assert reverse("admin:submissions_taskset_import") in text(browser, listing("taskset", "submissions"))
    response = upload(
        browser, zipped(tree_files(pages={**archive({"brume": "Deep."}), "pages/stray.html": b"<p>x"}))
    )
    shown = response.content.decode()
    assert "lakes 1.0 imported: 2 tasks, 1 pages." in shown
    assert "no line of the index names this file" in shown
    assert response.redirect_chain[-1][0] == page_of(TaskSet.objects.get())
    again = upload(browser, zipped(tree_files(pages=archive({"brume": "Deep."}))))
    assert "lakes 1.0 was there already, unchanged: 2 tasks, 1 pages." in again.content.decode()


def test_every_fault_is_told_and_nothing_is_imported() -> None:
    wrong = lake_task()
    wrong["tree"]["children"][1]["claim"] = "{{ pond.depth }}"
    wrong["prompt"] = EVIL
    wrong[EVIL] = 1
    response = upload(signed_in("task author"), zipped(tree_files({"brume": wrong}, licence=None)))
    shown = response.content.decode()
    assert response.status_code == 422
    assert "Nothing was imported. 3 to mend:" in shown
    assert shown.count("tasks/brume.yaml") == 2
    assert EVIL not in shown
    assert not TaskSet.objects.exists()


def test_what_is_no_zip_is_told_too() -> None:
    browser = signed_in("task author")
    junk = io.BytesIO(b"not a zip")
    junk.name = "junk.zip"
    response = upload(browser, junk)
    assert response.status_code == 422
    assert "is neither a folder nor a zip that can be read" in response.content.decode()
    assert browser.post(reverse("admin:submissions_taskset_import"), {}).status_code == 200


@pytest.mark.parametrize("role", ["viewer", "validator", "judge operator", "set owner"])
def test_only_authors_import(role: str) -> None:
    browser = signed_in(role)
    assert browser.get(reverse("admin:submissions_taskset_import")).status_code == 403
    assert upload(browser, zipped(tree_files())).status_code == 403
    assert not TaskSet.objects.exists()
    assert "Import a bundle" not in text(browser, listing("taskset", "submissions"))


def test_a_set_owner_opens_a_dev_set() -> None:
    task_set, held = import_set(tree_files()), import_set(tree_files(slug="held", split="test"))
    TaskSet.objects.update(state="draft", opens_at=None)
    shown = act(signed_in("set owner"), "open_version", task_set, held)
    assert "lakes 1.0 is open." in shown
    assert "held 1.0: a test set is activated by two people" in shown
    assert set(TaskSet.objects.values_list("slug", "state")) == {("lakes", "active"), ("held", "draft")}
    TaskSet.objects.update(state="draft", opens_at=None)
    act(signed_in("viewer"), "open_version", task_set)
    assert TaskSet.objects.get(slug="lakes").state == "draft"
