"""The search stage: what is asked, how often, and what becomes of it when the provider fails."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from judging import searching
from judging.judges.base import ClaimsReply, ClaimsRequest
from judging.judges.lexical import LexicalJudge
from judging.models import Extraction, JudgeRun, SearchReply, SubmissionSearch, Verdict
from judging.pages.store import read_text
from judging.rounds import rejudge
from judging.scorekeeping import replay_answer
from judging.tasks import search_claims
from submissions.driving import resume
from submissions.models import Job, Submission
from tests.judging_factories import cascade_files, import_set, judged, run_jobs, submit
from tests.provider import KEY, Reply, SearchProvider, busy, hit
from tests.searched import (
    ANSWER,
    CLAIM,
    DEPTH,
    QUERY,
    acts,
    law,
    on_the_law,
    searched_files,
    searching_job,
    switch_on,
)

pytestmark = pytest.mark.django_db(transaction=True)

GONE = Reply(404)
TEST = {"split": "test", "delivery": "open", "delivery_reason": "for these tests"}
FULL = ["collect: done", "search: done", "judge: done", "score: done"]


def again(submission: Submission) -> list[str]:
    """Judge once more; what the jobs came to."""
    rejudge(submission, actor="test", now=timezone.now())
    return run_jobs(submission)


def method_of(submission: Submission) -> str:
    """What the scores say of the search."""
    assert submission.provenance is not None
    return str(submission.provenance["search"])


# ------------------------------------------------------------------ what is asked
def test_a_claim_without_a_page_is_decided_by_what_is_found(provider: SearchProvider) -> None:
    submission = submit(import_set(searched_files()), {"report": ANSWER})
    assert run_jobs(submission) == FULL
    assert provider.queries == [QUERY]
    assert (provider.log[0]["path"], provider.log[0]["format"]) == ("/search", "json")
    verdict = on_the_law(submission)
    assert (verdict.finding, verdict.statement) == ("supported", CLAIM)
    (kept,) = verdict.evidence
    assert (kept["source"], kept["url"], kept["finding"]) == ("search", f"search:{QUERY}", "supported")
    assert "https://law.example/1968" in read_text(kept["text_sha256"])
    assert verdict.quote in read_text(kept["text_sha256"])
    assert (submission.state, method_of(submission)) == ("judged", "searxng, 1 query, 5 results")


def test_a_reply_is_kept_as_a_dated_row(provider: SearchProvider) -> None:
    judged(import_set(searched_files()), {"report": ANSWER})
    row = SearchReply.objects.get()
    assert (row.provider, row.query, row.hits, row.claimed_until) == ("searxng", QUERY, 1, None)
    assert row.asked_at is not None
    assert row.day == row.asked_at.date()
    assert "Date: 2026-05-01" in read_text(row.text_sha256)
    found = SubmissionSearch.objects.get()
    assert (found.reply, found.round, found.fault) == (row, 1, "")


def test_serper_is_asked_with_its_key_and_for_so_many_hits(provider: SearchProvider, settings: Any) -> None:
    switch_on(settings, provider, provider="serper", key=KEY, results=7, url=f"{provider.url}/search")
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    assert provider.log[0]["num"] == 7
    assert on_the_law(submission).finding == "supported"
    assert method_of(submission) == "serper, 1 query, 7 results"


def test_a_claim_may_have_several_queries(provider: SearchProvider, settings: Any) -> None:
    switch_on(settings, provider, queries=3)
    judged(import_set(searched_files()), {"report": ANSWER})
    assert sorted(provider.queries) == sorted(
        [QUERY, "Lake Act 1968 forbids motor boats Lake Brume", "Lake Act 1968 Lake Brume"]
    )
    assert JudgeRun.objects.get().search_queries == 3


def test_no_text_but_the_claims_goes_to_the_provider(provider: SearchProvider) -> None:
    """No prompt, no criterion, no reference: what is asked consists of words of the answer."""
    judged(import_set(searched_files()), {"report": ANSWER})
    words = set(ANSWER.replace(".", " ").split())
    assert {word for query in provider.queries for word in query.split()} <= words


@pytest.mark.parametrize(
    ("files", "changes"),
    [
        (cascade_files(), {}),
        (searched_files("cited"), {}),
        (searched_files(), {"provider": "off"}),
        (searched_files(**TEST), {}),
    ],
)
def test_where_nothing_is_to_be_searched_there_is_no_such_stage(
    provider: SearchProvider, settings: Any, files: dict[str, bytes], changes: dict[str, Any]
) -> None:
    switch_on(settings, provider, **changes)
    submission = submit(import_set(files), {"report": ANSWER})
    assert run_jobs(submission) == ["collect: done", "judge: done", "score: done"]
    assert provider.queries == []
    assert method_of(submission) == "off"


def test_test_sets_are_searched_for_once_that_is_switched_on(provider: SearchProvider, settings: Any) -> None:
    switch_on(settings, provider, test_sets=True)
    submission = submit(import_set(searched_files(**TEST)), {"report": ANSWER})
    assert run_jobs(submission) == FULL
    assert provider.queries == [QUERY]


def test_claims_behind_a_shut_gate_are_not_searched_for(provider: SearchProvider, settings: Any) -> None:
    switch_on(settings, provider, test_sets=True)
    task_set = import_set(searched_files(**TEST))
    text = DEPTH + "Motor boats are fine on Lake Sallow since 1970."
    submission = submit(task_set, {"report": text})
    assert run_jobs(submission) == FULL
    assert provider.queries == []
    assert not Extraction.objects.filter(name="law/law-facts").exists()


def test_claims_are_read_once_for_searching_and_judging(
    provider: SearchProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    claims = LexicalJudge.claims

    async def noted(judge: LexicalJudge, request: ClaimsRequest) -> ClaimsReply:
        asked.append(request.subtask)
        return await claims(judge, request)

    monkeypatch.setattr(LexicalJudge, "claims", noted)
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    assert len(asked) == len(set(asked)) == 2
    again(submission)
    assert len(asked) == 2


# ------------------------------------------------------------------ how often
def test_a_query_is_asked_once_a_day_whoever_makes_it(provider: SearchProvider) -> None:
    task_set = import_set(searched_files())
    for _ in range(2):
        assert on_the_law(judged(task_set, {"report": ANSWER})).finding == "supported"
    assert provider.queries == [QUERY]
    SearchReply.objects.update(day=timezone.now().date() - dt.timedelta(days=1))
    judged(task_set, {"report": ANSWER})
    assert provider.queries == [QUERY, QUERY]


def test_judged_again_it_is_judged_by_what_was_found_for_it(provider: SearchProvider, settings: Any) -> None:
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    SearchReply.objects.update(day=timezone.now().date() - dt.timedelta(days=9))
    verdicts = Verdict.objects.count()
    switch_on(settings, provider, url="http://127.0.0.1:9")
    assert again(submission) == FULL[1:]
    assert (provider.queries, Verdict.objects.count()) == ([QUERY], verdicts)
    assert submission.state == "judged"


def test_another_number_of_hits_is_another_method_and_searched_for_anew(
    provider: SearchProvider, settings: Any
) -> None:
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    switch_on(settings, provider, results=1, queries=2)
    assert again(submission) == FULL[1:]
    assert provider.queries.count(QUERY) == 2
    assert method_of(submission) == "searxng, 2 queries, 1 result"
    switch_on(settings, provider)
    before = len(provider.queries)
    again(submission)
    assert len(provider.queries) == before  # what the first round found is of this method
    assert method_of(submission) == "searxng, 1 query, 5 results"
    first = replay_answer(JudgeRun.objects.get(round=1), submission.answers.get().pk)
    assert first.result.coverage == 1


def test_the_number_of_hits_is_fixed_when_a_round_begins(provider: SearchProvider, settings: Any) -> None:
    job = searching_job()
    provider.found = lambda query: [hit("a", f"https://a.example/{n}", "b") for n in range(9)]
    switch_on(settings, provider, results=2)
    assert search_claims(job.pk) == "done"
    assert (SearchReply.objects.get().hits, JudgeRun.objects.get().search_results) == (5, 5)


def test_another_provider_makes_another_method_of_the_next_round(
    provider: SearchProvider, settings: Any
) -> None:
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    switch_on(settings, provider, provider="serper", key=KEY)
    again(submission)
    assert provider.queries == [QUERY, QUERY]
    switch_on(settings, provider, provider="off")
    assert again(submission) == ["judge: done", "score: done"]
    assert method_of(submission) == "off"
    assert on_the_law(submission, round=3).code == "no_sources"


def test_the_same_query_in_two_shards_has_one_result(provider: SearchProvider, settings: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SHARD_ANSWERS": 1}
    submission = submit(import_set(searched_files(runs=2)), {"report": [ANSWER, f"{ANSWER} "]})
    outcomes = run_jobs(submission)
    assert sorted(outcomes) == sorted([*FULL, "search: done", "judge: done"])
    assert outcomes[-1] == "score: done"
    assert provider.queries == [QUERY]
    assert SubmissionSearch.objects.count() == 1


def test_a_query_that_another_worker_asks_is_waited_for(provider: SearchProvider) -> None:
    job = searching_job()
    run = JudgeRun.objects.get()
    now = timezone.now()
    row = searching.rows_of(run, [QUERY], now)[QUERY]
    SearchReply.objects.update(claimed_until=now + dt.timedelta(seconds=60))
    assert search_claims(job.pk) == "waiting"
    assert provider.queries == []
    SearchReply.objects.update(claimed_until=now)
    Job.objects.filter(pk=job.pk).update(not_before=None)
    assert search_claims(job.pk) == "done"
    assert provider.queries == [QUERY]
    row.refresh_from_db()
    assert row.asked_at is not None


def test_what_another_worker_answered_first_counts(provider: SearchProvider) -> None:
    job = searching_job()

    def faster(query: str) -> list[Any]:
        SearchReply.objects.update(asked_at=timezone.now(), text_sha256="", hits=0)
        return list(law(query))

    provider.found = faster
    search_claims(job.pk)
    assert SearchReply.objects.get().hits == 0
    assert SubmissionSearch.objects.get().reply == SearchReply.objects.get()


# ------------------------------------------------------------------ failures
def test_a_failed_search_leaves_the_claim_not_assessed_and_is_tried_again_in_the_next_round(
    provider: SearchProvider,
) -> None:
    provider.orders.append(GONE)
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    verdict = on_the_law(submission)
    assert (verdict.finding, verdict.code, submission.state) == (
        "not_assessed",
        "search_failed",
        "incomplete",
    )
    assert SubmissionSearch.objects.get().fault == "refused"
    assert SearchReply.objects.get().asked_at is None
    again(submission)
    assert on_the_law(submission, round=2).finding == "supported"
    assert (submission.state, len(provider.queries)) == ("judged", 2)
    # What the first round said is what it says for ever.
    first = replay_answer(JudgeRun.objects.get(round=1), submission.answers.get().pk)
    assert first.result.errors == 0
    assert first.result.coverage < 1


def test_what_passes_by_itself_is_asked_again_at_once(provider: SearchProvider) -> None:
    provider.orders.extend([busy(), busy()])
    submission = judged(import_set(searched_files()), {"report": ANSWER})
    assert on_the_law(submission).finding == "supported"
    assert len(provider.queries) == 3


def test_after_a_failed_search_a_cited_page_does_not_decide(provider: SearchProvider) -> None:
    provider.orders.append(GONE)
    cited = f"{DEPTH}{CLAIM.rstrip('.')} [law](https://lakes.example/law).\n"
    submission = judged(import_set(searched_files()), {"report": cited})
    verdict = on_the_law(submission)
    assert (verdict.finding, verdict.code) == ("not_assessed", "search_failed")
    said = {page["source"]: page["finding"] for page in verdict.evidence}
    assert said == {"search": None, "cited": "supported"}
    again(submission)
    assert (on_the_law(submission, round=2).finding, submission.state) == ("supported", "judged")


def test_a_provider_that_is_down_is_left_alone_after_some_queries(provider: SearchProvider) -> None:
    provider.always = busy()
    job = searching_job(*acts(20))
    assert search_claims(job.pk) == "done"
    assert len(set(provider.queries)) == searching.HELD_DOWN_AFTER
    faults = list(SubmissionSearch.objects.values_list("fault", flat=True))
    assert (faults.count("rate_limited"), faults.count("held_down"), len(faults)) == (8, 12, 20)
    run_jobs(job.submission)
    provider.always, before = None, len(provider.queries)
    again(job.submission)
    assert len(provider.queries) == before + 20


@pytest.mark.parametrize(
    "reply", [Reply(body=b'{"results": [], "unresponsive_engines": [["x", "y"]]}'), GONE]
)
def test_queries_that_fail_by_their_own_words_do_not_end_the_asking(
    provider: SearchProvider, reply: Reply
) -> None:
    provider.always = reply
    job = searching_job(*acts(20))
    assert search_claims(job.pk) == "done"
    assert len(provider.queries) == 20
    assert not SubmissionSearch.objects.filter(fault="held_down").exists()


def test_what_was_found_today_is_had_of_a_provider_that_is_down(
    provider: SearchProvider, settings: Any
) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "SHARD_ANSWERS": 1}
    task_set = import_set(searched_files(runs=2))
    *down, known, other = acts(10)
    judged(task_set, {"report": DEPTH + known})
    provider.always = busy()
    submission = submit(task_set, {"report": [DEPTH + "\n".join(down), f"{DEPTH}{known}\n{other}\n"]})
    run_jobs(submission)
    found = SubmissionSearch.objects.filter(submission=submission)
    assert found.filter(reply__isnull=False).count() == 1
    assert found.filter(fault="rate_limited").count() == searching.HELD_DOWN_AFTER
    assert found.filter(fault="held_down").count() == 1


@pytest.mark.parametrize(("reply", "reason"), [(Reply(403), "search_auth"), (Reply(402), "search_quota")])
def test_a_provider_that_refuses_everything_pauses_the_submission_and_keeps_what_it_gave(
    provider: SearchProvider, reply: Reply, reason: str
) -> None:
    claims = acts(6)
    provider.found = lambda query: law(query)
    job = searching_job(*claims)
    provider.orders.extend([None] * 4)
    provider.always = reply
    assert search_claims(job.pk) == "paused"
    submission = Submission.objects.get()
    assert (submission.state, submission.state_reason) == ("paused", reason)
    assert SubmissionSearch.objects.filter(reply__isnull=False).count() == 4
    assert not SearchReply.objects.filter(claimed_until__isnull=False).exists()
    provider.always = None
    resume(submission, actor="test", now=timezone.now())
    assert run_jobs(submission) == FULL[1:]
    assert sorted(set(provider.queries)) == sorted(claim.rstrip(".") for claim in claims)
    assert len(provider.queries) == 8  # the two that were refused came twice
    assert submission.state_reason == ""


def test_a_provider_that_is_not_the_one_that_began_pauses_the_round(
    provider: SearchProvider, settings: Any
) -> None:
    job = searching_job()
    switch_on(settings, provider, provider="off")
    assert search_claims(job.pk) == "paused"
    submission = Submission.objects.get()
    assert (submission.state, submission.state_reason) == ("paused", "search_changed")
    assert again(submission) == ["judge: done", "score: done"]
    assert (method_of(submission), submission.state) == ("off", "judged")
