"""The settings of the search among the system checks: what contradicts itself is told before work begins."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.checks import CheckMessage, Error

from judging.search.interface import ProviderName

__all__ = ["search_messages"]

_PRIVATE_NAMES = (".internal", ".local", ".localhost", ".home.arpa")
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
    if url:
        yield from _of_address(url, key)


def _of_address(url: str, key: str) -> Iterator[CheckMessage]:
    if not _is_address(url):
        yield _fault(
            "EVALSERVICE_SEARCH_URL: an address like http://search.internal:8080 is needed, "
            "without user, query or fragment."
        )
    elif key and _is_in_clear(url):
        yield _fault(
            "EVALSERVICE_SEARCH_URL: https is needed, for the key would go through the internet in clear."
        )


def _is_in_clear(url: str) -> bool:
    """Whether an address without TLS leads out of the operator's own network, as far as can be told from it."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith(_PRIVATE_NAMES)


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
