"""What was put before a judge of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judging.pages.store import read_text
from judging.passages import GAP

__all__ = ["shown_of"]


def shown_of(page: Mapping[str, Any]) -> str:
    """Its passages, gaps marked.

    :param page: as a check of a study holds it.
    """
    text = read_text(page["sha256"])
    return f"\n{GAP}\n".join(text[start:end] for start, end in page["ranges"])
