"""The admin of judging: who sees what, nothing hidden in lists, nothing of strangers unescaped, and the buttons."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Extraction, JudgeRun, ModelCall, Page, PageSnapshot, Rubric, Verdict
from judging.pages.captures import Capture, PageVerdict
from submissions.blobs import blob_name
from submissions.models import Submission, TaskSet
from tests.factories import make_submission, make_user
from tests.judging_factories import (
    REPORT_RIGHT,
    archive,
    cascade_files,
    import_set,
    judged,
    lake_answer,
    lake_task,
    run_jobs,
    saved,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

EVIL = "<script>alert(1)</script>"
MODELS = (
    "rubric", "page", "pagesnapshot", "judgeprofile", "judgerun", "verdict", "extraction", "modelcall",
)  # fmt: skip


def signed_in(*roles: str, superuser: bool = False) -> Client:
    """A browser of a member of staff."""
    user = make_user(staff=True, superuser=superuser)
    user.groups.set(Group.objects.filter(name__in=roles))
    assert user.groups.count() == len(roles)
    browser = Client()
    browser.force_login(user)
    return browser


def listing(model: str, app: str = "judging") -> str:
    return reverse(f"admin:{app}_{model}_changelist")


def page_of(row: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def tree_page(submission: Submission, key: str) -> str:
    run = submission.judge_runs.latest("round")
    return reverse("admin:judging_judgerun_answer", args=[run.pk, submission.answers.get(task__key=key).pk])


def text(browser: Client, address: str, status: int = 200) -> str:
    response = browser.get(address)
    assert response.status_code == status, address
    return response.content.decode()


def words(page: str) -> str:
    """What is to be read on a page, without the elements around it."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.fixture
def submission() -> Submission:
    """A judged submission, and a row of every model."""
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
    ModelCall.objects.create(
        key="k" * 64, content="reply", model_served="m", finish_reason="stop", created_at=timezone.now()
    )
    return made


# ------------------------------------------------------------------ looking
VIEWED: Mapping[str, set[str]] = {
    "viewer": set(),
    "task author": {"rubric"},
    "validator": {"rubric", "verdict"},
    "judge operator": set(MODELS),
    "set owner": {"rubric"},
}


@pytest.mark.parametrize("role", VIEWED)
def test_who_opens_which_list_is_a_table(submission: Submission, role: str) -> None:
    browser = signed_in(role)
    for model in MODELS:
        expected = 200 if model in VIEWED[role] else 403
        assert browser.get(listing(model)).status_code == expected, model
        row = apps.get_model("judging", model)._default_manager.order_by("pk").first()
        assert row is not None, model
        assert browser.get(page_of(row)).status_code == expected, model


def test_strangers_open_nothing(submission: Submission) -> None:
    browser = Client()
    browser.force_login(make_user())
    for client in (Client(), browser):
        for address in (
            *map(listing, MODELS),
            tree_page(submission, "brume"),
            reverse("admin:submissions_taskset_import"),
        ):
            assert client.get(address).status_code == 302


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_added_changed_or_deleted_by_hand(submission: Submission, model: str) -> None:
    browser = signed_in(superuser=True)
    row = apps.get_model("judging", model)._default_manager.order_by("pk").first()
    assert row is not None
    assert browser.get(reverse(f"admin:judging_{model}_add")).status_code == 403
    assert browser.post(page_of(row), {}).status_code == 403
    assert browser.get(reverse(f"admin:judging_{model}_delete", args=[row.pk])).status_code == 403
    assert "delete_selected" not in text(browser, listing(model))


def test_nothing_hidden_is_on_a_list_in_a_title_or_in_a_name(submission: Submission) -> None:
    browser = signed_in(superuser=True)
    hidden = ("metres deep", "kilometres long", "given", "heuristic", "How deep", "x-labels", "212", "reply")
    for model in MODELS:
        shown = text(browser, listing(model))
        assert [word for word in hidden if word in shown] == [], model
        row = apps.get_model("judging", model)._default_manager.order_by("pk").first()
        title = text(browser, page_of(row)).split("<title>")[1].split("</title>")[0]
        assert [word for word in hidden if word in title + str(row)] == [], model


@pytest.mark.parametrize("model", MODELS)
def test_lists_cost_the_same_however_long(model: str, django_assert_max_num_queries: Any) -> None:
    tasks = {f"t{n}": lake_task() for n in range(12)}
    judged(import_set(tree_files(tasks)), dict.fromkeys(tasks, lake_answer(212, 14, "brume")))
    browser = signed_in(superuser=True)
    with django_assert_max_num_queries(12):
        browser.get(listing(model))


def test_a_rubric_a_verdict_and_an_extraction_are_read_on_their_pages(submission: Submission) -> None:
    browser = signed_in("judge operator")
    assert "{{ lake.depth }} metres deep" in text(browser, page_of(Rubric.objects.order_by("pk")[0]))
    verdict = Verdict.objects.get(check_id="length")
    assert "Lake Brume is 15 kilometres long" in text(browser, page_of(verdict))
    assert "&quot;depth&quot;: 212" in text(browser, page_of(Extraction.objects.get()))
    assert "lexical/1" in text(browser, page_of(JudgeRun.objects.get()))
    assert "lakes.example" in text(browser, listing("page"))


# ------------------------------------------------------------------ what strangers wrote
def test_text_of_strangers_stays_text() -> None:
    now = timezone.now()
    pages = archive({"brume": f"Lake Brume is 212 metres deep. {EVIL.replace('<', '&lt;')}"})
    task_set = import_set(tree_files({"brume": lake_task()}, pages=pages))
    made = judged(
        task_set, {"brume": f"{EVIL}\n\n{lake_answer(212, 14, 'brume', 'https://x.example/?q=<script>')}"}
    )
    evil = Capture(
        url=f"https://x.example/{EVIL}", verdict=PageVerdict.OK, fetched_at=now, text=EVIL, raw=EVIL.encode(), title=EVIL,
        detail=EVIL, final_url=f"https://x.example/{EVIL}", content_type=EVIL, chain=((301, f"https://x.example/{EVIL}"),),
    )  # fmt: skip
    snapshot = saved(evil)
    Verdict.objects.update(
        statement=EVIL, reason=EVIL, quote=EVIL, evidence=[{"url": EVIL}], record={"x": EVIL}, code=EVIL
    )
    Extraction.objects.update(data={EVIL: EVIL}, reason=EVIL, record={"x": EVIL})
    call = ModelCall.objects.create(
        key="k" * 64, content=EVIL, model_served=EVIL, finish_reason=EVIL, created_at=now
    )
    browser = signed_in(superuser=True)
    rows = [
        snapshot,
        snapshot.page,
        call,
        made,
        *Verdict.objects.all(),
        *Extraction.objects.all(),
        *Rubric.objects.all(),
    ]
    for address in (*map(listing, MODELS), *map(page_of, rows)):
        assert EVIL not in text(browser, address), address
    assert "&lt;script&gt;" in text(browser, page_of(snapshot))


def test_text_of_strangers_stays_text_in_the_tree_too() -> None:
    task_set = import_set(tree_files({"brume": lake_task()}))
    made = judged(task_set, {"brume": lake_answer(212, 14, "brume")})
    Verdict.objects.update(statement=EVIL, reason=EVIL, quote=EVIL, code=EVIL)
    shown = text(signed_in(superuser=True), tree_page(made, "brume"))
    assert EVIL not in shown
    assert shown.count("&lt;script&gt;") >= 8


def test_a_stored_page_is_handed_out_as_a_file_that_no_browser_runs(submission: Submission) -> None:
    snapshot = PageSnapshot.objects.exclude(raw_sha256="")[0]
    address = reverse("admin:judging_pagesnapshot_raw", args=[snapshot.pk])
    response = signed_in("judge operator").get(address)
    assert b"<!doctype html>" in response.content
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == f'attachment; filename="snapshot-{snapshot.pk}.bin"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]
    assert "sandbox" in response["Content-Security-Policy"]
    assert signed_in("set owner").get(address).status_code == 403
    assert address in text(signed_in("judge operator"), page_of(snapshot))


def test_a_page_without_bytes_has_none_to_hand_out(submission: Submission) -> None:
    gone = PageSnapshot.objects.filter(raw_sha256="")[0]
    browser = signed_in("judge operator")
    assert browser.get(reverse("admin:judging_pagesnapshot_raw", args=[gone.pk])).status_code == 404
    assert "download" not in text(browser, page_of(gone))


def test_a_text_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.admin.looks.SHOWN", 20)
    capture = Capture(
        url="https://x.example/", verdict=PageVerdict.OK, fetched_at=timezone.now(), text="x" * 50
    )
    snapshot = saved(capture)
    assert "[… 30 characters more]" in text(signed_in(superuser=True), page_of(snapshot))


def test_a_page_that_is_none_has_no_host() -> None:
    Page.objects.create(key="x", key_hash="0" * 64, url="nowhere", created_at=timezone.now())
    assert "—" in text(signed_in(superuser=True), listing("page"))


# ------------------------------------------------------------------ verdict trees
def test_the_verdicts_of_an_answer_are_one_tree(submission: Submission) -> None:
    browser = signed_in("judge operator")
    assert tree_page(submission, "brume") in text(browser, page_of(JudgeRun.objects.get()))
    shown = words(text(browser, tree_page(submission, "brume")))
    for part in (
        "Score 0.500",
        "Checks judged 3 of 3",
        "lake 0.500 partial",
        "(critical)",
        "15 kilometres long",
    ):
        assert part in shown
    assert "https://lakes.example/brume: ok, refuted" in shown
    assert "No answer was handed in." in text(browser, tree_page(submission, "sallow"))


def test_a_cascade_is_shown_by_subtasks() -> None:
    held = cascade_files(split="test", delivery="open", delivery_reason="for this test")
    made = judged(import_set(held), {"report": REPORT_RIGHT.replace("212", "221")})
    shown = words(text(signed_in("judge operator"), tree_page(made, "report")))
    for part in (
        "P0 Depth of Lake Brume 0.000 fail",
        "P1 Motor boats",
        "UserPref 1",
        "not reached",
        "(claims: ok)",
        "reference",
    ):
        assert part in shown


def test_what_is_unknown_is_shown_as_unknown() -> None:
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 14, "missing")})
    shown = words(text(signed_in("judge operator"), tree_page(made, "brume")))
    for part in ("Score unknown", "Errors of ours 2", "page_retry", "lake unknown"):
        assert part in shown


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({"tree": {"id": "lake", "kind": "x", "description": "A lake."}}, "tree.kind unknown key"),
        ({"tree": {"id": "lake", "description": EVIL, "claim": "{{ 1 + }}"}}, "tree.claim"),
        ({}, "tree is missing"),
        ([EVIL], "(whole rubric)"),
        (EVIL, "(whole rubric)"),
        (1e308, "(whole rubric)"),
    ],
)
def test_verdicts_by_a_rubric_that_is_none_any_more_are_shown_one_by_one(
    submission: Submission, source: Any, reason: str
) -> None:
    rubric = Rubric.objects.get(task__key="brume")
    Rubric.objects.filter(pk=rubric.pk).update(source=source)
    Verdict.objects.filter(check_id="length").update(quote=EVIL)
    page = text(signed_in("judge operator"), tree_page(submission, "brume"))
    assert EVIL not in page
    shown = words(page)
    for part in (
        "their rubric is not one any more", reason, "Score 0.500", "lake ok", '"depth": 212', "length round 1 refuted",
        "15 kilometres long", "https://lakes.example/brume: ok, refuted", EVIL,
    ):  # fmt: skip
        assert part in shown
    assert page_of(rubric) in page
    assert page_of(Verdict.objects.get(check_id="length")) in page
    assert page_of(Extraction.objects.get()) in page


def test_of_a_rubric_that_is_none_a_page_lists_so_much_and_no_more(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.admin.verdicts.LISTED", 1)
    Rubric.objects.update(source={})
    shown = words(text(signed_in("judge operator"), tree_page(submission, "brume")))
    assert f"And {Verdict.objects.count() - 1} more, in the list of verdicts." in shown
    assert shown.count("round 1 supported") == 1
    assert "round 1 refuted" not in shown
    assert "None." in words(text(signed_in("judge operator"), tree_page(submission, "sallow")))


def test_a_round_shows_of_a_broken_rubric_what_it_and_the_rounds_before_it_found(
    submission: Submission,
) -> None:
    first = JudgeRun.objects.get()
    later = JudgeRun.objects.create(
        submission=submission, round=2, profile=first.profile, short_circuit=False, started_at=timezone.now()
    )
    found = Verdict.objects.order_by("pk")[0]
    Verdict.objects.filter(pk=found.pk).update(run=later, statement="Found in the second round")
    Rubric.objects.update(source={})
    browser, answer = signed_in("judge operator"), found.answer_id
    pages = [
        words(text(browser, reverse("admin:judging_judgerun_answer", args=[run.pk, answer])))
        for run in (first, later)
    ]
    assert ["Found in the second round" in page for page in pages] == [False, True]
    assert ["Lake Brume is 15 kilometres long" in page for page in pages] == [True, True]


@pytest.mark.parametrize(
    ("role", "status"),
    [("judge operator", 200), ("validator", 200), ("task author", 403), ("set owner", 403), ("viewer", 403)],
)
def test_a_tree_is_for_those_who_may_read_all_of_it(submission: Submission, role: str, status: int) -> None:
    text(signed_in(role), tree_page(submission, "brume"), status)


def test_an_answer_of_another_submission_is_not_found(submission: Submission) -> None:
    other = make_submission("judged")
    run = submission.judge_runs.get()
    answer = other.answers.order_by("pk")[0]
    text(signed_in(superuser=True), reverse("admin:judging_judgerun_answer", args=[run.pk, answer.pk]), 404)
    text(signed_in(superuser=True), reverse("admin:judging_judgerun_answer", args=[999, answer.pk]), 404)


# ------------------------------------------------------------------ actions on submissions
def act(browser: Client, action: str, *rows: Any) -> str:
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    address = reverse(f"admin:submissions_{rows[0]._meta.model_name}_changelist")
    return str(browser.post(address, data, follow=True).content.decode())


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


def test_a_page_whose_bytes_are_lost_says_so(submission: Submission) -> None:
    snapshot = PageSnapshot.objects.exclude(raw_sha256="")[0]
    for sha256 in (snapshot.text_sha256, snapshot.raw_sha256):
        default_storage.delete(blob_name(sha256))
    browser = signed_in("judge operator")
    assert "not in the blob store" in text(browser, page_of(snapshot))
    text(browser, reverse("admin:judging_pagesnapshot_raw", args=[snapshot.pk]), 404)
