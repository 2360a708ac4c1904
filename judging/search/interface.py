"""A search provider as the rest of judging knows it. Pure: what speaks to one is a module of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

__all__ = ["Fault", "Hit", "Provider", "ProviderName", "Results", "SearchFailed", "SearchRefused"]


class ProviderName(StrEnum):
    """Who is asked, as settings, rounds and stored replies name it."""

    OFF = "off"  # nobody
    SEARXNG = "searxng"
    SERPER = "serper"


@dataclass(frozen=True, slots=True)
class Hit:
    """One result, every field on one line and of bounded length; ``date`` as the provider gives it, "" for none."""

    title: str
    url: str
    snippet: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """What a provider found, the best first. None at all is a result too."""

    hits: tuple[Hit, ...] = ()


class Fault(StrEnum):
    """Why a query has no result. For operators; what it means for a claim is told by the verdict's code."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    REFUSED = "refused"  # this query, not the key
    REDIRECTED = "redirected"
    TOO_LARGE = "too_large"
    BROKEN = "broken"  # damaged on the way, or packed in a way that was not offered
    MALFORMED = "malformed"  # no reply of this protocol
    NO_ENGINE = "no_engine"  # nobody behind the provider answered
    HELD_DOWN = "held_down"  # not asked: so many before it had failed


class SearchFailed(Exception):
    """A query has no result; others may have. The text names neither the query nor the provider's address."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault = fault


class SearchRefused(Exception):
    """The provider answers no query until somebody acts; ``reason`` is the code of a state."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Provider(Protocol):
    """One way of searching. An instance serves one event loop; ``aclose`` is called at its end."""

    name: ProviderName

    async def search(self, query: str, *, limit: int) -> Results:
        """The first ``limit`` hits.

        :raises SearchFailed: there is no result for this query now.
        :raises SearchRefused: there will be none for any.
        """

    async def aclose(self) -> None: ...
