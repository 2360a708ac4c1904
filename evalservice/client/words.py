"""The service's codes and moments in words. A code that is not here is shown as it is."""

from __future__ import annotations

import datetime as dt

__all__ = ["MARKS", "WORDS", "moment", "told"]

WORDS = {
    # Why a submission stands where it does.
    "checks_missing": "some checks have no verdict",
    "rejudge": "it is judged again",
    "rejudge_incomplete": "it was judged again, incompletely; the scores it had stand",
    "resumed": "judging goes on after a pause",
    "no_progress": "judging failed again and again, by the service's fault",
    "paused_too_long": "nobody ended a pause in time, by the service's fault",
    "quota": "the judge's quota is used up; the operator must act",
    "auth": "the judge's endpoint refuses its key; the operator must act",
    "no_such_model": "the judge's endpoint lacks the model; the operator must act",
    "wrong_model": "another model serves than began the judging; the operator must act",
    "bad_request": "the judge's endpoint refuses every question; the operator must act",
    "search_quota": "the search provider's quota is used up; the operator must act",
    "search_auth": "the search provider refuses its key; the operator must act",
    "search_changed": "another search provider is configured than began the judging; the operator must act",
    "budget_submission": "judging it has cost what it may cost; the operator must act",
    "budget_day": "judging has cost what it may cost on one day; it goes on the next day (UTC)",
    # What judging left open.
    "no_answers": "there is nothing to score",
    "score_unknown": "a task's score hangs on verdicts that are missing",
    "errors_left": "checks failed by the service's fault and are tried again",
    "coverage_low": "fewer than 98 % of the checks have a verdict",
    # Why no board shows it, beyond its state.
    "awaiting_publication": "the next publication shows it",
    "not_distinguishable": "not better than the system's published result by more than chance",
    "flagged": "staff look at it",
    "withdrawn": "its team took it back",
    "fewer_runs": "it has fewer runs than the set asks for",
    "another_result_shown": "a better result of the same system stands there",
    "judged_differently": "by another judge, rubric or profile than the rest of the board",
}
MARKS = {
    "offline_judge": "offline judge, not for publication",
    "uncalibrated": "uncalibrated",
    "flagged": "flagged",
}


def told(code: str) -> str:
    """A code with what it means."""
    return f"{code}: {WORDS[code]}" if code in WORDS else code


def moment(text: str) -> str:
    """An instant of the service to the minute, in UTC; what is none stays as it is."""
    try:
        at = dt.datetime.fromisoformat(text)
    except ValueError:
        return text
    return at.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
