"""What is wrong with a task set, said so that its author can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Fault", "InvalidRubric", "Severity"]


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
        """``file: path: reason`` on one line."""
        return f"{self.file}: {self.path or '(whole file)'}: {self.reason}"


class InvalidRubric(ValueError):
    """A rubric that does not hold what the format demands; ``faults`` is the complete list."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(
            "; ".join(f"{fault.path or '(whole rubric)'}: {fault.reason}" for fault in self.faults)
        )
