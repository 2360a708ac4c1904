"""Which request meets which fault, and what the endpoint can do at all."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

__all__ = ["Script"]


@dataclass(slots=True, kw_only=True)
class Script:
    """Faults by name (see ``faults.py``), tried in this order: ``at`` a request's number (from 1), ``next``
    (a queue), ``models`` by the model asked, ``containing`` a text in the prompt, ``rates`` by chance, ``always``.

    The other fields are what the endpoint is like: they last.
    """

    at: dict[int, str] = field(default_factory=dict)
    next: list[str] = field(default_factory=list)
    models: dict[str, str] = field(default_factory=dict)
    containing: dict[str, str] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    always: str = ""
    seed: int = 0
    delay_s: float = 0.0
    api_key: str = ""  # refuse others with 401
    served: str = ""  # serve under this name instead of the one asked
    refuses: list[str] = field(default_factory=list)  # parameters: temperature, max_tokens, json_schema, …
    images: str = "seen"  # or how they are refused: a name of faults.BLIND
    context_chars: int = 0  # a longer prompt is a context length error
    needs_tokens: int = 0  # a smaller cap is a length stop
    max_cap: int = 0  # a larger cap is a 400
    retry_after: str = "0.01"
    drip_s: float = 0.05  # between two bytes of a slow reply
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.at = {int(number): fault for number, fault in self.at.items()}
        self.chance = random.Random(self.seed)

    @classmethod
    def from_mapping(cls, source: Mapping[str, Any]) -> Self:
        """:raises TypeError: a field we do not have."""
        known = {item.name for item in fields(cls) if item.init}
        if unknown := set(source) - known:
            raise TypeError(f"unknown: {', '.join(sorted(unknown))}")
        return cls(**source)

    def fault(self, number: int, prompt: str, model: str = "") -> str:
        """The fault for a request, ``""`` for none."""
        if number in self.at:
            return self.at[number]
        if self.next:
            return self.next.pop(0)
        if model in self.models:
            return self.models[model]
        for text, fault in self.containing.items():
            if text in prompt:
                return fault
        return self._by_chance() or self.always

    def _by_chance(self) -> str:
        drawn = self.chance.random()
        for fault, rate in self.rates.items():
            drawn -= rate
            if drawn < 0:
                return fault
        return ""
