"""An ended round says the same after a later one has collected pages anew."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from judging.exporting import export_lines
from judging.models import CitedPage, JudgeRun, PageSnapshot, Verdict
from judging.pages.captures import PageVerdict
from judging.records import case_as_judged, load_record
from judging.rounds import forget_failures
from submissions.models import Submission
from tests.integration.judging.modelled import again
from tests.integration.judging.web import URLS, Web, cites, lakes
from tests.judging_factories import judged, run_jobs, scores_of, submit

pytestmark = pytest.mark.django_db(transaction=True)


def said(run: JudgeRun) -> tuple[list[bytes], Any]:
    """All that is shown of a run: its export, but for what is live, and the record of its answer."""
    run = JudgeRun.objects.select_related("submission__task_set", "submission__system__team", "profile").get(
        pk=run.pk
    )
    record = load_record(run, run.submission.answers.get(given=True).pk)
    lines = list(export_lines(run))
    return lines[1:], (record.result, sorted(record.verdicts), sorted(record.readings))


@pytest.fixture
def submission(web: Web) -> Submission:
    """One page could not be fetched; the other one bears the claims out."""
    web.verdicts[URLS[0]] = PageVerdict.NETWORK
    return judged(lakes(), cites(*URLS[:2]))


def test_a_round_says_the_same_before_and_after_pages_are_collected_anew(
    web: Web, submission: Submission
) -> None:
    (first,) = JudgeRun.objects.all()
    before = said(first)
    assert forget_failures(submission, now=timezone.now()) == 1
    assert said(first) == before
    web.verdicts.clear()
    again(submission)
    assert CitedPage.objects.filter(snapshot__verdict="ok").count() == 2
    assert said(first) == before
    second = JudgeRun.objects.latest("round")
    later = said(second)
    again(submission)
    assert said(second) == later != before
    assert said(first) == before


def test_a_score_that_rested_on_what_was_not_there_stays(web: Web) -> None:
    web.verdicts[URLS[0]] = PageVerdict.NETWORK
    submission = judged(lakes(), cites(URLS[0]))
    (first,) = JudgeRun.objects.all()
    before = said(first)
    assert scores_of(submission) == {"t0": None}
    web.verdicts.clear()
    again(submission)
    assert scores_of(submission) == {"t0": 1.0}
    assert said(first) == before


def test_a_page_that_no_verdict_names_is_as_it_was_when_the_round_began(
    web: Web, submission: Submission
) -> None:
    (first,) = JudgeRun.objects.all()
    pages = case_as_judged(first).pages
    web.verdicts.clear()
    again(submission)
    Verdict.objects.update(evidence=[])
    assert case_as_judged(first).pages == pages
    assert len(pages) == 2
    # Nothing of before the round is left: what there is today serves.
    PageSnapshot.objects.filter(fetched_at__lte=first.started_at).exclude(
        pk__in=CitedPage.objects.values("snapshot")
    ).delete()
    assert len(case_as_judged(first).pages) == 2


def test_a_page_that_was_not_there_is_not_there(submission: Submission) -> None:
    (first,) = JudgeRun.objects.all()
    gone, other = ({"url": url, "source": "cited", "snapshot": None} for url in (URLS[1], "no address"))
    Verdict.objects.update(evidence=[gone, other])
    assert len(case_as_judged(first).pages) == 1


def test_a_round_that_goes_on_sees_the_pages_of_today(web: Web) -> None:
    submission = submit(lakes(), cites(*URLS[:2]))
    run_jobs(submission, slices=1)
    (run,) = JudgeRun.objects.all()
    assert len(case_as_judged(run).pages) == 2
    CitedPage.objects.update(snapshot=None)
    assert case_as_judged(run).pages == {}
