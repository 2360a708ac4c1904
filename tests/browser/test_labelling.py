"""Labelling in Chromium: every page by the rules, labels given by keyboard, without a script, and the comparison opened."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from django.utils import timezone
from playwright.sync_api import Page

from judging.labelling.studies import make_study
from judging.models import Label, LabelStudy, StudyNode, StudyOpening
from submissions.models import Answer
from tests.browser.test_admin import log_in
from tests.browser.test_board import faults, overflow
from tests.judging_factories import import_set, judged, lake_answer, tree_files

pytestmark = pytest.mark.django_db(transaction=True)
OpenPage = Callable[..., Page]
LONG = "W" * 100


@pytest.fixture
def study() -> LabelStudy:
    """A study of one answer, with long words."""
    # Judging runs its own event loop, which it cannot in the thread where Playwright keeps one.
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(prepared).result()


def prepared() -> LabelStudy:
    """It, judged and drawn."""
    try:
        judged(import_set(tree_files()), {"brume": lake_answer(999, 14, "brume")})
        study, _ = make_study(
            name="s", seed=1, size=5, answers=Answer.objects.all(), actor="test", now=timezone.now()
        )
        StudyNode.objects.update(finding="supported", reason=LONG * 3, quote=LONG * 3)
        StudyNode.objects.filter(pk=StudyNode.objects.earliest("pk").pk).update(statement=LONG * 5)
        return study
    finally:
        connections.close_all()


def looked_at(page: Page) -> list[object]:
    """What is wrong with a page."""
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert page.locator("h1").count() == 1
    # The policy first: to read sheets, axe adds styles of its own.
    return [page.evaluate("window.violations"), overflow(page), faults(page)]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_page_of_a_study_keeps_the_policy_the_window_and_the_rules_of_accessibility(
    page_with: OpenPage, study: LabelStudy, scheme: str, width: int
) -> None:
    page = page_with(color_scheme=scheme, viewport={"width": width, "height": 900})
    log_in(page)
    base = f"/admin/judging/labelstudy/{study.pk}"
    picked = Answer.objects.earliest("pk").pk
    found = {}
    for address in (
        "/admin/judging/labelstudy/",
        "/admin/judging/labelstudy/make/",
        f"/admin/judging/labelstudy/make/?of=answer&ids={picked}",
        f"{base}/change/",
        f"{base}/label/1/",
    ):
        page.goto(address)
        found[address] = looked_at(page)
    for _ in range(StudyNode.objects.count()):
        page.goto(f"{base}/label/")
        page.get_by_label("Not met").or_(page.get_by_label("Refuted:")).check()
        page.get_by_label("Note").fill(LONG)
        page.get_by_role("button", name="Save and next").click()
    found["done"] = looked_at(page)
    page.get_by_role("link", name="Compare with the judge").click()
    found["open"] = looked_at(page)
    page.get_by_role("button", name="Open the comparison").click()
    found["compare"] = looked_at(page)
    first = StudyNode.objects.earliest("pk").pk
    page.get_by_role("link", name=f"What was shown of check {first}", exact=True).click()
    found["check"] = looked_at(page)
    assert {name: what for name, what in found.items() if what != [[], 0, []]} == {}


def test_checks_are_labelled_by_keyboard_without_a_script(page_with: OpenPage, study: LabelStudy) -> None:
    page = page_with(java_script_enabled=False)
    log_in(page)
    count = StudyNode.objects.count()
    for number in range(1, count + 1):
        page.goto(f"/admin/judging/labelstudy/{study.pk}/label/")
        assert f"Check {number} of {count}" in page.title() or number > 1
        page.get_by_role("radio").first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        with page.expect_navigation():  # else the next address would cut it off
            page.keyboard.press("Enter")
    page.get_by_text(f"{count} of {count} labelled.").wait_for()
    assert list(Label.objects.values_list("verdict", flat=True)) == ["refuted"] * count
    page.get_by_role("link", name="Compare with the judge").click()
    page.get_by_role("button", name="Open the comparison").wait_for()
    assert not StudyOpening.objects.exists()
    page.get_by_role("button", name="Open the comparison").click()
    page.get_by_role("heading", name="Judge and people").wait_for()
    assert StudyOpening.objects.count() == 1
