"""One spelling for every JSON value, so that equal content has an equal hash.

Canonical JSON here: UTF-8, keys sorted by code point, no white space, non-ASCII characters unescaped,
whole numbers without a fraction (``1.0`` is ``1``), no NaN and no infinities. For the values a bundle may
hold this is RFC 8785 but for the order of keys outside the Basic Multilingual Plane.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["canonical_json", "content_digest"]


def canonical_json(value: Any) -> bytes:
    """The canonical spelling of a JSON value.

    :raises ValueError: for NaN and infinities.
    """
    plain = _whole_numbers(value)
    return json.dumps(
        plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode()


def content_digest(value: Any) -> str:
    """SHA-256 of the canonical spelling, 64 hex digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole_numbers(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_numbers(entry) for entry in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
