"""The providers there are. Apart from who decides which: only those who search load a client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from judging.search.interface import Provider, ProviderName
from judging.search.searxng import SearXNG
from judging.search.serper import Serper

__all__ = ["make_provider"]


_MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Provider]] = {
    ProviderName.SEARXNG: lambda config: SearXNG(config["url"]),
    ProviderName.SERPER: lambda config: Serper(config["url"], config["key"]),
}


def make_provider() -> Provider:
    """The provider the settings name, for one event loop.

    :raises KeyError: they name none.
    """
    config = settings.EVALSERVICE["SEARCH"]
    return _MAKERS[config["provider"]](config)
