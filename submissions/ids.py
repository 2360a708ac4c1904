"""Random public ids: what URLs and the API show instead of row numbers, which would count for a stranger."""

from __future__ import annotations

import secrets

# No vowels (no words by accident) and nothing that looks like something else.
ALPHABET = "23456789bcdfghjkmnpqrstvwxz"
LENGTH = 16


def public_id() -> str:
    """16 characters of a 27-letter alphabet: 76 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
