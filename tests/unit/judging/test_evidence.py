"""The table of what a snapshot means for a check."""

from __future__ import annotations

import datetime as dt
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.cascade import Finding
from judging.evidence import PageFinding, Standing, combine, standing
from judging.models.pages import SNAPSHOT_VERDICTS
from judging.pages.captures import PageVerdict

FRESH = dt.timedelta(hours=1)
OLD = dt.timedelta(days=14)

TABLE = [
    # verdict, status, probe_ok, fresh, after 14 days
    ("ok", 200, None, Standing.READABLE, Standing.READABLE),
    ("partial", 200, None, Standing.READABLE, Standing.READABLE),
    ("not_found", 404, None, Standing.DEAD, Standing.DEAD),
    ("error_status", 410, None, Standing.DEAD, Standing.DEAD),
    ("malformed", None, None, Standing.DEAD, Standing.DEAD),
    ("denied", None, None, Standing.DEAD, Standing.DEAD),
    ("unsupported_type", 200, None, Standing.DEAD, Standing.DEAD),
    ("dead_host", None, True, Standing.DEAD, Standing.DEAD),
    ("dead_host", None, False, Standing.RETRY, Standing.BLOCKED_SETTLED),
    ("dead_host", None, None, Standing.RETRY, Standing.BLOCKED_SETTLED),
    ("soft_404", 200, None, Standing.REVIEW, Standing.REVIEW),
    ("parked", 200, None, Standing.REVIEW, Standing.REVIEW),
    ("empty", 200, None, Standing.REVIEW, Standing.REVIEW),
    ("too_large", 200, None, Standing.REVIEW, Standing.REVIEW),
    ("pdf_failed", 200, None, Standing.REVIEW, Standing.REVIEW),
    ("error_status", 500, None, Standing.REVIEW, Standing.REVIEW),
    ("challenge", 200, None, Standing.BLOCKED, Standing.BLOCKED_SETTLED),
    ("login_wall", 200, None, Standing.BLOCKED, Standing.BLOCKED_SETTLED),
    ("consent_wall", 200, None, Standing.BLOCKED, Standing.BLOCKED_SETTLED),
    ("blocked_status", 403, None, Standing.BLOCKED, Standing.BLOCKED_SETTLED),
    ("timeout", None, None, Standing.RETRY, Standing.BLOCKED_SETTLED),
    ("crashed", None, None, Standing.RETRY, Standing.BLOCKED_SETTLED),
    ("network", None, None, Standing.RETRY, Standing.BLOCKED_SETTLED),
]


@pytest.mark.parametrize(("verdict", "status", "probe_ok", "fresh", "later"), TABLE)
def test_each_row_of_the_table(
    verdict: str, status: int | None, probe_ok: bool | None, fresh: Standing, later: Standing
) -> None:
    facts = {"status": status, "probe_ok": probe_ok, "blocked_days": 14}
    assert standing(verdict, age=FRESH, **facts) is fresh  # type: ignore[arg-type]  # facts are of several types
    assert standing(verdict, age=OLD, **facts) is later  # type: ignore[arg-type]  # facts are of several types


def test_the_clock_settles_to_the_second() -> None:
    facts = {"status": 403, "probe_ok": None, "blocked_days": 14}
    just_before = OLD - dt.timedelta(seconds=1)
    assert standing("blocked_status", age=just_before, **facts) is Standing.BLOCKED  # type: ignore[arg-type]  # facts are of several types


def test_every_verdict_a_snapshot_can_have_is_in_the_table() -> None:
    assert {row[0] for row in TABLE} == set(SNAPSHOT_VERDICTS)


def test_the_database_knows_every_verdict_a_capture_can_have() -> None:
    assert {verdict.value for verdict in PageVerdict} <= set(SNAPSHOT_VERDICTS)


def page(finding: Finding | None = None, standing: Standing = Standing.READABLE) -> PageFinding:
    return PageFinding("https://a.example/", standing, finding)


COMBINED = [
    ([page(Finding.SUPPORTED), page(standing=Standing.RETRY)], Finding.SUPPORTED),
    ([page(Finding.SUPPORTED), page(Finding.REFUTED)], Finding.SUPPORTED),
    ([page(Finding.REFUTED), page(Finding.UNDECIDED)], Finding.REFUTED),
    ([page(Finding.REFUTED), page(standing=Standing.BLOCKED)], Finding.NOT_ASSESSED),
    ([page(Finding.REFUTED), page(standing=Standing.RETRY)], Finding.ERROR),
    ([page(Finding.NOT_ASSESSED), page(standing=Standing.RETRY)], Finding.ERROR),
    ([page(standing=Standing.DEAD), page(standing=Standing.BLOCKED_SETTLED)], Finding.UNDECIDED),
    ([page(standing=Standing.DEAD), page(standing=Standing.REVIEW)], Finding.NOT_ASSESSED),
    ([page(standing=Standing.OWN)], Finding.UNDECIDED),
    ([], Finding.UNDECIDED),
]


@pytest.mark.parametrize(("pages", "expected"), COMBINED)
def test_one_finding_from_all_pages_in_any_order(pages: list[PageFinding], expected: Finding) -> None:
    for order in permutations(pages):
        assert combine(order) is expected


FINDINGS = st.lists(
    st.builds(page, st.sampled_from([*Finding, None]), st.sampled_from(list(Standing))), max_size=6
)


@given(FINDINGS)
def test_a_supporting_page_more_never_hurts(pages: list[PageFinding]) -> None:
    assert combine([*pages, page(Finding.SUPPORTED)]) is Finding.SUPPORTED


@given(FINDINGS)
def test_a_dead_page_more_changes_nothing(pages: list[PageFinding]) -> None:
    assert combine([*pages, page(standing=Standing.DEAD)]) is combine(pages)
