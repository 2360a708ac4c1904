"""What is wrong with a task set, said so that its author can mend it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

__all__ = ["Fault", "FaultList", "InvalidRubric", "Severity", "at", "quoted", "suggestion"]

_PLAIN_KEY = re.compile(r"[$\w-]+")
_SHOWN = 60  # characters of an author's value repeated in a reason


class Severity(StrEnum):
    """An error refuses the whole bundle; a warning is shown and does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to mend.

    ``file`` is relative to the bundle's root (empty for a stored rubric), ``path`` leads to the value,
    like ``tree.children[2].claim`` (empty for the whole file), ``reason`` says what to do.
    """

    file: str
    path: str
    reason: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """``file: path: reason`` on one line, whatever the author's text held."""
        text = f"{self.file}: {self.path or '(whole file)'}: {self.reason}"
        return "".join(character if character.isprintable() else " " for character in text)


class InvalidRubric(ValueError):
    """A rubric that does not hold what the format demands; ``faults`` is the complete list."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(
            "; ".join(f"{fault.path or '(whole rubric)'}: {fault.reason}" for fault in self.faults)
        )


@dataclass(slots=True)
class FaultList:
    """Collects the faults of one file, in the order in which they were found."""

    file: str
    errors: dict[Fault, None] = field(default_factory=dict)  # an ordered set: a file may have thousands
    warnings: dict[Fault, None] = field(default_factory=dict)

    def error(self, path: str, reason: str) -> None:
        """Note something that refuses the bundle, once for each place and reason."""
        self.errors.setdefault(Fault(self.file, path, reason))

    def warn(self, path: str, reason: str) -> None:
        """Note something the author should know, once for each place and reason."""
        self.warnings.setdefault(Fault(self.file, path, reason, Severity.WARNING))


def at(path: str, *steps: str | int) -> str:
    """The path some steps further down: ``at("tree", "children", 2)`` is ``tree.children[2]``."""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            path = f"{path}.{step}" if path else step
        else:
            path += f"[{quoted(step)}]"
    return path


def quoted(value: Any) -> str:
    """A value as JSON on one line, cut where it is long."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def suggestion(word: str, known: Iterable[str]) -> str:
    """`` (did you mean …?)`` if a known word looks like this one, else nothing."""
    close = get_close_matches(word, sorted(known), n=1, cutoff=0.7)
    return f" (did you mean {quoted(close[0])}?)" if close else ""
