"""How amounts are written."""

from __future__ import annotations

import pytest

from judging.amounts import counted, money, seconds


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (None, "no price known"), (0.0, "$0"), (1234.5, "$1,234.50"), (0.01, "$0.01"), (0.00123, "$0.0012"),
        (0.00001, "below $0.0001"),
    ],
)  # fmt: skip
def test_money_that_is_not_known_is_never_nought(usd: float | None, written: str) -> None:
    assert money(usd) == written


def test_nouns_take_the_plural() -> None:
    assert (counted(1, "call"), counted(0, "call"), counted(1_204, "token")) == (
        "1 call",
        "0 calls",
        "1,204 tokens",
    )
    assert counted(2, "reply", "replies") == "2 replies"


def test_seconds_are_told_to_what_matters() -> None:
    assert (seconds(0.25), seconds(12.4), seconds(4_000)) == ("0.25 s", "12 s", "4,000 s")
