"""The two kinds of lines of a score file, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

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
from judging.scorefile.reader import Reader, Record
from judging.scorefile.strict import Fault, below, parse
from judging.tree import Mode, Node, Outcome, score_tree, tree_faults

_BOM = b"\xef\xbb\xbf"
_COMMON_KEYS = ("key", "protocol")
_NODE_KEYS = ("critical", "mode", "children", "verdict")
_SUBTASK_KEYS = ("importance", "instruction", "factuality", "rationality")


class _Protocol(StrEnum):
    RUBRIC_TREE = "rubric_tree"
    CASCADE = "cascade"


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
    """Score a file line by line; blank lines count, but are passed over."""
    for number, raw in enumerate(lines, start=1):
        text = raw.removeprefix(_BOM) if number == 1 else raw
        if text.strip():
            yield _score_line(number, text)


def _score_line(number: int, raw: bytes) -> Scored | Refused:
    document, faults = parse(raw)
    reader = Reader(faults)
    result = {} if faults else _score(reader, document)
    return Refused(number, tuple(reader.faults)) if reader.faults else Scored(number, result)


def _score(reader: Reader, document: object) -> dict[str, Any]:
    """The result of a line; empty if the reader has found a fault."""
    line = document if isinstance(document, dict) else {}
    key = reader.key(line)
    protocol = reader.required(line, "protocol", "", _Protocol)
    if reader.faults:
        return {}
    score = _tree_scores if protocol is _Protocol.RUBRIC_TREE else _cascade_scores
    return {"key": key, **score(reader, line)}


# -- rubric trees


def _tree_scores(reader: Reader, line: Record) -> dict[str, Any]:
    reader.record(line, "", (*_COMMON_KEYS, "tree"))
    root = _tree(reader, line.get("tree"))
    if not reader.faults:
        found = tree_faults(root, max_depth=None)
        reader.faults += [Fault(f"tree:{path}", reason) for path, reason in found]
    if reader.faults:
        return {}
    score = score_tree(root)
    return {"score": score.score, "status": score.status}


def _tree(reader: Reader, value: object) -> Node:
    """Read a tree level by level, then join it from its leaves: recursion would end before the trees do."""
    found = [("tree", value)]
    first_child: list[int] = []
    nodes: list[Node] = []
    for path, item in found:  # grows while it is walked
        record = reader.record(item, path, _NODE_KEYS)
        first_child.append(len(found))
        found.extend(reader.items(record, "children", path))
        nodes.append(_node(reader, record, path, is_leaf=len(found) == first_child[-1]))
    last_child = [*first_child[1:], len(found)]
    for index in range(len(nodes) - 1, -1, -1):
        children = nodes[first_child[index] : last_child[index]]
        nodes[index] = replace(nodes[index], children=tuple(children))
    return nodes[0]


def _node(reader: Reader, record: Record, path: str, *, is_leaf: bool) -> Node:
    if is_leaf and "verdict" not in record:
        reader.fault(path, "has neither children nor a verdict")
    return Node(
        id=reader.text(record, "id", path),
        critical=reader.flag(record, "critical", path),
        mode=reader.choice(record.get("mode"), below(path, "mode"), Mode) or Mode.PARALLEL,
        outcome=reader.choice(record.get("verdict"), below(path, "verdict"), Outcome),
    )


# -- cascades


def _cascade_scores(reader: Reader, line: Record) -> dict[str, Any]:
    reader.record(line, "", (*_COMMON_KEYS, "subtasks", "profile"))
    profile = _profile(reader, line)
    subtasks = [_subtask(reader, item, path) for path, item in reader.items(line, "subtasks", "")]
    if not reader.faults:
        reader.faults += [Fault(f"subtasks:{name}", reason) for name, reason in cascade_faults(subtasks)]
    if reader.faults:
        return {}
    score = score_cascade(subtasks, profile)
    return {
        "instruction": score.instruction,
        "factuality": score.factuality,
        "rationality": score.rationality,
        "overall": score.overall,
        "user_pref": score.user_pref,
    }


def _profile(reader: Reader, line: Record) -> ScoringProfile:
    source = line.get("profile", {})
    if not isinstance(source, dict):
        reader.fault("profile", "must be an object")
        return DEFAULT_PROFILE
    try:
        return ScoringProfile.from_mapping(source)
    except InvalidProfile as error:
        reader.fault(below("profile", error.name), error.reason)
        return DEFAULT_PROFILE


def _subtask(reader: Reader, item: object, path: str) -> Subtask:
    record = reader.record(item, path, _SUBTASK_KEYS)
    return Subtask(
        id=reader.text(record, "id", path),
        importance=reader.required(record, "importance", path, Importance),
        instruction=_verdicts(reader, record, "instruction", path),
        factuality=tuple(
            _factuality(reader, rubric, where) for where, rubric in reader.items(record, "factuality", path)
        ),
        rationality=_verdicts(reader, record, "rationality", path),
    )


def _verdicts(reader: Reader, record: Record, name: str, path: str) -> tuple[Outcome | None, ...]:
    return tuple(
        _verdict(reader, reader.record(rubric, where, ("verdict",)), where)
        for where, rubric in reader.items(record, name, path)
    )


def _verdict(reader: Reader, record: Record, path: str, *, absent_is_null: bool = False) -> Outcome | None:
    if "verdict" not in record and not absent_is_null:
        reader.fault(path, "has no verdict")
    return reader.choice(record.get("verdict"), below(path, "verdict"), Outcome)


def _factuality(reader: Reader, item: object, path: str) -> Factuality:
    record = reader.record(item, path, ("claims", "verdict"))
    if record.get("claims") is None:
        # Claims that are null were not judged; only where the key is absent a verdict has to be there.
        return Factuality(outcome=_verdict(reader, record, path, absent_is_null="claims" in record))
    if record.get("verdict") is not None:
        reader.fault(path, "has claims and a verdict")
    return Factuality(
        claims=tuple(
            reader.choice(claim, where, Finding) for where, claim in reader.items(record, "claims", path)
        )
    )
