"""The files of a task set → the whole bundle, or every fault in all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from judging.canonical import digest
from judging.cascade import InvalidProfile, ScoringProfile
from judging.rubric.conformance import check_shape
from judging.rubric.faults import FaultList, at, quoted
from judging.rubric.parse import check_rubric
from judging.rubric.schema import CASCADE, PRIVATE_KEYS, PROTOCOLS, TREE
from judging.rubric.source import read_yaml
from judging.rubric.spec import Bundle, BundleReading, TaskSpec

__all__ = ["MANIFEST", "MAX_TASKS", "read_bundle"]

MANIFEST = "taskset.yaml"
MAX_TASKS = 1_000

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_SUFFIXES = (".yaml", ".yml")
_PASSENGERS = re.compile(
    r"(?:(?:pages|answers)/.*|(?:README|LICENSE|LICENCE|NOTICE|CHANGELOG|CITATION)(?:\.[A-Za-z]+)?)"
)
_DIGITS = re.compile(r"([0-9]+)")


def read_bundle(files: Mapping[str, bytes]) -> BundleReading:
    """Read a task set.

    ``files`` are the contents by path relative to the bundle's root (``taskset.yaml``,
    ``tasks/lineage.yaml``); ``pages/``, ``answers/`` and files like README and LICENSE are none of its business. Never
    raises, whatever the files hold.
    """
    return _Reader(files).read()


class _Reader:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.lists: list[FaultList] = []

    def read(self) -> BundleReading:
        manifest = self._manifest()
        tasks = {key: self._task(file, manifest.get("protocol")) for key, file in self._keys().items()}
        _check_positions(tasks.values())
        for task in tasks.values():
            _check_days(task, manifest)
        errors = tuple(fault for faults in self.lists for fault in faults.errors)
        warnings = tuple(fault for faults in self.lists for fault in faults.warnings)
        return BundleReading(None if errors else _bundle(manifest, tasks), errors, warnings)

    def _faults(self, file: str) -> FaultList:
        """A new list of faults; lists are told in the order they were opened."""
        self.lists.append(FaultList(file))
        return self.lists[-1]

    def _manifest(self) -> dict[str, Any]:
        faults = self._faults(MANIFEST)
        if MANIFEST not in self.files:
            faults.error("", "is missing: every task set has one at its root, beside the folder tasks")
            return {}
        data = self._data(MANIFEST, "taskset", faults)
        _check_delivery(data, faults)
        _check_profile(data, faults)
        return data

    def _data(self, file: str, definition: str, faults: FaultList) -> dict[str, Any]:
        """The mapping a file holds, its shape checked; empty if it holds none."""
        source = read_yaml(self.files[file], faults)
        if source is None and faults.errors:
            return {}
        doubtful = {fault.path for fault in faults.errors}
        shape = FaultList(file)
        check_shape(definition, source, shape)
        for fault in shape.errors:
            if fault.path not in doubtful:  # the reader has said what is wrong there
                faults.error(fault.path, fault.reason)
        return source if isinstance(source, dict) else {}

    def _keys(self) -> dict[str, str]:
        """Task files by key; what else lies in the bundle is told."""
        keys: dict[str, str] = {}
        for file in sorted(self.files, key=_natural):
            path = PurePosixPath(file)
            if path.parts[:1] != ("tasks",):
                if file != MANIFEST and not _PASSENGERS.fullmatch(file):
                    self._faults(file).warn("", "is no part of a task set and is left out")
            elif len(path.parts) == 2 and path.suffix in _SUFFIXES:
                self._add_key(path.stem, file, keys)
            else:
                self._faults(file).error("", "is no task file; tasks are tasks/<key>.yaml, without folders")
        if not 0 < len(keys) <= MAX_TASKS:
            self._faults("tasks").error("", f"holds {len(keys):,} tasks; a set has 1 to {MAX_TASKS:,}")
        return keys

    def _add_key(self, key: str, file: str, keys: dict[str, str]) -> None:
        same = [other for known, other in keys.items() if known.casefold() == key.casefold()]
        if not _KEY.fullmatch(key):
            reason = (
                "is no key for a task: letters, digits, _ and -, beginning with a letter or digit, at most 64"
            )
            self._faults(file).error("", f"{quoted(key)} {reason}")
        elif same:
            self._faults(file).error("", f"has the same key as {same[0]}; keys differ in more than case")
        else:
            keys[key] = file

    def _task(self, file: str, protocol: Any) -> _Task:
        faults = self._faults(file)
        if protocol not in PROTOCOLS:
            # Without the set's protocol a task is read as what it looks like, so that its faults show too.
            protocol = CASCADE if b"subtasks:" in self.files[file] else TREE
        data = self._data(file, f"{protocol}_task", faults)
        checked = check_rubric(_private(data, protocol), protocol, faults) if data else None
        return _Task(data, faults, checked.ready if checked else {})


class _Task(NamedTuple):
    source: dict[str, Any]
    faults: FaultList
    ready: Mapping[str, Any]


def _check_days(task: _Task, manifest: Mapping[str, Any]) -> None:
    as_of, until = _day(manifest.get("as_of")), _day(task.source.get("valid_until"))
    if as_of and until and until < as_of:
        task.faults.error("valid_until", f"{until} lies before the set's as_of, {as_of}")
    if task.source.get("time_varying") is True and "as_of" not in manifest:
        task.faults.warn("time_varying", f"is true, but {MANIFEST} gives no as_of: true as of which day?")


def _check_positions(tasks: Iterable[_Task]) -> None:
    seen: dict[Any, str] = {}
    for task in tasks:
        position = task.source.get("position")
        if not isinstance(position, int):
            continue
        if position in seen:
            task.faults.error("position", f"{position} is the position of {seen[position]} already")
        seen.setdefault(position, task.faults.file)


def _check_delivery(manifest: Mapping[str, Any], faults: FaultList) -> None:
    open_test = manifest.get("split") == "test" and manifest.get("delivery") == "open"
    if open_test and not manifest.get("delivery_reason"):
        reason = "open hands the prompts of a test set to every team; say why in delivery_reason, or leave delivery out"
        faults.error("delivery", reason)
    if not open_test and manifest.get("delivery_reason"):
        faults.warn("delivery_reason", "is only shown for a test set with open delivery")


def _check_profile(manifest: Mapping[str, Any], faults: FaultList) -> None:
    profile = manifest.get("profile")
    said = any(fault.path.startswith("profile") for fault in faults.errors)
    if said or not isinstance(profile, dict) or not profile:
        return
    if manifest.get("protocol") == TREE:
        faults.error(
            "profile", f"holds constants of the {CASCADE} protocol; {TREE} has none, so leave it out"
        )
        return
    constants = dict(profile)
    while problem := _profile_problem(constants):
        name, _, reason = problem.partition(": ")
        faults.error(at("profile", *name.split(".")), reason)
        # Without the constant that was wrong the next one shows.
        if constants.pop(name.split(".")[0], None) is None:
            return


def _profile_problem(constants: Mapping[str, Any]) -> str:
    try:
        ScoringProfile.from_mapping(constants)
    except InvalidProfile as problem:
        return str(problem)
    return ""


def _private(source: Mapping[str, Any], protocol: str) -> dict[str, Any]:
    return {key: source[key] for key in PRIVATE_KEYS[protocol] if key in source}


def _natural(text: str) -> tuple[list[tuple[int, str]], str]:
    """``task_2`` before ``task_10``; the text itself settles what is left."""
    parts = [(part, part.lstrip("0")) for part in _DIGITS.split(text.casefold())]
    return [(len(number), number) if _DIGITS.fullmatch(part) else (-1, part) for part, number in parts], text


def _day(value: Any) -> date | None:
    """The day a text names, None for what is not written like 2026-11-30."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return day if day and day.isoformat() == value else None


def _bundle(manifest: Mapping[str, Any], tasks: Mapping[str, _Task]) -> Bundle:
    sources = {key: task.source for key, task in tasks.items()}
    split = manifest["split"]
    return Bundle(
        slug=manifest["slug"],
        version=manifest["version"],
        title=manifest["title"],
        protocol=manifest["protocol"],
        split=split,
        delivery=manifest.get("delivery", "sealed" if split == "test" else "open"),
        delivery_reason=manifest.get("delivery_reason", "").strip(),
        runs=manifest.get("runs", 1),
        licence=manifest["licence"],
        profile=manifest.get("profile", {}),
        as_of=_day(manifest.get("as_of")),
        description=manifest.get("description", "").strip(),
        tasks=tuple(_tasks(tasks, manifest["protocol"])),
        content_hash=digest({"taskset": manifest, "tasks": sources}),
    )


def _tasks(tasks: Mapping[str, _Task], protocol: str) -> Iterable[TaskSpec]:
    """In order of the positions given; tasks without one follow in natural order of their keys."""
    ordered = sorted(tasks, key=lambda key: (tasks[key].source.get("position", float("inf")), _natural(key)))
    return (_spec(key, tasks[key], position, protocol) for position, key in enumerate(ordered, start=1))


def _spec(key: str, task: _Task, position: int, protocol: str) -> TaskSpec:
    source = task.source
    rubric = _private(source, protocol)
    return TaskSpec(
        key=key,
        prompt=source["prompt"].strip(),
        position=position,
        domain=source.get("domain", ""),
        subdomain=source.get("subdomain", ""),
        task_type=source.get("task_type", ""),
        time_varying=source.get("time_varying", False),
        language=source.get("language", "en"),
        effort_minutes=source.get("effort_minutes"),
        subset=tuple(source.get("subset", ())),
        cluster=source.get("cluster", ""),
        valid_until=_day(source.get("valid_until")),
        rubric=rubric,
        rubric_hash=digest({"protocol": protocol, "rubric": rubric}),
        ready=dict(task.ready),
    )
