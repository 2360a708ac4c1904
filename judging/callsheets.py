"""What a stored record says of the calls behind a finding: votes, models, tokens, cost, failures. Pure.

Records are as old as their verdicts: what one does not hold is empty or unknown, and nothing here fails over it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Call", "Failure", "Sheet", "read_sheet"]

_TOKENS = ("prompt", "cached", "completion", "reasoning")
_MOST = 1e15  # of tokens, seconds or dollars; a record that says more says nothing
_NO_FIELDS: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that gave no usable reply: its code, the HTTP status if there was one, seconds, and what was said."""

    error: str
    status: int | None
    seconds: float
    detail: str


@dataclass(frozen=True, slots=True)
class Call:
    """One question and all its attempts.

    ``vote`` counts from 1. ``cost_usd`` is None where the model had no price. ``finding`` is empty for what is no vote, and
    for votes of before they were told apart.
    """

    vote: int
    finding: str
    code: str
    page: str
    judge: str
    model_asked: str
    model_served: str
    prompt: str
    prompt_hash: str
    parameters: Mapping[str, Any]
    price_table: str
    finish_reason: str
    cached: bool
    truncated: bool
    attempts: int
    seconds: float
    tokens: Mapping[str, int]
    cost_usd: float | None
    failures: tuple[Failure, ...]

    @property
    def model(self) -> str:
        """Who replied, else who was asked, else which judge it was."""
        return self.model_served or self.model_asked or self.judge


@dataclass(frozen=True, slots=True)
class Sheet:
    """All calls behind one finding."""

    calls: tuple[Call, ...]

    @property
    def attempts(self) -> int:
        """Requests on the wire."""
        return sum(call.attempts for call in self.calls)

    @property
    def seconds(self) -> float:
        """Of all attempts, one after the other."""
        return sum(call.seconds for call in self.calls)

    @property
    def tokens(self) -> dict[str, int]:
        """Of all attempts, by kind; cached ones are part of the prompt's, reasoning ones of the completion's."""
        return {name: sum(call.tokens[name] for call in self.calls) for name in _TOKENS}

    @property
    def cost_usd(self) -> float | None:
        """None if the price of one call is not known."""
        costs = [call.cost_usd for call in self.calls if call.attempts]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) if len(known) == len(costs) else None

    @property
    def from_cache(self) -> int:
        """Calls that an earlier reply answered."""
        return sum(call.cached for call in self.calls)

    @property
    def failures(self) -> int:
        """Attempts that failed."""
        return sum(len(call.failures) for call in self.calls)


def read_sheet(record: Any) -> Sheet:
    """The calls of a record, as a verdict or an extraction keeps it."""
    calls = _fields(record).get("calls")
    return Sheet(tuple(_call(_fields(call)) for call in calls) if isinstance(calls, list) else ())


def _call(call: Mapping[str, Any]) -> Call:
    given = call.get("attempts")
    attempts = [_fields(one) for one in given] if isinstance(given, list) else []
    parameters = dict(_fields(call.get("parameters")))
    return Call(
        vote=_whole(call.get("sample")) + 1,
        finding=_text(call.get("finding")),
        code=_text(call.get("code")),
        page=_text(call.get("page")),
        judge=_text(call.get("judge")),
        model_asked=_text(call.get("model_asked")),
        model_served=_text(call.get("model_served")),
        prompt=_text(call.get("prompt_version")),
        prompt_hash=_text(call.get("prompt_hash")),
        price_table=_text(parameters.pop("price_table", "")),
        parameters=parameters,
        finish_reason=_text(call.get("finish_reason")),
        cached=call.get("cached") is True,
        truncated=call.get("truncated") is True,
        attempts=len(attempts),
        seconds=math.fsum(_number(one.get("latency_s")) or 0.0 for one in attempts),
        tokens=_tokens(attempts),
        cost_usd=_number(call.get("cost_usd")),
        failures=tuple(_failure(one) for one in attempts if one.get("error")),
    )


def _tokens(attempts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    usages = [_fields(one.get("usage")) for one in attempts]
    return {name: sum(_whole(usage.get(name)) for usage in usages) for name in _TOKENS}


def _failure(attempt: Mapping[str, Any]) -> Failure:
    status = _number(attempt.get("status"))
    return Failure(
        error=_text(attempt.get("error")),
        status=None if status is None else int(status),
        seconds=_number(attempt.get("latency_s")) or 0.0,
        detail=_text(attempt.get("detail")),
    )


def _fields(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else _NO_FIELDS


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    """None also for what no sum could hold: JSON bounds no whole number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if abs(value) <= _MOST else None


def _whole(value: Any) -> int:
    return int(_number(value) or 0)
