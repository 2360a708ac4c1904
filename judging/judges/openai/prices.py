"""What a call costs, by a dated table of prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judging.judges.base import Usage

__all__ = ["Price", "PriceTable"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. ``cached`` None: cached prompt tokens cost as much as others."""

    prompt: float
    completion: float
    cached: float | None = None

    def of(self, usage: Usage) -> float:
        """Reasoning tokens are part of the completion tokens and already counted there."""
        cached = min(usage.cached, usage.prompt)
        rate = self.prompt if self.cached is None else self.cached
        total = (usage.prompt - cached) * self.prompt + cached * rate + usage.completion * self.completion
        return total / _MILLION


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model name, with the version that verdicts remember."""

    version: str = ""
    prices: Mapping[str, Price] = field(default_factory=dict)

    def cost(self, model: str, usages: Iterable[Usage]) -> float | None:
        """Dollars for all attempts together; None if the model has no price."""
        price = self.prices.get(model)
        return None if price is None else sum((price.of(usage) for usage in usages), 0.0)
