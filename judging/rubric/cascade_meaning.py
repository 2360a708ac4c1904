"""What the shape of a cascade rubric cannot say: unique ids, and evidence that exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judging.cascade import Dimension
from judging.rubric.faults import FaultList, at

__all__ = ["check_cascade"]


def check_cascade(source: Mapping[str, Any], faults: FaultList) -> None:
    """Note every fault in a rubric of the protocol ``cascade``; its shape may have faults too."""
    _check_ids([(path, subtask) for path, subtask in _entries(source, "subtasks", "")], faults)
    _check_ids([(path, rubric) for path, _, rubric in _rubrics(source)], faults)
    for path, dimension, rubric in _rubrics(source):
        if dimension == Dimension.FACTUALITY:
            _check_evidence(path, rubric, faults)


def _entries(holder: Mapping[str, Any], key: str, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    entries = holder.get(key)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, Mapping):
            yield at(path, key, index), entry


def _rubrics(source: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, subtask in _entries(source, "subtasks", ""):
        for dimension in Dimension:
            for below, rubric in _entries(subtask, dimension.value, path):
                yield below, dimension.value, rubric


def _check_ids(entries: list[tuple[str, Mapping[str, Any]]], faults: FaultList) -> None:
    seen: dict[str, str] = {}
    for path, entry in entries:
        name = entry.get("id")
        if not isinstance(name, str):
            continue
        if name in seen:
            faults.error(
                at(path, "id"), f"{name!r} is the id of {seen[name]} already; ids are unique within a task"
            )
        seen.setdefault(name, path)


def _check_evidence(path: str, rubric: Mapping[str, Any], faults: FaultList) -> None:
    evidence = _texts(rubric.get("evidence")) if "evidence" in rubric else None
    references = _texts(rubric.get("references"))
    if evidence is None:
        evidence = {"cited", "reference"} if references else {"cited"}
    if "reference" in evidence and not references:
        faults.error(at(path, "evidence"), "has reference, but no references are given; list their URLs")
    if references and "reference" not in evidence:
        faults.error(at(path, "references"), "are given but not used; add reference to evidence")
    if isinstance(rubric.get("claims"), list):
        _check_unused(path, rubric, faults)
    elif not evidence & {"reference", "search"}:
        reason = "has neither reference nor search: a claim its cited page repeats counts as supported"
        faults.warn(at(path, "evidence"), reason)


def _check_unused(path: str, rubric: Mapping[str, Any], faults: FaultList) -> None:
    """Claims of the author's are facts the answer must state: no page is asked."""
    for key in ("evidence", "references"):
        if key in rubric:
            faults.warn(at(path, key), "has no effect: claims of yours are looked for in the answer itself")


def _texts(value: Any) -> set[str]:
    return {entry for entry in value if isinstance(entry, str)} if isinstance(value, list) else set()
