"""JSON lines, for those who read tasks with ``while read``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer


class JSONLinesRenderer(JSONRenderer):
    """One object a line. The view hands a list, or an object whose ``lines_field`` is one."""

    media_type = "application/x-ndjson"
    format = "jsonl"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The lines in UTF-8."""
        rows = data["tasks"]
        return b"".join(bytes(super(JSONLinesRenderer, self).render(row)) + b"\n" for row in rows)


class JSONLRenderer(JSONLinesRenderer):
    """The same under its other name."""

    media_type = "application/jsonl"
