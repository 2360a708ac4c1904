"""What a round of judging knows of searches. Pure data."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from judging.search.queries import queries_of

__all__ = ["Found", "query_hash"]


def query_hash(query: str) -> str:
    """By what a submission's results are found again."""
    return hashlib.sha256(query.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """``most``: queries for one claim. ``texts``: SHA-256 of a result's text by that of its query; None: it failed."""

    most: int
    texts: Mapping[str, str | None]

    def of(self, claim: str) -> dict[str, str | None]:
        """For every query of a claim the hash of what was found ("" for nothing), None where the search failed."""
        return {query: self.texts.get(query_hash(query)) for query in queries_of(claim, most=self.most)}
