"""How money, numbers and times are written for staff. Pure."""

from __future__ import annotations

__all__ = ["NO_PRICE", "counted", "money", "seconds"]

NO_PRICE = "no price known"
_CENT = 0.01


def money(usd: float | None) -> str:
    """US dollars; what is not known is never nought."""
    if usd is None:
        return NO_PRICE
    if usd == 0:
        return "$0"
    return f"${usd:,.2f}" if usd >= _CENT else f"${usd:.2g}" if usd >= _CENT**2 else "below $0.0001"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun, in the plural where it takes one: ``1,204 tokens``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def seconds(value: float) -> str:
    """Seconds, to what matters at their size."""
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
