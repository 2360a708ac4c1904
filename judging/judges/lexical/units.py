"""Units of measurement and currencies: folded word or sign → (dimension, size in its base unit)."""

from __future__ import annotations

from judging.judges.lexical.words import stem

__all__ = ["IMPLIED", "UNITS"]

_CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CNY", "CHF", "NOK", "SEK", "DKK", "INR", "KRW")

UNITS: dict[str, tuple[str, float]] = {
    "%": ("%", 1), "percent": ("%", 1), "per cent": ("%", 1), "percentage": ("%", 1), "prozent": ("%", 1),
    "‰": ("%", 0.1),
    "km": ("m", 1e3), "kilometer": ("m", 1e3), "kilometre": ("m", 1e3), "公里": ("m", 1e3), "キロ": ("m", 1e3),
    "m": ("m", 1), "meter": ("m", 1), "metre": ("m", 1), "米": ("m", 1), "メートル": ("m", 1), "masl": ("m", 1),
    "cm": ("m", 0.01), "centimeter": ("m", 0.01), "centimetre": ("m", 0.01), "mm": ("m", 1e-3),
    "mi": ("m", 1609.344), "mile": ("m", 1609.344), "ft": ("m", 0.3048), "foot": ("m", 0.3048),
    "feet": ("m", 0.3048), "inch": ("m", 0.0254),
    "kg": ("kg", 1), "kilogram": ("kg", 1), "公斤": ("kg", 1), "g": ("kg", 1e-3), "gram": ("kg", 1e-3),
    "tonne": ("kg", 1e3), "lb": ("kg", 0.45359237),
    "h": ("s", 3600), "hr": ("s", 3600), "hrs": ("s", 3600), "yrs": ("month", 12), "lbs": ("kg", 0.45359237), "hour": ("s", 3600), "min": ("s", 60), "minute": ("s", 60),
    "second": ("s", 1), "day": ("day", 1), "week": ("day", 7), "month": ("month", 1), "year": ("month", 12),
    "yr": ("month", 12),
    "$": ("USD", 1), "us$": ("USD", 1), "usd": ("USD", 1), "dollar": ("USD", 1), "美元": ("USD", 1),
    "€": ("EUR", 1), "eur": ("EUR", 1), "euro": ("EUR", 1), "欧元": ("EUR", 1),
    "£": ("GBP", 1), "gbp": ("GBP", 1), "¥": ("JPY", 1), "jpy": ("JPY", 1), "yen": ("JPY", 1), "円": ("JPY", 1),
    "元": ("CNY", 1), "cny": ("CNY", 1), "rmb": ("CNY", 1), "yuan": ("CNY", 1), "chf": ("CHF", 1),
    "nok": ("NOK", 1), "sek": ("SEK", 1), "dkk": ("DKK", 1), "inr": ("INR", 1), "₹": ("INR", 1),
    "₩": ("KRW", 1), "krw": ("KRW", 1),
    "°c": ("degC", 1), "℃": ("degC", 1), "celsius": ("degC", 1), "degree celsius": ("degC", 1), "degrees celsius": ("degC", 1), "degrees fahrenheit": ("degF", 1),
    "°f": ("degF", 1), "fahrenheit": ("degF", 1),
    "kb": ("byte", 1e3), "mb": ("byte", 1e6), "gb": ("byte", 1e9), "tb": ("byte", 1e12),
    "w": ("watt", 1), "kw": ("watt", 1e3), "mw": ("watt", 1e6), "gw": ("watt", 1e9),
    "ha": ("m2", 1e4), "hectare": ("m2", 1e4), "km²": ("m2", 1e6), "km2": ("m2", 1e6), "m²": ("m2", 1),
    "m2": ("m2", 1),
    "square metre": ("m2", 1), "square meter": ("m2", 1), "square kilometre": ("m2", 1e6), "sq km": ("m2", 1e6),
    "square kilometer": ("m2", 1e6), "sq. km": ("m2", 1e6), "sq m": ("m2", 1), "square mile": ("m2", 2589988.11), "人": ("person", 1),
}  # fmt: skip


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


# What a number says by its unit alone, as stems: dimension → words.
IMPLIED: dict[str, frozenset[str]] = {
    **dict.fromkeys(_CURRENCIES, _stems("price cost fee charge pay worth")),
    "m": _stems("high long wide deep distance measure stand"),
    "kg": _stems("weigh mass"),
    "s": _stems("last take duration time"),
    "m2": _stems("area cover"),
    "degC": _stems("temperature"),
    "degF": _stems("temperature"),
    "time": _stems("time"),
}
