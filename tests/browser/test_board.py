"""The public pages in Chromium: policy, accessibility, width, keyboard, without JavaScript, on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from leaderboard.services import publish
from tests.factories import make_system, make_task_set, make_team
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db(transaction=True)
OpenPage = Callable[..., Page]
BOARD = "/leaderboards/briefings/1.0/"
TREE = "/leaderboards/expeditions/1.0/"
LONG = "A system whose name is long enough to need several lines on a telephone, and whose maker knows it"


@pytest.fixture(autouse=True)
def addresses() -> list[str]:
    """Both kinds of board with awkward rows; the addresses of every kind of page."""
    team = make_team(organisation="Institute for the Study of Very Long Organisation Names")
    cascade = cascade_set(tasks=6, slug="briefings", version="1.0", title="Briefings", description="Daily.")
    names = ("Meridian", LONG, "北极星", "Quicksilver", "W" * 120)
    systems = [make_system(team, name=name, version="2026-05-04", model="model-" * 10) for name in names]
    for number, system in enumerate(systems):
        values = [(number + task) % 4 + 1 for task in range(6)]
        listing = "flagged" if number == 3 else "listed"
        scored(cascade, values, system=system, listing=listing, details={"in_full": number != 1})
    scored(cascade, [1] * 6, state="incomplete", reasons=["score_unknown", "coverage_low"])
    document = publish(task_set=cascade, now=T0 + HOUR).document
    tree = make_task_set(
        protocol="rubric_tree", tasks=3, runs=2, slug="expeditions", version="1.0", title="Expeditions"
    )
    for system in systems[:3]:
        scored(tree, [1.0, 0.0, 0.5, 0.5, 0.25, 1.0], system=system, runs=2)
    publish(task_set=tree, now=T0 + HOUR)
    entry = f"/entries/{document['rows'][0]['id']}/"
    return [
        "/",
        BOARD,
        f"{BOARD}?columns=all&sort=minutes&q=e",
        f"{BOARD}?q=nobody",
        TREE,
        entry,
        "/method/",
        "/api/",
        "/none/",
    ]


def overflow(page: Page) -> int:
    """By how many pixels the page itself is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def faults(page: Page) -> list[Any]:
    """What axe finds wrong: rule and elements."""
    violations = Axe().run(page).response["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in violations]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_every_page_keeps_the_policy_the_window_and_the_rules_of_accessibility(
    page_with: OpenPage, addresses: list[str], scheme: str, width: int
) -> None:
    page = page_with(color_scheme=scheme, viewport={"width": width, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for address in addresses:
        page.goto(address)
        assert overflow(page) <= 0, address
        assert faults(page) == [], address
        assert page.evaluate("window.violations") == [], address
    assert [text for text in complaints if "404 (Not Found)" not in text] == []


def test_the_colours_follow_the_readers_scheme(page_with: OpenPage) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = page_with(color_scheme=scheme)
        page.goto(BOARD)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


def test_everything_works_without_javascript(page_with: OpenPage) -> None:
    page = page_with(java_script_enabled=False)
    page.goto(BOARD)
    page.get_by_role("searchbox", name="Search").fill("merid")
    page.get_by_role("button", name="Apply").click()
    assert page.locator("table.board tbody tr").count() == 1
    page.get_by_role("link", name="Clear").click()
    page.get_by_role("link", name="System").first.click()
    assert page.locator("th[aria-sort]").inner_text().startswith("System")
    page.get_by_role("link", name="All columns").click()
    assert page.get_by_role("columnheader", name="Licence").is_visible()
    page.get_by_role("link", name="Meridian").click()
    assert page.get_by_role("heading", level=1).inner_text().startswith("Meridian")


def test_the_keyboard_reaches_the_table_and_its_links(page_with: OpenPage) -> None:
    page = page_with(viewport={"width": 390, "height": 900})
    page.goto(BOARD)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]  # it has a box
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.getAttribute('role') || document.activeElement.tagName")
        )
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        if page.evaluate("!!document.activeElement.closest('tbody')"):
            break
    assert {"A", "INPUT", "SELECT", "BUTTON", "region"} <= reached
    page.keyboard.press("Enter")
    page.wait_for_url("**/entries/**")


def test_a_wide_table_scrolls_inside_its_region_and_keeps_the_names_in_sight(page_with: OpenPage) -> None:
    page = page_with(viewport={"width": 390, "height": 900})
    page.goto(BOARD)
    region = page.locator(".region").first
    assert region.evaluate("r => r.scrollWidth > r.clientWidth")
    region.evaluate("r => r.scrollLeft = 400")
    name = page.locator("tbody .c-system").first.bounding_box()
    assert name is not None
    assert 0 <= name["x"] < 390


def test_the_sheet_stays_small(page_with: OpenPage) -> None:
    page = page_with()
    with page.expect_response(lambda response: ".css" in response.url) as caught:
        page.goto(BOARD)
    assert 0 < len(caught.value.body()) <= 15_000


def test_on_paper_there_is_the_table_and_nothing_to_press(page_with: OpenPage) -> None:
    page = page_with()
    page.goto(BOARD)
    page.emulate_media(media="print")
    assert page.locator("table.board").first.is_visible()
    assert not page.locator("form").is_visible()
    assert not page.locator("nav").is_visible()


@pytest.mark.parametrize("address", [BOARD, TREE])
@pytest.mark.parametrize("width", [768, 390, 320])
def test_a_narrow_window_says_that_there_is_more_and_shows_it_without_scrolling_sideways(
    page_with: OpenPage, address: str, width: int
) -> None:
    page = page_with(java_script_enabled=False, viewport={"width": width, "height": 900})
    page.goto(f"{address}?sort=system")
    page.get_by_role("link", name="all columns, one below the other").click()
    assert page.get_by_role("columnheader").first.is_visible()
    assert page.locator("[aria-sort]").inner_text().startswith("System")
    for cell in page.get_by_role("row").nth(1).get_by_role("cell").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    assert page.get_by_role("row").nth(1).get_by_role("cell").count() >= 10
    assert page.locator("table.stack").get_by_role("rowheader").count() == len(
        page.locator("table.stack tbody tr").all()
    )
    assert not page.get_by_text("More columns lie to the right").is_visible()


def test_a_stacked_row_names_every_value(page_with: OpenPage) -> None:
    page = page_with(viewport={"width": 390, "height": 900})
    page.goto(f"{BOARD}?columns=all")
    headings = page.locator("table.stack thead th a").all_inner_texts()
    label = "c => getComputedStyle(c, '::before').content"
    labels = [cell.evaluate(label) for cell in page.locator("table.stack tbody tr").first.locator("td").all()]
    assert len(headings) == len(labels) + 1  # the system names itself
    for heading, shown in zip(headings[2:], labels[1:], strict=True):
        assert heading.split()[0] in shown


def test_a_wide_window_has_no_need_of_hints(page_with: OpenPage) -> None:
    page = page_with(viewport={"width": 1280, "height": 900})
    page.goto(BOARD)
    assert not page.locator(".hint").is_visible()
    page.goto(f"{BOARD}?columns=all")
    assert page.locator("table.stack td").first.evaluate("c => getComputedStyle(c).display") == "table-cell"
