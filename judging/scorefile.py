"""Score files: one task's verdicts a line as JSON, in either protocol. Pure: no Django, no settings.

``{"key": …, "protocol": "rubric_tree", "tree": {id, description, critical, mode, children | verdict}}`` or
``{"key": …, "protocol": "cascade", "subtasks": [{id, importance, instruction: [{verdict}],
factuality: [{claims: […]} | {verdict}], rationality: [{verdict}]}], "profile": {…}}``. A verdict or claim that
was not judged is null. Keys that only describe (:data:`DESCRIPTIVE`) may stand anywhere; any other unknown key
is refused, since a misspelt ``critical`` would change a score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from judging.cascade import (
    DEFAULT_PROFILE,
    Factuality,
    Finding,
    Importance,
    InvalidProfile,
    ScoringProfile,
    Subtask,
    cascade_faults,
    score_cascade,
)
from judging.tree import Mode, Node, Outcome, score_tree, tree_faults

__all__ = ["Fault", "Refused", "Scored", "score_lines"]

DESCRIPTIVE = frozenset({"comment", "criterion", "description", "id", "name", "reason", "text", "title"})
# What nests deeper than the JSON parser can follow is refused there; shorter trees are no trouble.
_ANY_DEPTH = 1_000_000
_BOM = b"\xef\xbb\xbf"

_Choice = TypeVar("_Choice", bound=StrEnum)
_Record = Mapping[str, Any]


class Fault(NamedTuple):
    """What is wrong on a line, and where: a path of JSON names, or ``tree:`` and a path of node ids."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A line that was scored: its number from 1, and the result as plain JSON, None for what is unknown."""

    line: int
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not scored, with all that is wrong with it."""

    line: int
    faults: tuple[Fault, ...]


def score_lines(lines: Iterable[bytes]) -> Iterator[Scored | Refused]:
    """Score a file line by line; empty lines count, but are passed over."""
    for number, raw in enumerate(lines, start=1):
        text = raw.removeprefix(_BOM) if number == 1 else raw
        if text.strip():
            yield _score_line(number, text)


def _score_line(number: int, raw: bytes) -> Scored | Refused:
    reader = _Reader()
    document = reader.parse(raw)
    result = None if reader.faults else _score(reader, document)
    if result is None or reader.faults:
        return Refused(number, tuple(reader.faults))
    return Scored(number, result)


def _score(reader: _Reader, document: object) -> dict[str, Any] | None:
    record = reader.record(document, "")
    protocol = reader.one_of(record, "protocol", "", _PROTOCOLS)
    key = reader.key(record)
    if reader.faults:
        return None
    scored = _PROTOCOLS[protocol](reader, record)
    return None if scored is None else {"key": key, **scored}


def _score_tree_record(reader: _Reader, record: _Record) -> dict[str, Any] | None:
    reader.only(record, "", {"key", "protocol", "tree"})
    root = reader.tree(record)
    if root is None:
        return None
    reader.faults += [Fault(f"tree:{path}", reason) for path, reason in tree_faults(root, max_depth=_ANY_DEPTH)]
    if reader.faults:
        return None
    score = score_tree(root)
    return {"score": score.score, "status": score.status}


def _score_cascade_record(reader: _Reader, record: _Record) -> dict[str, Any] | None:
    reader.only(record, "", {"key", "protocol", "subtasks", "profile"})
    profile = reader.profile(record)
    subtasks = [
        reader.subtask(item, f"subtasks[{index}]")
        for index, item in enumerate(reader.items(record, "subtasks", "", required=True))
    ]
    if not reader.faults:
        reader.faults += [Fault(f"subtasks:{name}", reason) for name, reason in cascade_faults(subtasks)]
    if reader.faults:
        return None
    score = score_cascade(subtasks, profile)
    return {
        "instruction": score.instruction,
        "factuality": score.factuality,
        "rationality": score.rationality,
        "overall": score.overall,
        "user_pref": score.user_pref,
    }


_PROTOCOLS: Mapping[str, Callable[[_Reader, _Record], dict[str, Any] | None]] = {
    "rubric_tree": _score_tree_record,
    "cascade": _score_cascade_record,
}


class _Odd(NamedTuple):
    """Stands in a parsed document where JSON was well-formed enough to read on, but must be refused."""

    reason: str


@dataclass
class _Reader:
    """Reads one line and gathers all that is wrong with it; what it returns counts only without faults."""

    faults: list[Fault] = field(default_factory=list)

    def fault(self, path: str, reason: str) -> None:
        self.faults.append(Fault(path.lstrip("."), reason))

    def parse(self, raw: bytes) -> object:
        try:
            document: object = json.loads(
                raw.decode("utf-8"),
                parse_constant=lambda name: _Odd(f"{name} is no number of JSON"),
                parse_float=_float,
                parse_int=_int,
                object_pairs_hook=_object,
            )
        except UnicodeDecodeError as error:
            return self.fault("", f"is not UTF-8 at byte {error.start}")
        except json.JSONDecodeError as error:
            return self.fault("", f"is not JSON: {error.msg} at character {error.pos + 1}")
        except RecursionError:
            return self.fault("", "is nested too deeply")
        self.faults += [Fault(path.lstrip("."), odd.reason) for path, odd in _odd_values(document)]
        return document

    def record(self, value: object, path: str) -> _Record:
        if isinstance(value, dict):
            return value
        self.fault(path, "must be an object")
        return {}

    def only(self, record: _Record, path: str, known: set[str]) -> None:
        for name in record.keys() - known - DESCRIPTIVE:
            self.fault(f"{path}.{name}", "is not known here")

    def items(self, record: _Record, name: str, path: str, *, required: bool = False) -> Sequence[object]:
        value = record.get(name, None if required else [])
        if isinstance(value, list):
            return value
        self.fault(f"{path}.{name}", "must be a list")
        return ()

    def key(self, record: _Record) -> str | int | None:
        value = record.get("key")
        if isinstance(value, str | int) and not isinstance(value, bool):
            return value
        return self.fault("key", "must be a text or a whole number")

    def text(self, record: _Record, name: str, path: str, default: str | None = None) -> str:
        value = record.get(name, default)
        if isinstance(value, str):
            return value
        self.fault(f"{path}.{name}", "must be a text")
        return ""

    def flag(self, record: _Record, name: str, path: str) -> bool:
        value = record.get(name, False)
        if isinstance(value, bool):
            return value
        self.fault(f"{path}.{name}", "must be true or false")
        return False

    def one_of(self, record: _Record, name: str, path: str, choices: Iterable[str]) -> str:
        value = record.get(name)
        if isinstance(value, str) and value in choices:
            return value
        self.fault(f"{path}.{name}", f"must be one of {', '.join(choices)}")
        return ""

    def choice(self, value: object, path: str, choices: type[_Choice]) -> _Choice | None:
        """A member of ``choices``; None stays None and is no fault."""
        if isinstance(value, str) and value in list(choices):
            return choices(value)
        if value is not None:
            self.fault(path, f"must be one of {', '.join(choices)}, or null")
        return None

    def verdict(self, item: object, path: str) -> Outcome | None:
        record = self.record(item, path)
        self.only(record, path, {"verdict"})
        return self._verdict(record, path)

    def _verdict(self, record: _Record, path: str) -> Outcome | None:
        if "verdict" not in record:
            return self.fault(path, "has no verdict")
        return self.choice(record["verdict"], f"{path}.verdict", Outcome)

    def verdicts(self, record: _Record, name: str, path: str) -> tuple[Outcome | None, ...]:
        items = self.items(record, name, path)
        return tuple(self.verdict(item, f"{path}.{name}[{index}]") for index, item in enumerate(items))

    # -- rubric trees
    def tree(self, record: _Record) -> Node | None:
        """The tree, read level by level: recursion would end long before the trees do."""
        records, paths, first_child = [self.record(record.get("tree"), "tree")], ["tree"], []
        for node, path in zip(records, paths, strict=True):  # both grow while they are walked
            first_child.append(len(records))
            for index, child in enumerate(self.items(node, "children", path)):
                paths.append(f"{path}.children[{index}]")
                records.append(self.record(child, paths[-1]))
        nodes: list[Node] = []
        for index in range(len(records) - 1, -1, -1):
            # ``nodes`` holds the later nodes, last one first.
            children = nodes[::-1][: 0]
            nodes.append(self.node(records[index], paths[index], tuple(children)))
        return nodes[-1]
