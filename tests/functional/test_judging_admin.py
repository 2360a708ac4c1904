"""The admin of judging: who sees what, nothing hidden in lists, nothing of strangers unescaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Extraction, JudgeRun, ModelCall, Page, PageSnapshot, Rubric, Verdict
from judging.pages.captures import Capture, PageVerdict
from submissions.blobs import blob_name
from submissions.models import Submission
from tests.factories import make_user
from tests.functional.staff import EVIL, MODELS, listing, page_of, signed_in, text, tree_page
from tests.judging_factories import archive, import_set, judged, lake_answer, lake_task, saved, tree_files

pytestmark = pytest.mark.django_db(transaction=True)


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


def said(text: str, words: Sequence[str]) -> list[str]:
    """Those of the words that stand in the text as such: a random token may hold their characters by chance."""
    return [word for word in words if re.search(rf"\b{re.escape(word)}\b", text)]


def test_nothing_hidden_is_on_a_list_in_a_title_or_in_a_name(submission: Submission) -> None:
    browser = signed_in(superuser=True)
    hidden = ("metres deep", "kilometres long", "given", "heuristic", "How deep", "x-labels", "212", "reply")
    for model in MODELS:
        shown = text(browser, listing(model))
        assert said(shown, hidden) == [], model
        row = apps.get_model("judging", model)._default_manager.order_by("pk").first()
        title = text(browser, page_of(row)).split("<title>")[1].split("</title>")[0]
        assert said(title + str(row), hidden) == [], model


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


def test_the_page_of_a_capture_tells_its_picture(submission: Submission) -> None:
    snapshot = PageSnapshot.objects.earliest("pk")
    PageSnapshot.objects.filter(pk=snapshot.pk).update(
        picture_sha256="5" * 64, picture_type="image/png", picture_width=1280, picture_height=719
    )
    shown = text(signed_in("judge operator"), page_of(snapshot))
    assert [part for part in ("5" * 64, "image/png", "719") if part not in shown] == []


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


def test_a_page_whose_bytes_are_lost_says_so(submission: Submission) -> None:
    snapshot = PageSnapshot.objects.exclude(raw_sha256="")[0]
    for sha256 in (snapshot.text_sha256, snapshot.raw_sha256):
        default_storage.delete(blob_name(sha256))
    browser = signed_in("judge operator")
    assert "not in the blob store" in text(browser, page_of(snapshot))
    text(browser, reverse("admin:judging_pagesnapshot_raw", args=[snapshot.pk]), 404)
