"""Boards as CSV: ``?format=csv`` or ``Accept: text/csv``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from leaderboard.sheets import board_csv


class BoardCsvRenderer(BaseRenderer):
    """The same document as the JSON, flat."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """UTF-8, lines ending in CRLF."""
        return board_csv(data).encode()
