"""A model at an endpoint: what it is called, and what was found out about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from judging.judges.openai.breaker import Breaker
from judging.judges.openai.ladder import Ladder

__all__ = ["Seat"]


@dataclass(slots=True, kw_only=True)
class Seat:
    """Who is asked. ``model`` is asked for; ``pinned`` is the name the endpoint must serve it under, "" until it replied.

    Mutable: the first reply pins. ``ladder`` and ``breaker`` may be shared by all who ask this model at this endpoint.
    """

    model: str
    pinned: str = ""
    ladder: Ladder = field(default_factory=Ladder)
    breaker: Breaker = field(default_factory=Breaker)
