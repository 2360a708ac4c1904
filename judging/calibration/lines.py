"""One object of a file of labels, read value by value; every fault is gathered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["Line", "printable"]


class Line:
    """What its methods return counts only if ``faults`` is empty at the end."""

    def __init__(self, value: object, *, path: str = "") -> None:
        self.faults: list[str] = []
        self._path = f"{path}." if path else ""
        self._is_object = isinstance(value, dict)
        self.record: Mapping[str, Any] = value if isinstance(value, dict) else {}
        if not self._is_object:
            self.faults.append(f"{path}: must be an object" if path else "must be an object")

    def fault(self, reason: str) -> None:
        """Something is wrong; of what is no object that alone is told."""
        if self._is_object:
            self.faults.append(f"{self._path}{reason}")

    def known(self, names: Collection[str]) -> None:
        """There is nothing but these."""
        for name in self.record:
            if name not in names:
                self.fault(f"{name}: is not known here")

    def text(self, name: str, *, optional: bool = False, blank: bool = False) -> str:
        """A text that says something; "" where it is left out and may be.

        :param blank: it may be empty or white space.
        """
        if optional and name not in self.record:
            return ""
        value = self.record.get(name)
        if isinstance(value, str) and (blank or optional or value.strip()):
            return value
        self.fault(f"{name}: must be a text" + ("" if blank or optional else " that says something"))
        return ""

    def texts(self, name: str, count: int) -> tuple[str, ...]:
        """A list of so many texts that say something."""
        value = self.record.get(name)
        if isinstance(value, list) and len(value) == count and all(map(_says_something, value)):
            return tuple(value)
        self.fault(f"{name}: must be a list of {count} texts")
        return ("",) * count

    def choice(self, name: str, words: Mapping[Any, str], *, default: str | None = None) -> str:
        """What one of some words stands for; ``default`` where it is left out, if there is one."""
        if default is not None and name not in self.record:
            return default
        value = self.record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value in words:
            return words[value]
        self.fault(f"{name}: must be one of {', '.join(map(str, words))}")
        return next(iter(words.values()))


def printable(text: str) -> str:
    """What others wrote, on one line and without control characters."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def _says_something(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
