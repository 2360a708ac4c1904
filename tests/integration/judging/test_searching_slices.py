"""Slices of the search stage: what they give back, and which hits decide nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.utils import timezone

from judging import searching
from judging.models import JudgeRun, SearchReply
from judging.tasks import search_claims
from submissions.driving import WorkPaused
from submissions.leases import acquire
from submissions.models import Job, Submission
from submissions.queue.draining import drain
from tests.judging_factories import import_set, run_jobs, submit
from tests.provider import SearchProvider, hit
from tests.searched import CLAIM, DEPTH, acts, on_the_law, searched_files, searching_job

pytestmark = pytest.mark.django_db(transaction=True)


# ------------------------------------------------------------------ slices
def test_a_slice_that_is_over_gives_the_rest_to_the_next(provider: SearchProvider, settings: Any) -> None:
    job = searching_job(*acts(6))
    lease = acquire(job.pk)
    assert lease is not None
    run = JudgeRun.objects.get()
    queries = [claim.rstrip(".") for claim in acts(6)]
    assert searching.search_all(lease, run, queries, ends=0.0) == "more"
    lease.stop.set()
    assert searching.search_all(lease, run, queries, ends=0.0) == "stopped"
    assert provider.queries == []


def test_a_worker_that_is_to_end_asks_nothing_more(provider: SearchProvider) -> None:
    job = searching_job()
    drain()
    try:
        assert search_claims(job.pk) == "more"
    finally:
        drain(False)
    assert provider.queries == []


def test_a_slice_that_raises_gives_its_queries_back(
    provider: SearchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = searching_job()
    with monkeypatch.context() as patch:
        patch.setattr(searching, "attach", lambda *args: 1 / 0)
        assert search_claims(job.pk) == "again later"
    row = SearchReply.objects.get()
    assert (row.asked_at, row.claimed_until) == (None, None)
    Job.objects.filter(pk=job.pk).update(not_before=None)
    assert search_claims(job.pk) == "done"


def test_a_submission_that_is_cancelled_meanwhile_is_not_judged(provider: SearchProvider) -> None:
    job = searching_job()

    def stopped(query: str) -> list[Any]:
        Submission.objects.update(state="paused", state_reason="quota")
        return []

    provider.found = stopped
    assert search_claims(job.pk) == "parked"
    assert not Job.objects.filter(kind="judge").exists()
    Submission.objects.update(state="judging", state_reason="")
    job.refresh_from_db()
    assert job.state == Job.State.READY
    assert run_jobs(job.submission)[-1] == "score: done"
    assert len(provider.queries) == 1


def test_reading_the_claims_may_take_several_slices(provider: SearchProvider, settings: Any) -> None:
    job = searching_job()
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SLICE_SECONDS": -1}
    assert search_claims(job.pk) == "more"
    assert provider.queries == []


# ------------------------------------------------------------------ hits that decide nothing
def test_hits_of_the_teams_own_and_of_the_answer_itself_support_nothing(provider: SearchProvider) -> None:
    long = " ".join(f"and rule {n} of it holds" for n in range(12))
    text = f"{DEPTH}{CLAIM.rstrip('.')} {long}.\n"
    task_set = import_set(searched_files())
    submission = submit(task_set, {"report": text})
    organisation = submission.system.team.organisation
    organisation.domains.create(name="team.example", verified_at=timezone.now())
    own = hit("Ours", "https://www.team.example/law", CLAIM)
    mirror = hit("Mirror", "https://pastes.example/1", f"{CLAIM.rstrip('.')} {long}")
    provider.found = lambda query: [own, mirror]
    run_jobs(submission)
    verdict = on_the_law(submission)
    assert (verdict.finding, verdict.code) == ("undecided", "search_empty")
    assert [one["mark"] for one in verdict.evidence[0]["marked"]] == ["own", "self"]


def test_a_refusal_pauses_the_work_once_what_was_found_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself: the tracer of coverage does not see what follows an event loop that ended with a failed task."""
    kept: list[Any] = []
    row = SimpleNamespace(asked_at=None)
    monkeypatch.setattr(searching, "rows_of", lambda run, queries, now: {"q": row})
    monkeypatch.setattr(searching, "claim", lambda rows, now: {"q": row})

    def refused(lease: object, run: object, known: object, held: object) -> str:
        kept.append(held)
        return "search_quota"

    monkeypatch.setattr(searching, "_asked_and_kept", refused)
    with pytest.raises(WorkPaused) as paused:
        searching.search_some(cast(Any, None), cast(Any, None), ["q"])
    assert (paused.value.reason, kept) == ("search_quota", [{"q": row}])
