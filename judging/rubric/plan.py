"""What is to be judged for one answer: a rubric tree with its loops unrolled and one check per leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judging.rubric.spec import Screenshot
from judging.tree import Node

__all__ = ["Assertion", "Check", "Claim", "Decision", "PageExtraction", "Plan", "Unknown"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an expression holds, and the ``reason`` why not; ``misfit``: the data does not fit it."""

    holds: bool
    reason: str = ""
    misfit: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """A leaf that code has decided already; ``misfit``: the data does not fit what the author wrote."""

    id: str
    holds: bool
    error_class: str | None
    expression: str
    reason: str = ""
    misfit: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement for the judge.

    ``sources`` None: no evidence is wanted. An empty tuple: sources are required and the answer gives
    none, which is *unmet* without a call. ``votes`` None: as the judge profile says.
    """

    id: str
    statement: str
    sources: tuple[str, ...] | None
    additional: str = ""
    votes: int | None = None
    screenshot: Screenshot = "never"


@dataclass(frozen=True, slots=True)
class PageExtraction:
    """Read ``schema`` from the page at ``url`` (None: the answer gives none), then ask :meth:`decide`."""

    id: str
    name: str
    instruction: str
    schema: Mapping[str, Any]
    url: str | None
    expression: str
    error_class: str | None
    rule: Callable[[Any], Decision] = field(compare=False, repr=False)

    def decide(self, data: Any) -> bool:
        """Whether the expression holds over what the page gave."""
        return self.decision(data).holds

    def decision(self, data: Any) -> Decision:
        """The same with the reason."""
        return self.rule(data)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A leaf that cannot be asked: it needs an extraction that failed. Not assessed, never unmet."""

    id: str
    reason: str


Check = Assertion | Claim | PageExtraction | Unknown


@dataclass(frozen=True, slots=True)
class Plan:
    """The tree with its loops unrolled and, by leaf id, what decides each leaf."""

    root: Node
    checks: Mapping[str, Check]
