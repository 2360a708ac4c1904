"""The settings of the search among the system checks: what contradicts itself is told before work begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.checks import CheckMessage, Error

from judging.search.interface import ProviderName

__all__ = ["search_messages"]

HINT = "docs/search.md says what each provider needs."


def search_messages(config: Mapping[str, Any]) -> Iterator[CheckMessage]:
    """What is to be said of ``EVALSERVICE["SEARCH"]``; no message repeats address or key."""
    provider, url, key = config["provider"], config["url"], config["key"]
    if provider == ProviderName.OFF:
        if url or key or config["test_sets"]:
            yield _fault(
                "EVALSERVICE_SEARCH=off, but other settings of the search are given: name a provider."
            )
        return
    if provider == ProviderName.SEARXNG and not url:
        yield _fault("EVALSERVICE_SEARCH=searxng needs EVALSERVICE_SEARCH_URL.")
    if provider == ProviderName.SEARXNG and key:
        yield _fault("EVALSERVICE_SEARCH=searxng takes no EVALSERVICE_SEARCH_KEY.")
    if provider == ProviderName.SERPER and not key:
        yield _fault("EVALSERVICE_SEARCH=serper needs EVALSERVICE_SEARCH_KEY.")
    if key and not (key.isascii() and key.isprintable()):
        yield _fault("EVALSERVICE_SEARCH_KEY holds what no header may.")
    if url and not _is_address(url):
        yield _fault(
            "EVALSERVICE_SEARCH_URL: an address like http://search.internal:8080 is needed, "
            "without user, query or fragment."
        )


def _fault(why: str) -> CheckMessage:
    return Error(why, hint=HINT, id="evalservice.E013")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    return parts.scheme in {"http", "https"} and named and plain and url.isprintable() and " " not in url
