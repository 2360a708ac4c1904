"""Canonical JSON and the hashes made of it: what is the same has the same key, on every machine. Pure.

Keys are sorted, separators are minimal, text is UTF-8 and NaN is refused, much as RFC 8785 asks.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["canonical", "digest"]


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
