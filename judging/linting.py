"""A task set read whole, tasks and pages: what ``lint`` shows is what an import takes or refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judging.case import key_or_none
from judging.pages.archive import INDEX, read_archive
from judging.pages.captures import Capture, PageVerdict
from judging.pages.doubts import doubts
from judging.rubric import Bundle, CascadeRubric, Fault, TreeRubric, named_urls, parse_rubric, read_bundle
from judging.rubric.faults import Severity

__all__ = ["SetReading", "read_set"]

_READABLE = frozenset(verdict.value for verdict in PageVerdict if verdict.readable)


@dataclass(frozen=True, slots=True)
class SetReading:
    """A bundle and its archived pages, or every fault of both; warnings may come with either."""

    bundle: Bundle | None
    captures: tuple[Capture, ...]
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


def read_set(files: Mapping[str, bytes]) -> SetReading:
    """Read a task set with its pages. Never raises, whatever the files hold.

    :param files: contents by POSIX path relative to the bundle's root.
    """
    reading, archive = read_bundle(files), read_archive(files)
    faults, warnings = [*reading.faults, *archive.faults], [*reading.warnings, *archive.warnings]
    for fault in _page_faults(reading.bundle, _index(files)) if reading.bundle else ():
        (faults if fault.severity is Severity.ERROR else warnings).append(fault)
    warnings += doubts(archive.captures)
    bundle = None if faults else reading.bundle
    return SetReading(bundle, archive.captures, tuple(faults), tuple(warnings))


def _index(files: Mapping[str, bytes]) -> dict[str, str]:
    """The verdict of every page that the index names, by page key; lines with faults are told by their reader."""
    verdicts: dict[str, str] = {}
    for line in files.get(INDEX, b"").removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        url = entry.get("url") if isinstance(entry, dict) else None
        key = key_or_none(url) if isinstance(url, str) else None
        if key:
            verdicts.setdefault(key, str(entry.get("verdict")))
    return verdicts


def _page_faults(bundle: Bundle, pages: Mapping[str, str]) -> Iterator[Fault]:
    """What the tasks name and the archive lacks: of references a fault, of other URLs a warning."""
    for task in bundle.tasks:
        file = f"tasks/{task.key}.yaml"
        rubric = parse_rubric(task.rubric, bundle.protocol)
        if isinstance(rubric, CascadeRubric):
            yield from _reference_faults(rubric, file, pages)
        elif pages:
            yield from _missing_pages(rubric, file, pages)


def _reference_faults(rubric: CascadeRubric, file: str, pages: Mapping[str, str]) -> Iterator[Fault]:
    """References come with the bundle: one without a readable page would leave every claim open for ever."""
    for subtask in rubric.subtasks:
        for facts in subtask.factuality:
            for url in facts.references if facts.claims is None else ():
                if pages.get(key_or_none(url) or "") not in _READABLE:
                    why = f"{url} is a reference, but {INDEX} has no readable page for it"
                    yield Fault(file, f"{subtask.id}/{facts.id}", why)


def _missing_pages(rubric: TreeRubric, file: str, pages: Mapping[str, str]) -> Iterator[Fault]:
    """Pages a tree speaks of: teams may cite them, and then nobody can look."""
    for path, url in named_urls(rubric):
        key = key_or_none(url)
        if key and key not in pages:
            yield Fault(file, path, f"names {url}, which {INDEX} does not have", Severity.WARNING)
