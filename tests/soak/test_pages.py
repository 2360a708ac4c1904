"""Every public page in Chromium: four widths, both colour schemes, with JavaScript and without."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Error, Page

from tests.browser import conftest, test_board
from tests.browser.test_board import faults, overflow
from tests.soak.conftest import Report

# Fixtures of the browser tests, known here by their names.
chromium, context_with, page_with, addresses = (
    conftest.chromium, conftest.context_with, conftest.page_with, test_board.addresses,
)  # fmt: skip
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

WIDTHS = (1280, 768, 390, 320)
SCHEMES = ("light", "dark")
# Pages of the site that the board's own tests do not open, and queries readers come with.
MORE = ("/leaderboards/expeditions/1.0/?columns=all", "/leaderboards/expeditions/1.0/?sort=system&dir=desc",
        "/leaderboards/nowhere/9/", "/entries/nobody/")  # fmt: skip


class Window:
    """A page of some width and scheme, and what its console said.

    Without JavaScript axe could not run either: it looks at a second page, whose own scripts never arrive.
    """

    def __init__(self, page_with: Callable[..., Page], *, script: bool, **options: Any) -> None:
        self.script = script
        self.page = page_with(java_script_enabled=script, **options)
        self.complaints: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", self._raised)
        self._examined = self.page
        if not script:
            self._examined = page_with(**options)
            self._examined.route("**/*.js", lambda route: route.abort())

    def _said(self, message: ConsoleMessage) -> None:
        self.complaints.append(message.text)

    def _raised(self, error: Error) -> None:
        self.complaints.append(str(error))

    def look_at(self, address: str) -> None:
        """Width, accessibility and policy of one page."""
        self.page.goto(address)
        assert overflow(self.page) <= 0, address
        if self.script:  # without it the page cannot count; the console tells of violations in any case
            assert self.page.evaluate("window.violations") == [], address
        else:
            self._examined.goto(address)
        assert faults(self._examined) == [], address

    def close(self) -> None:
        """Give the pages back; nothing may have been said but what a missing page says."""
        assert [text for text in self.complaints if "404 (Not Found)" not in text] == []
        for page in {self.page, self._examined}:
            page.close()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no_script"])
def test_every_public_page_in_every_window(
    page_with: Callable[..., Page], addresses: list[str], script: bool, report: Report
) -> None:
    begun = time.monotonic()
    places = [*addresses, *MORE]
    for width, scheme in itertools.product(WIDTHS, SCHEMES):
        size = {"width": width, "height": 900}
        window = Window(page_with, script=script, color_scheme=scheme, viewport=size)
        for address in places:
            window.look_at(address)
        window.close()
    windows = len(WIDTHS) * len(SCHEMES)
    report(test="pages", javascript=script, windows=windows, addresses=len(places), views=windows * len(places),
           seconds=round(time.monotonic() - begun))  # fmt: skip
