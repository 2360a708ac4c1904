"""How a submission stands, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalservice.client.words import told

__all__ = ["standing"]

# The scores that --json does not need to be asked for.
HEADLINES = ("user_pref", "overall", "partial_completion", "success_rate", "reference_support", "coverage")
LISTED = 5  # missing answers
# What the state says already.
STATES = frozenset({"draft", "in_progress", "paused", "incomplete", "expired", "cancelled", "failed"})
MISSING = {"not_given": "no answer", "no_text": "no text in the answer"}


def standing(submission: Mapping[str, Any], *, briefly: bool) -> Iterator[str]:
    """Why it stands there, what is missing, its scores, and why no board shows it; ``briefly``: why alone."""
    reasons = [submission["state_reason"], *submission["incomplete_reasons"]]
    yield from (told(reason) for reason in reasons if reason)
    if briefly:
        return
    yield from _missing(submission["missing"])
    yield from _scores(submission["scores"] or {})
    unlisted = [one for one in submission["not_listed_because"] if one not in {*STATES, *reasons}]
    yield from (f"not on the board, {told(one)}" for one in unlisted)


def _missing(answers: list[dict[str, Any]]) -> Iterator[str]:
    for one in answers[:LISTED]:
        yield f"{MISSING.get(one['reason'], one['reason'])}: task {one['task']}, run {one['run']}"
    if len(answers) > LISTED:
        yield f"and {len(answers) - LISTED} more answers without text"


def _scores(scores: Mapping[str, Any]) -> Iterator[str]:
    values = {**scores, **scores.get("values", {})}  # on test sets as the board's row shows them
    for name in HEADLINES:
        if values.get(name) is not None:
            yield f"{name} {round(values[name], 3)}"
