"""Subtasks, rubrics and claims in few words."""

from __future__ import annotations

from collections.abc import Sequence

from judging.cascade import (
    CascadeScore,
    Dimension,
    Factuality,
    Finding,
    Importance,
    Subtask,
)
from judging.tree import Outcome

P0, P1, P2 = Importance
MET, UNMET, NOT_ASSESSED, ERROR = Outcome
SUPPORTED, REFUTED, UNDECIDED = Finding.SUPPORTED, Finding.REFUTED, Finding.UNDECIDED
UNKNOWN_CLAIMS = (Finding.NOT_ASSESSED, Finding.ERROR, None)
UNKNOWN = (NOT_ASSESSED, ERROR, None)
I, F, R = Dimension  # noqa: E741  # the letters of the rules


def claims(supported: int = 0, refuted: int = 0, undecided: int = 0, unknown: int = 0) -> Factuality:
    found = [SUPPORTED] * supported + [REFUTED] * refuted + [UNDECIDED] * undecided
    return Factuality(claims=(*found, *[Finding.NOT_ASSESSED] * unknown))


def subtask(
    importance: Importance,
    instruction: Sequence[Outcome | None] = (MET,),
    factuality: Sequence[Factuality] = (),
    rationality: Sequence[Outcome | None] = (),
    name: str = "",
) -> Subtask:
    return Subtask(
        name or f"{importance}", importance, tuple(instruction), tuple(factuality), tuple(rationality)
    )


def right(importance: Importance, name: str = "", factuality: bool = True) -> Subtask:
    """A subtask with everything right: one instruction, perhaps a claim, one rationality."""
    return subtask(importance, [MET], [claims(1)] if factuality else [], [MET], name)


def overalls(score: CascadeScore) -> list[float | None]:
    return [part.overall for part in score.subtasks]
