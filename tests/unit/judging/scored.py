"""Scored answers to sum up."""

from __future__ import annotations

from typing import Any

from judging.scoring import CascadeResult, TreeResult


def tree(task: str = "a", run: int = 1, score: float | None = 1.0, **more: Any) -> TreeResult:
    """An answer to a task with a rubric tree, perfect unless told otherwise."""
    return TreeResult(task=task, run=run, score=score, **more)


def cascade(task: str = "a", run: int = 1, user_pref: int | None = 4, **more: Any) -> CascadeResult:
    """An answer to a task with a cascade, perfect unless told otherwise."""
    given: dict[str, Any] = {"instruction": 1.0, "factuality": 1.0, "rationality": 1.0, "overall": 1.0}
    return CascadeResult(task=task, run=run, user_pref=user_pref, **(given | more))
