"""From rows to the plain data judging works on."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from judging.canonical import plain
from judging.cascade import ScoringProfile
from judging.case import AnswerWork, Case, Snapshot
from judging.models import CitedPage, JudgeRun, PageSnapshot, Rubric, SubmissionSearch
from judging.pages.store import read_picture, read_text, snapshot_data
from judging.profiles import terms_of
from judging.rubric import CascadeRubric, TreeRubric, check_stored, rubric_of
from judging.search.found import Found
from submissions.models import Answer, OrganisationDomain, Submission

PICTURES_KEPT = 8  # in memory during a slice, at most 5 MiB each
TEXTS_KEPT = 256  # snapshots whose text stays in memory during a slice


def load_case(run: JudgeRun, *, now: dt.datetime) -> Case:
    """What all answers of a submission share."""
    submission = run.submission
    terms = terms_of(run.profile)
    began = submission.judge_runs.order_by("round").values_list("started_at", flat=True)[0]
    return Case(
        profile_hash=run.profile.content_hash,
        short_circuit=run.short_circuit,
        split=submission.task_set.split,
        now=now,
        blocked_days=settings.EVALSERVICE["BLOCKED_DAYS"],
        scoring=ScoringProfile.from_mapping(submission.task_set.scoring_profile),
        pages=_pages(submission),
        references=_references(submission, began),
        read=_reader(),
        collected_at=began,
        own_domains=_own_domains(submission, now),
        votes=terms.votes,
        passage_tokens=terms.shown,
        extract_tokens=terms.read_out,
        group_claims=terms.group_claims,
        picture=lru_cache(maxsize=PICTURES_KEPT)(read_picture),
        search=_found(run),
    )


def _found(run: JudgeRun) -> Found | None:
    """What was found for the submission's claims up to this round; later rounds do not change what it saw."""
    if not run.search_queries:
        return None
    rows = searches_of(run).filter(round__lte=run.round)
    texts = rows.order_by("round").values_list("query_hash", "reply__text_sha256")
    return Found(run.search_queries, dict(texts))


def searches_of(run: JudgeRun) -> QuerySet[SubmissionSearch]:
    """What the submission's rounds found that asked the same provider for as many hits."""
    alike = JudgeRun.objects.filter(
        submission=run.submission_id, search=run.search, search_results=run.search_results
    )
    return SubmissionSearch.objects.filter(submission=run.submission_id, round__in=alike.values("round"))


def _pages(submission: Submission) -> dict[str, Snapshot]:
    cited = CitedPage.objects.filter(submission=submission, snapshot__isnull=False)
    return {
        row.page.key: snapshot_data(row.snapshot, collected_at=row.collected_at)
        for row in cited.select_related("page", "snapshot")
        if row.snapshot is not None and row.collected_at is not None
    }


def _references(submission: Submission, began: dt.datetime) -> dict[str, Snapshot]:
    rows = PageSnapshot.objects.filter(task_set=submission.task_set_id).select_related("page")
    return {
        row.page.key: snapshot_data(row, collected_at=began) for row in rows.order_by("page_id", "number")
    }


def _own_domains(submission: Submission, at: dt.datetime) -> frozenset[str]:
    """Domains verified at ``at``: one that is verified later must not change what was judged before."""
    organisation = submission.system.team.organisation_id
    domains = OrganisationDomain.objects.filter(organisation=organisation, verified_at__lte=at)
    return frozenset(name.lower() for name in domains.values_list("name", flat=True))


def _reader() -> Callable[[str], str]:
    return lru_cache(maxsize=TEXTS_KEPT)(read_text)


def load_works(run: JudgeRun, answer_ids: Sequence[int]) -> list[AnswerWork]:
    """Answers with the rubrics of the run, in the order of the set."""
    submission = run.submission
    answers = (
        Answer.objects.filter(submission=submission, pk__in=answer_ids)
        .select_related("task")
        .prefetch_related(Prefetch("task__rubrics", Rubric.objects.order_by("-revision")))
        .order_by("task__position", "run", "id")
    )
    parsed: dict[int, TreeRubric | CascadeRubric] = {}
    return [_work(answer, run, parsed) for answer in answers]


def rubric_at(revisions: Sequence[Rubric], at: dt.datetime) -> Rubric:
    """The newest revision there was at ``at``, the newest first among ``revisions``.

    A correction in the middle of a run waits for the next one: judging and scoring must see the same rubric.
    """
    return next((rubric for rubric in revisions if rubric.created_at <= at), revisions[-1])


def read_rubric(rubric: Rubric, protocol: str) -> TreeRubric | CascadeRubric:
    """A stored rubric; one that was checked by other rules than today's is checked again, and keeps the result.

    :raises judging.rubric.InvalidRubric: it does not stand up to today's rules.
    """
    # A database may reorder the keys of JSON; in order, both databases give the same rubric.
    source = plain(rubric.source)
    known = rubric_of(source, plain(rubric.ready), protocol)
    if known is None:
        known, ready = check_stored(source, protocol)
        Rubric.objects.filter(pk=rubric.pk).update(ready=ready)
    return known


def _work(answer: Answer, run: JudgeRun, parsed: dict[int, TreeRubric | CascadeRubric]) -> AnswerWork:
    rubric = rubric_at(list(answer.task.rubrics.all()), run.started_at)
    if rubric.pk not in parsed:
        parsed[rubric.pk] = read_rubric(rubric, run.submission.task_set.protocol)
    return AnswerWork(
        id=answer.pk,
        task=answer.task.public_id,
        prompt=answer.task.prompt,
        run=answer.run,
        text=answer.text,
        sha256=hashlib.sha256(answer.text.encode("utf-8", "surrogatepass")).hexdigest(),
        seconds=answer.seconds,
        cost_usd=answer.cost_usd,
        rubric_id=rubric.pk,
        rubric=parsed[rubric.pk],
    )
