"""A small, valid task set of either protocol, commented, to begin from."""

from __future__ import annotations

import json
from collections.abc import Sequence

from judging.rubric.schema import CASCADE, TREE

__all__ = ["STARTER_ANSWER", "bundle_template"]

STARTER_ANSWER = "answers/alps/right.md"

_MANIFEST = """\
# The task set. Every key is described in docs/task-sets.md.
slug: {slug}
version: "1.0"            # in quotes; changed content needs a new version
title: {title}
protocol: {protocol}
split: dev                # dev: tasks and rubrics are public; test: held out, delivered sealed
runs: 1                   # answers a system gives to every task
licence: CC-BY-4.0
as_of: 2026-01-01         # the day the references were true
description: >-
  What the set asks, for whom, and how the tasks were chosen.
"""

_PROFILE = """\
# Scoring constants that depart from cascade/1 (see docs/task-sets.md):
# profile: {pass_at: 0.75}
"""

_TREE_TASK = """\
# The file's name is the task's key. The prompt is all a team sees; the rest of this file is hidden.
prompt: |
  Name the three highest mountains of the Alps. For each, give its height in metres and a link to a page
  that states it.
domain: geography
task_type: retrieval
time_varying: false
language: en
effort_minutes: 5

# Reference values for the templates below. Never shown to a team or to the extraction.
truth:
  names: [Mont Blanc, Dufourspitze, Nordend]
  lowest: 4600

# What to read out of the answer, as JSON Schema. The offline judge finds a field by its name, by x-labels (words an
# answer may use for it) or by x-pattern (how its value is written).
extract:
  mountains:
    instruction: >-
      List the mountains in the order of the answer: the name, the height in metres as a number, and the URLs
      cited for it.
    schema:
      type: object
      properties:
        items:
          type: array
          items:
            type: object
            properties:
              name: {type: string, x-labels: [Mountain, Name]}
              height: {type: number, x-pattern: '([0-9][0-9., ]*[0-9]) ?(?:m|metres|meters)\\b'}
              sources: {type: array, items: {type: string}}

# Critical children are gates: one that fails takes its parent to 0. The others earn the points.
tree:
  description: The three highest mountains with their heights
  for_each: {in: mountains.items, as: m, count: 3}   # always three slots; missing ones fail
  node:
    id: "mountain_{{ loop.index }}"
    children:
      - id: "mountain_{{ loop.index }}_given"
        critical: true
        assert: m.name and mountains.items | selectattr('name', 'eq', m.name) | list | length == 1
        error: incomplete.partial
      - id: "mountain_{{ loop.index }}_right"
        critical: true
        claim: "'{{ m.name }}' is the same mountain as one of: {{ truth.names }}"
        evidence: none                                # judged from task, answer and claim alone; values in quotes
      - id: "mountain_{{ loop.index }}_plausible"
        assert: m.height and m.height >= truth.lowest
        error: criteria_violation
      - id: "mountain_{{ loop.index }}_height"
        claim: "{{ m.name }} is {{ m.height }} metres high"
        sources: m.sources                            # one of these pages must support the claim
"""

_CASCADE_TASK = """\
# The file's name is the task's key. The prompt is all a team sees; the rest of this file is hidden.
prompt: |
  List the three highest mountains of the Alps with their heights and sources. Then recommend one place to stay
  for somebody who wants to climb two of them, and explain why.
domain: geography
task_type: analysis
time_varying: false
language: en
effort_minutes: 15

subtasks:
  - id: list
    title: The three mountains
    importance: P0                                # P0 is critical, then P1, P2
    instruction:                                  # facts and sound reasoning count only if these are met
      - id: three
        criterion: Names three different mountains of the Alps, each with a height in metres
    factuality:
      - id: heights
        criterion: The mountains and heights are right
        claims: auto                              # the claims the answer makes about this subtask
        evidence: [cited, reference]              # a reference that decides wins over cited pages
        references: [https://example.org/highest-mountains-of-the-alps]   # archived in pages/
  - id: stay
    title: Where to stay
    importance: P1
    instruction:
      - id: place
        criterion: Recommends a place to stay
    rationality:
      - id: follows
        criterion: Explains the place to stay by the massif that holds two of the mountains
"""

_REFERENCE = "https://example.org/highest-mountains-of-the-alps"
_PAGE = """\
<!doctype html>
<html lang="en">
<title>The highest mountains of the Alps</title>
<h1>The highest mountains of the Alps</h1>
<p>Mont Blanc is 4,806 metres high, the Dufourspitze 4,634 metres and the Nordend 4,609 metres. The Dufourspitze and
the Nordend stand in the massif of Monte Rosa.</p>
</html>
"""
_TASKS = {TREE: _TREE_TASK, CASCADE: _CASCADE_TASK}
_RIGHT = (("Mont Blanc", "4,806"), ("Dufourspitze", "4,634"), ("Nordend", "4,609"))
_WRONG = (("Matterhorn", "4,478"), ("Weisshorn", "4,506"), ("Dom", "4,545"))
_STAY = {
    "right": "Stay in Zermatt: I recommend this place because the Dufourspitze and the Nordend, two of the mountains, "
    "both stand in the massif of Monte Rosa.",
    "wrong": "Zermatt is nice.",
}


def _page_line() -> str:
    """The reference as ``pages/index.jsonl`` archives it."""
    line = {
        "url": _REFERENCE,
        "file": "alps.html",
        "verdict": "ok",
        "status": 200,
        "final_url": _REFERENCE,
        "content_type": "text/html; charset=utf-8",
        "fetched_at": "2026-01-01T00:00:00Z",
        "probe_ok": None,
        "chain": [],
    }
    return json.dumps(line) + "\n"


def _answer(protocol: str, name: str, mountains: Sequence[tuple[str, str]]) -> str:
    """An answer to the task, as a team would hand it in."""
    items = "\n".join(
        f"{number}. **{mountain}**\n   - Height: {height} m\n   - Source: [The highest mountains of the Alps]({_REFERENCE})"
        for number, (mountain, height) in enumerate(mountains, start=1)
    )
    stay = f"\n\n## Where to stay\n\n{_STAY[name]}" if protocol == CASCADE else ""
    return f"## The three mountains\n\nThe three highest mountains of the Alps are:\n\n{items}{stay}\n"


def bundle_template(protocol: str, slug: str) -> dict[str, bytes]:
    """The files of a starter set, by path relative to its root; it passes every check without a warning.

    Of its two answers the offline judge gives ``right.md`` 1 and ``wrong.md`` 0.

    :raises KeyError: for an unknown protocol.
    """
    manifest = _MANIFEST.format(slug=slug, title=slug.replace("-", " ").capitalize(), protocol=protocol)
    files = {
        "taskset.yaml": manifest + (_PROFILE if protocol == CASCADE else ""),
        "tasks/alps.yaml": _TASKS[protocol],
        "pages/index.jsonl": _page_line(),
        "pages/alps.html": _PAGE,
        STARTER_ANSWER: _answer(protocol, "right", _RIGHT),
        "answers/alps/wrong.md": _answer(protocol, "wrong", _WRONG),
    }
    return {path: text.encode() for path, text in files.items()}
