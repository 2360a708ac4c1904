"""Canonical JSON and the hashes made of it: what is the same has the same key, on every machine. Pure.

Keys are sorted, separators are minimal, text is UTF-8 and NaN is refused, much as RFC 8785 asks.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import is_dataclass
from typing import Any

__all__ = ["canonical", "digest", "plain", "storable"]

_BROKEN = re.compile("[\x00\ud800-\udfff]")
_WHOLE = 1e16  # from here on a float is written with an exponent, and read back from a database as an integer


def canonical(value: Any) -> bytes:
    """``value`` as canonical JSON.

    :raises ValueError: NaN or an infinity is in it.
    :raises TypeError: something that JSON cannot say is in it.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def storable(text: str) -> str:
    """``text`` as every database takes it: NUL and lone surrogates become U+FFFD."""
    return _BROKEN.sub("\ufffd", text)


def plain(value: Any) -> Any:
    """A JSON value exactly as any database gives it back: keys in order, text storable, lists for tuples, dataclasses as
    dictionaries of their fields.

    What was judged and what is replayed from the database must be the same to the last digit.
    """
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        items = {storable(key): plain(item) for key, item in value.items()}
        return {key: items[key] for key in sorted(items)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in sorted(value.__dataclass_fields__)}
    if isinstance(value, float):
        return int(value) if abs(value) >= _WHOLE else value + 0.0  # no database keeps the sign of a zero
    return value
