"""Where the parts of an interval bar lie. Pure; coordinates follow from shown numbers alone.

Coordinates are texts: a number would be written as the reader's language writes it, and SVG knows no commas.

The page's policy forbids style attributes, so a bar is an inline SVG with plain coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.ranking import Metric

WIDTH = 120
MARGIN = 5  # keeps the dots at both ends inside
_TICKS = {(1.0, 4.0): (1.0, 2.0, 3.0, 4.0), (0.0, 1.0): (0.0, 0.25, 0.5, 0.75, 1.0)}


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the scale."""

    x: str
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """The scale of a metric, drawn once in the heading. ``line`` is where its marked value lies, if it has one."""

    left: str
    right: str
    ticks: tuple[Tick, ...]
    line: str
    line_meaning: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A value on the scale; without an interval ``low`` and ``high`` are empty."""

    x: str
    low: str
    high: str


def position(metric: Metric, shown: float) -> str:
    """The x coordinate of a shown value, to a tenth of a pixel."""
    low, high = _ends(metric)
    return f"{MARGIN + (shown - low) / (high - low) * (WIDTH - 2 * MARGIN):.1f}"


def _ends(metric: Metric) -> tuple[float, float]:
    return metric.low or 0.0, 1.0 if metric.high is None else metric.high


def axis(metric: Metric) -> Axis:
    """The scale of ``metric``."""
    low, high = _ends(metric)
    ticks = _TICKS.get((low, high), (low, high))
    return Axis(
        left=position(metric, low),
        right=position(metric, high),
        ticks=tuple(Tick(position(metric, tick), _label(metric, tick)) for tick in ticks),
        line="" if metric.line is None else position(metric, metric.line),
        line_meaning=metric.line_meaning,
    )


def _label(metric: Metric, value: float) -> str:
    return f"{value:g}" if (metric.high or 0) > 1 else f"{value * 100:g}"


def bar(metric: Metric, value: float, interval: tuple[float, float] | None) -> Bar:
    """The place of a shown value and its shown interval."""
    ends = [position(metric, end) for end in interval] if interval else ["", ""]
    return Bar(position(metric, value), *ends)
