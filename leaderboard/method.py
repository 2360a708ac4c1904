"""What the method page says, from the constants that are in force and those of the boards that stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from leaderboard import reading
from leaderboard.candidates import METHOD_KEYS
from leaderboard.metrics import CASCADE, MARKS, REASONS, metrics_of
from leaderboard.statistics import LEVEL

_PARTS = ("document__task_set", "document__method", "document__board")


def method_context() -> dict[str, Any]:
    """Protocols with their metrics, the rules of a board, and how each current board was judged."""
    policy = settings.EVALSERVICE
    return {
        "protocols": [
            {"name": "cascade", "metrics": metrics_of(CASCADE, runs=1, clustered=False)},
            {"name": "rubric tree", "metrics": metrics_of("rubric_tree", runs=3, clustered=False)},
        ],
        "level": f"{LEVEL * 100:g}",
        "min_coverage": f"{policy['MIN_COVERAGE'] * 100:g}",
        "blocked_days": policy["BLOCKED_DAYS"],
        "daily": policy["PUBLISH"] == "daily",
        "method_keys": [key.replace("_", " ") for key in METHOD_KEYS],
        "marks": MARKS.values(),
        "reasons": REASONS.values(),
        "boards": [_board(found) for found in reading.boards().values(*_PARTS)],
    }


def _board(found: Mapping[str, Any]) -> dict[str, Any]:
    method = found["document__method"]
    return {
        "task_set": found["document__task_set"],
        "board": found["document__board"],
        "method": method,
        "marks": [MARKS[mark] for mark in method["marks"]],
        "constants": sorted(_flat(method["constants"] or {})),
    }


def _flat(constants: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested constants as pairs of name and text."""
    pairs: list[tuple[str, str]] = []
    for name, value in constants.items():
        if isinstance(value, dict):
            pairs += _flat(value, f"{prefix}{name}.")
        else:
            pairs.append((f"{prefix}{name}", _text(value)))
    return pairs


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
