"""What a team reads of a judged answer on a dev set: what was read out of it, what was found, and why. Pure.

Nothing here is for test sets. All of it is plain JSON of bounded size; whoever shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judging.cascade import CascadeScore, Finding, SubtaskScore
from judging.desk import Judgement, Reading
from judging.tree import Node, TreeScore

if TYPE_CHECKING:
    from judging.pipeline import SubtaskFindings

__all__ = ["blank_feedback", "bounded", "cascade_feedback", "tree_feedback"]

MAX_TEXT = 2_000  # characters of one text
MAX_VALUES = 500  # of one extraction, list items and fields together
MAX_ITEMS = 100  # of one list or mapping
MAX_LEVELS = 10

_MET_WORDS = {
    Finding.SUPPORTED: "met",
    Finding.REFUTED: "unmet",
    Finding.UNDECIDED: "unmet",
    Finding.NOT_ASSESSED: "not_assessed",
    Finding.ERROR: "error",
}


def blank_feedback() -> dict[str, Any]:
    """Of an answer that is not there."""
    return {"protocol": "blank", "note": "No answer was handed in."}


# ------------------------------------------------------------------ values
def bounded(value: Any) -> tuple[Any, bool]:
    """A JSON value without what goes beyond the limits, and whether anything did."""
    room = _Room()
    return room.fitted(value), room.cut


@dataclass(slots=True)
class _Room:
    """What is left for further values; ``cut`` once something was left out."""

    left: int = MAX_VALUES
    cut: bool = False

    def fitted(self, value: Any, level: int = 0) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            fields = self._first(list(value.items()), level)
            return {self._text(name): self.fitted(inner, level + 1) for name, inner in fields}
        if isinstance(value, list):
            return [self.fitted(item, level + 1) for item in self._first(value, level)]
        return value

    def _first(self, items: list[Any], level: int) -> list[Any]:
        room = min(MAX_ITEMS, self.left) if level < MAX_LEVELS else 0
        kept = items[:room]
        self.left -= len(kept)
        self.cut |= len(kept) < len(items)
        return kept

    def _text(self, text: str) -> str:
        self.cut |= len(text) > MAX_TEXT
        return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def _extracted(name: str, reading: Reading) -> dict[str, Any]:
    value, cut = bounded(reading.data)
    return {
        "name": name,
        "outcome": reading.outcome.value,
        "reason": _cut(reading.reason),
        "value": value,
        "cut": cut,
    }


# ------------------------------------------------------------------ verdicts
def _verdict(found: Judgement, finding: str) -> dict[str, Any]:
    pages = ("url", "source", "verdict", "standing", "finding")
    return {
        "finding": finding,
        "code": found.code,
        "error_class": found.error_class,
        "statement": _cut(found.statement),
        "reason": _cut(found.reason),
        "quote": _cut(found.quote),
        "pages": [{name: page[name] for name in pages} for page in found.evidence],
    }


def _check(found: Judgement) -> dict[str, Any]:
    """The verdict of a check that is met or not."""
    return _verdict(found, _MET_WORDS[found.finding])


# ------------------------------------------------------------------ rubric trees
def tree_feedback(
    root: Node, score: TreeScore, judgements: Mapping[str, Judgement], readings: Mapping[str, Reading]
) -> dict[str, Any]:
    """What was extracted, in the rubric's order, and the tree with a verdict at each leaf that was asked."""
    return {
        "protocol": "rubric_tree",
        "extracted": [_extracted(name, reading) for name, reading in readings.items()],
        "tree": _node(root, score, judgements),
    }


def _node(node: Node, score: TreeScore, judgements: Mapping[str, Judgement]) -> dict[str, Any]:
    own = score.nodes[node.id]
    shown: dict[str, Any] = {
        "id": node.id,
        "description": _cut(node.description),
        "critical": node.critical,
        "score": own.score,
        "status": own.status.value if own.status else None,
    }
    if node.children:
        shown["mode"] = node.mode.value
        shown["children"] = [_node(child, score, judgements) for child in node.children]
    elif node.id in judgements:
        shown["verdict"] = _check(judgements[node.id])
    return shown


# ------------------------------------------------------------------ cascades
def cascade_feedback(found: Sequence[SubtaskFindings], score: CascadeScore) -> dict[str, Any]:
    """Subtask by subtask: its criteria and claims with their verdicts."""
    parts = [_subtask(one, scored) for one, scored in zip(found, score.subtasks, strict=True)]
    return {"protocol": "cascade", "subtasks": parts}


def _subtask(found: SubtaskFindings, score: SubtaskScore) -> dict[str, Any]:
    spec = found.spec
    return {
        "id": spec.id,
        "title": spec.title,
        "importance": str(spec.importance),
        "factuality_reached": score.factuality_open,
        "rationality_reached": score.rationality_open,
        "overall": score.overall,
        "band": score.band.value if score.band else None,
        "instruction": [_criterion(c.id, c.criterion, found.instruction) for c in spec.instruction],
        "factuality": [_facts(rubric.id, rubric.criterion, found) for rubric in spec.factuality],
        "rationality": [_criterion(c.id, c.criterion, found.rationality) for c in spec.rationality],
    }


def _criterion(ident: str, text: str, judged: Mapping[str, Judgement]) -> dict[str, Any]:
    return {
        "id": ident,
        "criterion": text,
        "verdict": _check(judged[ident]) if ident in judged else None,
    }


def _facts(ident: str, text: str, found: SubtaskFindings) -> dict[str, Any]:
    reading = found.claims.get(ident)
    claims = found.factuality.get(ident, [])
    return {
        "id": ident,
        "criterion": text,
        "extraction": reading.outcome.value if reading else None,
        "extraction_reason": _cut(reading.reason) if reading else "",
        "claims": [_verdict(claim, claim.finding.value) for claim in claims],
    }
