"""The providers there are. Apart from who decides which: only those who search load a client."""

from __future__ import annotations

from django.conf import settings

from judging.search.interface import Provider
from judging.search.searxng import SearXNG
from judging.search.serper import Serper

__all__ = ["make_provider"]


def make_provider() -> Provider:
    """The provider the settings name, for one event loop."""
    config = settings.EVALSERVICE["SEARCH"]
    if config["provider"] == SearXNG.name:
        return SearXNG(config["url"])
    return Serper(config["url"], config["key"])
