"""How long a system worked on an answer is known only if it said when it began and when it ended."""

from __future__ import annotations

import datetime as dt

import pytest

from submissions.models import Answer

BEGAN = dt.datetime(2026, 5, 4, 23, 59, 30, tzinfo=dt.UTC)
ENDED = dt.datetime(2026, 5, 5, 0, 1, 0, 500_000, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("began", "ended", "seconds"),
    [(BEGAN, ENDED, 90.5), (BEGAN, None, None), (None, ENDED, None), (None, None, None), (BEGAN, BEGAN, 0.0)],
)
def test_the_seconds_of_an_answer(
    began: dt.datetime | None, ended: dt.datetime | None, seconds: float | None
) -> None:
    assert Answer(started_at=began, finished_at=ended).seconds == seconds
