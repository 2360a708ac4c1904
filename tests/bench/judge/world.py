"""The bench's task set: trees of 50 nodes over pages of 100,000 characters, and what is true in them.

A page lists what stations recorded. An answer copies some of it, wrongly here and there; a tree asks for a source and the
right figure of each. Whoever shows the line of a station, in whatever prompt, gets the same verdict.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

__all__ = [
    "NODES",
    "TASKS",
    "answer_text",
    "bundle_files",
    "data_of",
    "page_text",
    "prompt_of",
    "schema",
    "statements",
    "url_of",
    "verdict_of",
]

TASKS = 150  # each run of the bench judges others: what was asked once is never asked again
SECTIONS = 7
PER_SECTION = 5  # claims, beside a gate that code decides
NODES = 1 + SECTIONS * (2 + PER_SECTION)  # 50
PAGE_CHARACTERS = 100_000
STATIONS = SECTIONS * PER_SECTION
WRONG = 5  # every fifth figure of an answer

_RECORDED = re.compile(r"Station (\S+) recorded (\d+) millimetres in 2025")
_GIVEN = re.compile(r"^- Station (\S+): (\d+) mm, \[source\]\((\S+)\)$", re.MULTILINE)
_WORDS = (
    "gauge",
    "valley",
    "weather",
    "ridge",
    "winter",
    "observer",
    "reading",
    "instrument",
    "autumn",
    "slope",
    "morning",
)


def name_of(task: int, station: int) -> str:
    """A station's name, different everywhere."""
    return f"T{task:03}S{station:03}"


def rain_of(task: int, station: int) -> int:
    """What it recorded, in millimetres."""
    return 300 + (task * 97 + station * 31) % 900


def url_of(task: int) -> str:
    """The page of a task."""
    return f"https://rain.example/region/{task:03}"


def page_text(task: int) -> str:
    """Records between paragraphs of no matter, :data:`PAGE_CHARACTERS` long."""
    filler = _filler(task)
    every = PAGE_CHARACTERS // STATIONS
    parts: list[str] = []
    for station in range(STATIONS):
        line = f"Station {name_of(task, station)} recorded {rain_of(task, station)} millimetres in 2025."
        parts.append(line)
        length = len(line) + 1
        while length < every:
            paragraph = next(filler)[: every - length]
            parts.append(paragraph)
            length += len(paragraph) + 1
    return "\n".join(parts)


def _filler(task: int) -> Iterator[str]:
    number = task
    while True:
        words = [_WORDS[(number * 7 + n * n) % len(_WORDS)] for n in range(40)]
        yield f"{' '.join(words).capitalize()} {number}."
        number += 1


def answer_text(task: int) -> str:
    """An answer that names every station, every fifth with a wrong figure."""
    lines = [
        f"- Station {name_of(task, n)}: {rain_of(task, n) + (n % WRONG == 0)} mm, [source]({url_of(task)})"
        for n in range(STATIONS)
    ]
    return "\n".join([f"Rain in region {task}:", "", *lines, ""])


def statements(task: int) -> list[str]:
    """The claims of a task's tree about :func:`answer_text`, in order."""
    return [_statement(name, int(rain)) for name, rain, _ in _GIVEN.findall(answer_text(task))]


def _statement(name: str, rain: int) -> str:
    return f"Station {name} recorded {rain} millimetres in 2025"


def data_of(answer: str) -> dict[str, Any]:
    """What an extraction finds in an answer."""
    return {
        "stations": [
            {"name": name, "rain": int(rain), "sources": [url]} for name, rain, url in _GIVEN.findall(answer)
        ]
    }


def verdict_of(statement: str, page: str) -> dict[str, str]:
    """The entry of a reply for a claim, its id left out."""
    asked = _RECORDED.search(statement)
    place = page.find(f"Station {asked[1]} recorded ") if asked else -1
    found = _RECORDED.match(page, place) if place >= 0 else None
    if asked is None or found is None:
        return {"reason": "Not on the page.", "quote": "", "relevance": "relevant", "verdict": "undecided"}
    word = "supported" if found[2] == asked[2] else "refuted"
    return {"reason": "The page has the figure.", "quote": found[0], "relevance": "relevant", "verdict": word}


def bundle_files() -> dict[str, bytes]:
    """The bundle to import."""
    manifest = {
        "slug": "rain", "version": "1.0", "title": "Rain", "protocol": "rubric_tree", "split": "dev", "licence": "CC0-1.0",
    }  # fmt: skip
    files = {"taskset.yaml": yaml.safe_dump(manifest).encode()}
    entries = []
    for task in range(TASKS):
        files[f"tasks/region-{task:03}.yaml"] = yaml.safe_dump(_task(task), sort_keys=False).encode()
        files[f"pages/{task:03}.txt"] = page_text(task).encode()
        entries.append(_entry(task))
    files["pages/index.jsonl"] = "".join(f"{json.dumps(entry)}\n" for entry in entries).encode()
    return files


def _entry(task: int) -> dict[str, Any]:
    return {
        "url": url_of(task), "file": f"{task:03}.txt", "verdict": "ok", "status": 200, "final_url": url_of(task),
        "content_type": "text/plain; charset=utf-8", "fetched_at": "2026-05-01T08:00:00Z", "probe_ok": None, "chain": [],
    }  # fmt: skip


def _task(task: int) -> dict[str, Any]:
    sections = [_section(section) for section in range(SECTIONS)]
    return {
        "prompt": prompt_of(task),
        "extract": {"found": {"instruction": "Stations with their figures and sources", "schema": schema()}},
        "tree": {"id": "region", "children": sections},
    }


def prompt_of(task: int) -> str:
    """What is asked."""
    return f"How much rain did the stations of region {task} record in 2025? Link the page for each."


def schema() -> dict[str, Any]:
    """What is read out of an answer."""
    station = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "rain": {"type": "integer"},
            "sources": {"type": "array", "items": {"type": "string", "format": "uri"}},
        },
    }
    return {"type": "object", "properties": {"stations": {"type": "array", "items": station}}}


def _section(section: int) -> dict[str, Any]:
    places = range(section * PER_SECTION, (section + 1) * PER_SECTION)
    gate = {"id": f"given-{section}", "critical": True, "assert": f"found.stations[{places[0]}].name"}
    return {"id": f"section-{section}", "children": [gate, *(_leaf(place) for place in places)]}


def _leaf(place: int) -> dict[str, Any]:
    station = f"found.stations[{place}]"
    return {
        "id": f"station-{place}",
        "claim": f"Station {{{{ {station}.name }}}} recorded {{{{ {station}.rain }}}} millimetres in 2025",
        "sources": f"{station}.sources",
    }
