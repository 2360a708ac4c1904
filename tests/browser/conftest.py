"""A real Chromium against a real server, under the policy that is served."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

ON_PATH = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_COUNT_VIOLATIONS = """
window.violations = [];
document.addEventListener('securitypolicyviolation', e => window.violations.push(e.effectiveDirective));
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs Chromium."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def _executable(playwright: Playwright) -> str:
    wanted = [os.environ.get("EVALSERVICE_CHROMIUM"), playwright.chromium.executable_path]
    wanted += [shutil.which(name) for name in ON_PATH]
    for path in wanted:
        if path and Path(path).exists():
            return path
    pytest.fail("No Chromium: run `make browser`, or leave these tests out with -m 'not browser'.")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """For the tests of one module: while it runs, Playwright's sync API keeps an event loop in this thread.

    Nothing else may start one there meanwhile, and Django would refuse its database calls beside it.
    """
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        environment.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        # Root cannot use Chromium's sandbox; these tests show it our own pages only.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=_executable(playwright), args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def context_with(chromium: Browser, live_server: Any) -> Iterator[Callable[..., BrowserContext]]:
    """Makes contexts whose pages open relative addresses and count what the policy refused."""
    contexts: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        context = chromium.new_context(base_url=live_server.url, **options)
        context.add_init_script(_COUNT_VIOLATIONS)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page_with(context_with: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """A page of a context with the given options."""
    return lambda **options: context_with(**options).new_page()
