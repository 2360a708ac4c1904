"""SearXNG, the operator's own instance: its JSON API (``search.formats`` in its settings must hold ``json``)."""

from __future__ import annotations

from judging.search.asking import asked
from judging.search.hits import read_searxng
from judging.search.interface import ProviderName, Results
from submissions.egress import Service, ServiceLimits

__all__ = ["SearXNG"]

PATH = "/search"


class SearXNG:
    """Implements :class:`judging.search.interface.Provider`."""

    name = ProviderName.SEARXNG

    def __init__(self, url: str, *, limits: ServiceLimits | None = None) -> None:
        """``url``: of the instance, with or without ``/search``."""
        base = url.rstrip("/")
        self._service = Service(base if base.endswith(PATH) else base + PATH, limits=limits)

    async def search(self, query: str, *, limit: int) -> Results:
        """The first hits of the first page."""
        body = await asked(query, lambda: self._service.get({"q": query, "format": "json"}))
        return read_searxng(body, limit=limit)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._service.aclose()
