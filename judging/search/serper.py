"""Serper, or what speaks like it: a POST of JSON with the key in a header."""

from __future__ import annotations

from judging.search.asking import asked
from judging.search.hits import read_serper
from judging.search.interface import ProviderName, Results
from submissions.egress import Service, ServiceLimits

__all__ = ["URL", "Serper"]

URL = "https://google.serper.dev/search"


class Serper:
    """Implements :class:`judging.search.interface.Provider`."""

    name = ProviderName.SERPER

    def __init__(self, url: str, key: str, *, limits: ServiceLimits | None = None) -> None:
        """``url``: "" for Serper's own."""
        self._service = Service(url or URL, headers={"X-API-KEY": key}, limits=limits)

    async def search(self, query: str, *, limit: int) -> Results:
        """The first organic hits."""
        body = await asked(query, lambda: self._service.post({"q": query, "num": limit}))
        return read_serper(body, limit=limit)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._service.aclose()
