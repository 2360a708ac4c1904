"""The admin in Chromium: the policy that is served, the rules of accessibility, nothing wider than the window."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Page

from judging.models import JudgeRun, Rubric, Spending, Verdict
from leaderboard.models import Board
from leaderboard.services import publish
from submissions.models import Submission, System
from tests.browser.test_board import faults, overflow
from tests.factories import make_user, now
from tests.judging_factories import cascade_files, import_set, judged, lake_answer, tree_files
from tests.processes import until

pytestmark = pytest.mark.django_db(transaction=True)
OpenPage = Callable[..., Page]
LONG = "W" * 100


@pytest.fixture
def addresses() -> list[str]:
    """Pages of every kind that staff look at, with long names, long texts and what went wrong."""
    # Judging runs its own event loop, which it cannot in the thread where Playwright keeps one.
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(prepared).result()


def prepared() -> list[str]:
    """The addresses, after everything that they show was made."""
    try:
        tree = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
        cascade = judged(import_set(cascade_files()), {"report": "Lake Brume is 212 metres deep."})
        publish(task_set=tree.task_set, now=now())
        for day in (now().date(), (now() - dt.timedelta(days=40)).date()):
            Spending.objects.create(run=JudgeRun.objects.earliest("pk"), day=day, calls=3, cost_usd=0.5)
        System.objects.filter(pk=tree.system_id).update(name=LONG)
        Submission.objects.filter(pk=cascade.pk).update(
            state="failed", state_reason="poisoned", note=LONG * 4
        )
        Verdict.objects.filter(check_id="length").update(statement=LONG * 5, quote=LONG * 5)
        Rubric.objects.filter(task__key="sallow").update(source={"tree": LONG})
        return [
            "/admin/",
            "/admin/submissions/",
            "/admin/submissions/submission/",
            "/admin/submissions/submission/?state__exact=failed",
            f"/admin/submissions/submission/{cascade.pk}/change/",
            "/admin/submissions/taskset/",
            "/admin/submissions/taskset/import/",
            f"/admin/submissions/taskset/{tree.task_set_id}/change/",
            "/admin/submissions/apikey/",
            "/admin/judging/judgerun/",
            "/admin/judging/judgerun/costs/",
            *(f"/admin/judging/judgerun/{run.pk}/change/" for run in JudgeRun.objects.all()),
            f"/admin/judging/verdict/{Verdict.objects.filter(evidence=[]).earliest('pk').pk}/answer/",
            *(f"/admin/judging/verdict/{row.pk}/pages/1/" for row in Verdict.objects.exclude(evidence=[])),
            f"/admin/leaderboard/board/{Board.objects.get().pk}/change/",
            *(f"/admin/judging/rubric/{rubric.pk}/change/" for rubric in Rubric.objects.all()),
            *(page for made in (tree, cascade) for page in pages_of_answers(made)),
        ]
    finally:
        connections.close_all()


def pages_of_answers(submission: Submission) -> list[str]:
    """Each answer, and its verdicts."""
    run = JudgeRun.objects.get(submission=submission).pk
    ids = submission.answers.values_list("pk", flat=True)
    return [
        page
        for pk in ids
        for page in (
            f"/admin/submissions/answer/{pk}/change/",
            f"/admin/judging/judgerun/{run}/answers/{pk}/",
        )
    ]


def log_in(page: Page) -> None:
    """As a superuser, by the form."""
    user = make_user(superuser=True, password="a passphrase of this test")
    page.goto("/admin/login/?next=/admin/")
    page.get_by_label("Username").fill(user.username)
    page.get_by_label("Password").fill("a passphrase of this test")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_page_keeps_the_policy_the_window_and_the_rules_of_accessibility(
    page_with: OpenPage, addresses: list[str], scheme: str, width: int
) -> None:
    page = page_with(color_scheme=scheme, viewport={"width": width, "height": 900})
    log_in(page)
    found: dict[str, Any] = {}
    for address in addresses:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        assert page.locator("h1").count() == 1, address
        # The policy first: to read sheets, axe adds styles of its own.
        found[address] = [page.evaluate("window.violations"), overflow(page), faults(page)]
    assert {address: what for address, what in found.items() if what != [[], 0, []]} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_way_in_has_a_heading_and_no_fault(page_with: OpenPage, scheme: str) -> None:
    page = page_with(color_scheme=scheme, viewport={"width": 390, "height": 900})
    page.goto("/admin/login/")
    assert page.get_by_role("heading", level=1).inner_text() == "Log in"
    assert (faults(page), overflow(page), page.evaluate("window.violations")) == ([], 0, [])


def test_a_long_text_scrolls_in_its_own_block_by_keyboard(page_with: OpenPage, addresses: list[str]) -> None:
    page = page_with(viewport={"width": 1280, "height": 900})
    log_in(page)
    page.goto(next(address for address in addresses if "/board/" in address))
    block = page.locator("pre.stored").first
    assert block.evaluate("b => b.scrollHeight > b.clientHeight && b.clientHeight < 600")
    block.focus()
    page.keyboard.press("End")
    until(lambda: block.evaluate("b => b.scrollTop") > 0)
