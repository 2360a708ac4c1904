"""Why a submission stands where it does: the closed list of codes, which its team and staff see. Pure."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["StateReason"]


class StateReason(StrEnum):
    """``state_reason`` of a submission, and the reason of each of its steps. What each means: ``docs/judging.md``."""

    CHECKS_MISSING = "checks_missing"
    REJUDGE = "rejudge"
    REJUDGE_INCOMPLETE = "rejudge_incomplete"
    RESUMED = "resumed"
    NO_PROGRESS = "no_progress"
    PAUSED_TOO_LONG = "paused_too_long"
    # The judge answers no question until somebody acts.
    QUOTA = "quota"
    AUTH = "auth"
    NO_SUCH_MODEL = "no_such_model"
    WRONG_MODEL = "wrong_model"
    BAD_REQUEST = "bad_request"
    # The search provider answers no query until somebody acts.
    SEARCH_QUOTA = "search_quota"
    SEARCH_AUTH = "search_auth"
    SEARCH_CHANGED = "search_changed"
    # Judging has cost what it may cost.
    BUDGET_SUBMISSION = "budget_submission"
    BUDGET_DAY = "budget_day"
