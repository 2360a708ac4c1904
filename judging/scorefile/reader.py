"""Reading the values of a parsed line one by one, gathering every fault with its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from judging.scorefile.strict import Fault, below

Record = Mapping[str, Any]
_Choice = TypeVar("_Choice", bound=StrEnum)

DESCRIPTIVE = frozenset({"comment", "criterion", "description", "id", "name", "reason", "text", "title"})


@dataclass
class Reader:
    """Gathers what is wrong with a line. What its methods return counts only if there is no fault at the end."""

    faults: list[Fault] = field(default_factory=list)
    _missing: list[str] = field(default_factory=list)  # where an object should be: all below would be noise

    def fault(self, path: str, reason: str) -> None:
        """Something is wrong at ``path``."""
        if not any(path == gone or path.startswith(f"{gone}.") for gone in self._missing):
            self.faults.append(Fault(path, reason))

    def record(self, value: object, path: str, known: Iterable[str]) -> Record:
        """An object with no keys but ``known`` and descriptive ones."""
        if not isinstance(value, dict):
            self.fault(path, "must be an object")
            self._missing.append(path)
            return {}
        for name in value:
            if name not in DESCRIPTIVE and name not in known:
                self.fault(below(path, name), "is not known here")
        return value

    def items(self, record: Record, name: str, path: str) -> Sequence[tuple[str, object]]:
        """The members of a list with their paths; none if it is absent or null."""
        value = record.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.fault(below(path, name), "must be a list")
            return ()
        return [(f"{below(path, name)}[{index}]", item) for index, item in enumerate(value)]

    def key(self, record: Record) -> str | int:
        """The key of a line, given back as it came."""
        value = record.get("key")
        if isinstance(value, str | int) and not isinstance(value, bool):
            return value
        self.fault("key", "must be a text or a whole number")
        return ""

    def text(self, record: Record, name: str, path: str) -> str:
        """A text that must be there."""
        value = record.get(name)
        if isinstance(value, str):
            return value
        self.fault(below(path, name), "must be a text")
        return ""

    def flag(self, record: Record, name: str, path: str) -> bool:
        """true or false; false if absent."""
        value = record.get(name, False)
        if isinstance(value, bool):
            return value
        self.fault(below(path, name), "must be true or false")
        return False

    def required(self, record: Record, name: str, path: str, choices: type[_Choice]) -> _Choice:
        """One of ``choices``, which must be there."""
        value = record.get(name)
        if isinstance(value, str) and value in list(choices):
            return choices(value)
        self.fault(below(path, name), f"must be one of {', '.join(choices)}")
        return next(iter(choices))

    def choice(self, value: object, path: str, choices: type[_Choice]) -> _Choice | None:
        """One of ``choices``, or None for null."""
        if isinstance(value, str) and value in list(choices):
            return choices(value)
        if value is not None:
            self.fault(path, f"must be one of {', '.join(choices)}, or null")
        return None
