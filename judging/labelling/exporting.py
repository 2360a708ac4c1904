"""A study as a file of labels that ``manage.py calibrate`` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judging.canonical import digest
from judging.labelling.comparing import Compared
from judging.labelling.showing import shown_of
from judging.models import StudyNode
from judging.pages.store import read_text

__all__ = ["exported"]


def exported(rows: Sequence[Compared]) -> Iterator[str]:
    """A line of JSON for each check of which people say something by more than half.

    A question that two answers share is given once. Pages are given whole, so that any profile can choose what it reads;
    several of one claim stand one below the other. Of what a search found only what was shown is given: the rest is
    hits that decide nothing.
    """
    seen: set[str] = set()
    for row in rows:
        if not row.people:
            continue
        line = _line(row)
        question = digest(
            [
                line.get(name)
                for name in ("claim", "criterion", "kind", "task", "answer", "page", "additional")
            ]
        )
        if question not in seen:
            seen.add(question)
            yield json.dumps(line, ensure_ascii=False)


def _line(row: Compared) -> dict[str, Any]:
    node = row.node
    task = node.of.answer.task
    line: dict[str, Any] = {"id": f"check-{node.pk}", "group": task.public_id, "task": task.prompt}
    line |= _question(node) | {"verdict": row.people}
    line |= {"additional": node.additional} if node.additional else {}
    return line | ({"adjudicated": row.adjudicated} if row.adjudicated else {})


def _question(node: StudyNode) -> dict[str, Any]:
    if node.pages:
        texts = "\n\n".join(map(_text, node.pages))
        first = node.pages[0]
        return {
            "claim": node.statement,
            "page": {"url": first["url"], "title": first["title"], "text": texts},
        }
    name = "claim" if node.kind == StudyNode.Kind.CLAIM else "criterion"
    return {name: node.statement, "kind": node.kind, "answer": node.of.answer.text}


def _text(page: Mapping[str, Any]) -> str:
    """What a judge may be given of a page."""
    return shown_of(page) if page["url"].startswith("search:") else read_text(page["sha256"])
