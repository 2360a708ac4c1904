"""What the queue calls: take an id, make one call. Running any of these twice does no harm."""

from __future__ import annotations

from django.utils import timezone

from judging.collecting import collect
from judging.scorekeeping import score_round
from judging.searching import search_slice
from judging.slices import judge_slice
from judging.turns import whose_turn
from submissions.driving import drive


def collect_pages(job_id: int) -> str:
    """Fetch what a submission cites."""
    return drive(job_id, collect)


def search_claims(job_id: int) -> str:
    """Search for the claims of one shard of answers, for one slice of time."""
    return drive(job_id, search_slice)


def judge_answers(job_id: int) -> str:
    """Judge one shard of answers, for one slice of time; which one is decided now."""
    return drive(whose_turn(job_id, now=timezone.now()), judge_slice)


def score_submission(job_id: int) -> str:
    """Turn the verdicts of a round into scores."""
    return drive(job_id, score_round)
