"""Judging one answer against a bundle's own pages, with the offline judge and without a database.

What an author sees while writing a rubric; the judge of the service may decide otherwise.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from judging.canonical import plain
from judging.cascade import ScoringProfile
from judging.case import AnswerWork, Case, Shot, Snapshot
from judging.citations import url_key
from judging.desk import Desk, Memory, Nowhere
from judging.judges.lexical import LexicalJudge
from judging.pages.captures import Capture
from judging.pages.pictures import shape_of
from judging.pipeline import judge_answer
from judging.results import AnswerResult
from judging.rubric import Bundle, TaskSpec, parse_rubric
from judging.scoring import CascadeResult

__all__ = ["preview", "told"]

MARGIN = "  "
WIDE = 13  # of the longest finding


def preview(
    *, bundle: Bundle, pages: Sequence[Capture], task: TaskSpec, answer: str, now: dt.datetime
) -> AnswerResult:
    """The result of one answer to one task, judged in full; pages the bundle lacks are errors, as always."""
    texts = {_sha256(page.text): page.text for page in pages}
    pictures = {hashlib.sha256(page.shot).hexdigest(): page.shot for page in pages if page.shot}
    found = {url_key(page.url): _snapshot(number, page) for number, page in enumerate(pages, start=1)}
    case = Case(
        profile_hash="",
        short_circuit=False,
        split=bundle.split,
        now=now,
        blocked_days=14,
        scoring=ScoringProfile.from_mapping(bundle.profile),
        pages=found,
        references=found,
        read=texts.__getitem__,
        collected_at=now,
        picture=lambda shot: pictures.get(shot.sha256),
    )
    desk = Desk(Memory(), LexicalJudge(), Nowhere())
    return asyncio.run(judge_answer(_work(bundle, task, answer), case, desk))


def _work(bundle: Bundle, task: TaskSpec, answer: str) -> AnswerWork:
    return AnswerWork(
        id=0,
        task=task.key,
        prompt=task.prompt,
        run=1,
        text=answer,
        sha256=_sha256(answer),
        seconds=None,
        cost_usd=None,
        rubric_id=0,
        rubric=parse_rubric(plain(task.rubric), bundle.protocol),
    )


def _snapshot(number: int, page: Capture) -> Snapshot:
    return Snapshot(
        id=number,
        url=page.url,
        final_url=page.final_url or "",
        verdict=page.verdict.value,
        status=page.status,
        probe_ok=page.probe_ok,
        static_only=page.static_only,
        text_sha256=_sha256(page.text),
        title=page.title,
        collected_at=page.fetched_at,
        characters=len(page.text),
        shot=_shot(page),
    )


def _shot(page: Capture) -> Shot | None:
    if not page.shot:
        return None
    shape = shape_of(page.shot)
    return Shot(hashlib.sha256(page.shot).hexdigest(), shape.media_type, shape.width, shape.height)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ------------------------------------------------------------------ telling it in a terminal
def told(result: AnswerResult) -> Iterator[str]:
    """The judged answer as lines; nothing in them can steer a terminal."""
    yield from (_printable(line) for line in _lines(result))


def _lines(result: AnswerResult) -> Iterator[str]:
    feedback = result.feedback
    yield _headline(result)
    if feedback["protocol"] == "rubric_tree":
        yield from map(_read, feedback["extracted"])
        yield from _node(feedback["tree"], MARGIN)
    elif feedback["protocol"] == "cascade":
        for subtask in feedback["subtasks"]:
            yield from _subtask(subtask)
    else:
        yield MARGIN + feedback["note"]


def _read(one: Mapping[str, Any]) -> str:
    """What was read out of the answer, or of a page, under a name."""
    if one["value"] is None:
        return f"{MARGIN}{one['name']}: {one['outcome']}, {one['reason']}"
    value = json.dumps(one["value"], ensure_ascii=False)
    return f"{MARGIN}{one['name']}: {value}{' (cut)' if one['cut'] else ''}"


def _headline(result: AnswerResult) -> str:
    score = f"score {_number(result.score)}"
    judged = f"{result.result.assessed} of {result.result.checks} checks judged"
    if not isinstance(result.result, CascadeResult):
        return f"{score}, {judged}"
    names = ("instruction", "factuality", "rationality")
    dimensions = ", ".join(f"{name} {_number(getattr(result.result, name))}" for name in names)
    return f"{score}, UserPref {_number(result.user_pref)}, {dimensions}, {judged}"


def _node(node: Mapping[str, Any], margin: str) -> Iterator[str]:
    name = node["id"] + (" (critical)" if node["critical"] else "")
    if "children" not in node:
        yield from _verdict(node.get("verdict"), name, node["description"], margin)
        return
    described = f": {node['description']}" if node["description"] else ""
    yield f"{margin}{_number(node['score'])} {node['status'] or 'unknown'}  {name}{described}"
    for child in node["children"]:
        yield from _node(child, margin + MARGIN)


def _subtask(subtask: Mapping[str, Any]) -> Iterator[str]:
    name = subtask["title"] or subtask["id"]
    worth = f"{_number(subtask['overall'])} {subtask['band'] or 'unknown'}"
    yield f"{MARGIN}{worth}  {subtask['importance']} {name}"
    for dimension in ("instruction", "rationality"):
        yield from _criteria(dimension, subtask[dimension])
    for rubric in subtask["factuality"]:
        extraction = rubric["extraction"]
        state = f", claims: {extraction}" if extraction else ""
        state += f", {rubric['extraction_reason']}" if extraction not in {None, "ok"} else ""
        yield f"{MARGIN * 2}factuality {rubric['id']}{state}"
        for claim in rubric["claims"]:
            yield from _verdict(claim, "", claim["statement"], MARGIN * 3)


def _criteria(dimension: str, criteria: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for one in criteria:
        yield from _verdict(one["verdict"], f"{dimension} {one['id']}", one["criterion"], MARGIN * 2)


def _verdict(verdict: Mapping[str, Any] | None, name: str, text: str, margin: str) -> Iterator[str]:
    if verdict is None:
        yield f"{margin}{'not reached':<{WIDE}}{name}"
        return
    said = verdict["statement"] or text
    yield f"{margin}{verdict['finding']:<{WIDE}}{': '.join(part for part in (name, said) if part)}"
    below = margin + " " * WIDE
    why = "; ".join(verdict[part] for part in ("code", "error_class", "reason") if verdict[part])
    if why:
        yield below + why
    for page in verdict["pages"]:
        state = page["finding"] or page["standing"]
        yield f"{below}{page['source']} {page['url']}: {page['verdict'] or 'not in the bundle'}, {state}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def _printable(line: str) -> str:
    return "".join(character if character.isprintable() else " " for character in line)
