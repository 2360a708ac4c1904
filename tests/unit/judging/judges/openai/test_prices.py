"""What calls cost."""

from __future__ import annotations

import pytest

from judging.judges.base import Usage
from judging.judges.openai.prices import Price, PriceTable

TABLE = PriceTable("2026-05", {"m": Price(prompt=2.0, completion=8.0, cached=0.5), "plain": Price(1.0, 1.0)})


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("m", Usage(prompt=1_000_000), 2.0),
        ("m", Usage(prompt=1_000_000, cached=1_000_000), 0.5),
        ("m", Usage(prompt=1_000_000, cached=9_000_000), 0.5),
        ("m", Usage(completion=1_000_000, reasoning=900_000), 8.0),
        ("plain", Usage(prompt=500_000, cached=500_000), 0.5),
        ("m", Usage(), 0.0),
    ],
)
def test_tokens_have_their_price(model: str, usage: Usage, dollars: float) -> None:
    assert TABLE.cost(model, [usage]) == pytest.approx(dollars)


def test_every_attempt_is_paid() -> None:
    assert TABLE.cost("m", [Usage(prompt=1_000_000)] * 3) == pytest.approx(6.0)


def test_a_model_without_a_price_has_no_cost_not_a_zero() -> None:
    assert TABLE.cost("unknown", [Usage(1, 1)]) is None
