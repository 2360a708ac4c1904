"""Feedback on answers to dev sets, as lines and rows for a terminal. The service's own words, in another order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["COLUMNS", "checks", "gates", "headline", "is_open", "read_out"]

COLUMNS = ("check", "finding", "asked", "why")
GOOD = frozenset({"met", "supported"})
NOT_REACHED = "not reached"
MAX_VALUE = 500  # characters of one value in a line; --json has more

Row = Mapping[str, Any]


def is_open(row: Row) -> bool:
    """Whether the service gives feedback on an answer."""
    return bool(row["result"] and row["result"]["feedback"])


def headline(row: Row) -> str:
    """The scores of an answer."""
    result, metrics = row["result"], row["result"]["metrics"] or {}
    told = [f"score {_number(result['score'])}"]
    if result["user_pref"] is not None:
        told.append(f"UserPref {result['user_pref']}")
    told += [
        f"{name} {_number(metrics[name])}"
        for name in ("instruction", "factuality", "rationality")
        if name in metrics
    ]
    if "checks" in metrics:
        told.append(f"{metrics['assessed']} of {metrics['checks']} checks assessed")
    if metrics.get("errors"):
        told.append(f"{metrics['errors']} to be repeated")
    return ", ".join(told)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"


def read_out(feedback: Row) -> Iterator[str]:
    """What was read out of the answer and of the pages it names, a line a name."""
    for one in feedback.get("extracted", ()):
        if one["value"] is None:
            yield f"read {one['name']}: {one['outcome']}, {one['reason']}"
            continue
        text = json.dumps(one["value"], ensure_ascii=False)
        yield f"read {one['name']}: {text[:MAX_VALUE]}{'…' if one['cut'] or len(text) > MAX_VALUE else ''}"


def gates(feedback: Row) -> Iterator[str]:
    """How the subtasks of a cascade fared, a line each."""
    for subtask in feedback.get("subtasks", ()):
        told = f"{subtask['id']} ({subtask['importance']}): {_number(subtask['overall'])}"
        band = f", {subtask['band']}" if subtask["band"] else ""
        shut = [
            name
            for name in ("factuality", "rationality")
            if subtask[name] and subtask[f"{name}_reached"] is False
        ]
        lost = f"; {' and '.join(shut)} not counted, since an instruction is not met" if shut else ""
        yield f"{told}{band}{lost}"


def checks(feedback: Row, *, everything: bool) -> Iterator[dict[str, str]]:
    """A row (:data:`COLUMNS`) for each check that is not met; with ``everything`` for all of them."""
    found = _of_node(feedback["tree"]) if "tree" in feedback else _of_subtasks(feedback.get("subtasks", ()))
    for row in found:
        if everything or row["finding"] not in {*GOOD, NOT_REACHED}:
            yield row


def _of_node(node: Row) -> Iterator[dict[str, str]]:
    if "children" in node:
        for child in node["children"]:
            yield from _of_node(child)
        return
    name = node["id"] + (" (critical)" if node["critical"] else "")
    yield _row(name, node["description"], node.get("verdict"))


def _of_subtasks(subtasks: Any) -> Iterator[dict[str, str]]:
    for subtask in subtasks:
        where = f"{subtask['id']} ({subtask['importance']})"
        for dimension in ("instruction", "rationality"):
            for one in subtask[dimension]:
                yield _row(f"{where} {dimension} {one['id']}", one["criterion"], one["verdict"])
        for rubric in subtask["factuality"]:
            yield from _of_facts(f"{where} factuality {rubric['id']}", rubric)


def _of_facts(name: str, rubric: Row) -> Iterator[dict[str, str]]:
    for claim in rubric["claims"]:
        yield _row(name, claim["statement"], claim)
    if rubric["claims"]:
        return
    if rubric["extraction"] == "ok":
        yield {
            "check": name,
            "finding": "no claims",
            "asked": rubric["criterion"],
            "why": "the answer makes none",
        }
    elif rubric["extraction"] is None:
        yield _row(name, rubric["criterion"], None)
    else:
        why = f"claims could not be listed: {rubric['extraction']}, {rubric['extraction_reason']}"
        yield {"check": name, "finding": "not_assessed", "asked": rubric["criterion"], "why": why}


def _row(name: str, asked: str, verdict: Row | None) -> dict[str, str]:
    if verdict is None:
        return {"check": name, "finding": NOT_REACHED, "asked": asked, "why": ""}
    said = [verdict[part] for part in ("error_class", "code", "reason") if verdict[part]]
    if verdict["finding"] not in GOOD:
        said += [_page(page) for page in verdict["pages"]]
    return {
        "check": name,
        "finding": verdict["finding"],
        "asked": verdict["statement"] or asked,
        "why": "; ".join(said),
    }


def _page(page: Row) -> str:
    seen = page["verdict"] or "not collected"
    return f"{page['source']} {page['url']}: {seen}, {page['finding'] or page['standing']}"
