"""From verdicts to scores: every answer is replayed over what was written, then all is recorded at once."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Prefetch, Sum
from django.utils import timezone

from judging.calibration.storing import calibrated_for
from judging.canonical import digest
from judging.cascade import ScoringProfile
from judging.case import AnswerWork, Case
from judging.desk import Desk, Memory, settle
from judging.loading import load_case, load_works, rubric_at
from judging.models import CitedPage, Extraction, JudgeRun, Rubric, Verdict
from judging.pipeline import judge_answer
from judging.recording import remember
from judging.results import AnswerResult
from judging.scoring import CascadeResult, TreeResult, rankable, summarise_cascade, summarise_tree
from judging.search.interface import ProviderName
from submissions.driving import Slice
from submissions.leases import Lease
from submissions.models import Job, Submission, TaskSet
from submissions.queue import send
from submissions.services.scores import AnswerScores, record_scores

CHUNK = 25  # answers whose verdicts are in memory at once


def score_round(lease: Lease) -> Slice:
    """Score a submission from the verdicts of its round; the state it ends in follows from them."""
    run = JudgeRun.objects.select_related("submission__task_set", "submission__system__team", "profile").get(
        submission=lease.job.submission_id, round=lease.job.round
    )
    now = timezone.now()
    results = replay_submission(run, now=run.started_at)
    with transaction.atomic():
        lease.renew()
        lease.end(Job.State.DONE, finished_at=now)
        JudgeRun.objects.filter(pk=run.pk).update(finished_at=now, calls=_calls(run), cost_usd=cost(run))
        submission = (
            Submission.objects.select_for_update().select_related("task_set").get(pk=run.submission_id)
        )
        record(run, submission, results, now=now)
        send("submission_judged", submission.pk)  # incomplete ones too: the board names them, unranked
    return Slice.DONE


def replay_submission(run: JudgeRun, *, now: dt.datetime) -> list[AnswerResult]:
    """The results of all answers, recomputed from what is stored. Nothing is asked."""
    case = load_case(run, now=now)
    ids = list(run.submission.answers.order_by("task__position", "run", "id").values_list("pk", flat=True))
    results: list[AnswerResult] = []
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        results += asyncio.run(_replay(load_works(run, part), case, remember(run, part)))
    return results


def replay_answer(run: JudgeRun, answer: int) -> AnswerResult:
    """The result of one answer, recomputed as the scoring of its round saw it."""
    case = load_case(run, now=run.started_at)
    (result,) = asyncio.run(_replay(load_works(run, [answer]), case, remember(run, [answer])))
    return result


async def _replay(works: Sequence[AnswerWork], case: Case, memory: Memory) -> list[AnswerResult]:
    desk = Desk(memory)
    return await settle(judge_answer(work, case, desk) for work in works)


def record(
    run: JudgeRun, submission: Submission, results: Sequence[AnswerResult], *, now: dt.datetime
) -> None:
    """Hand the scores down, with the two frozen documents that explain them."""
    outcomes = [result.result for result in results]
    ranked, reasons = rankable(outcomes, min_coverage=settings.EVALSERVICE["MIN_COVERAGE"])
    summary = summarise(submission, outcomes)
    dev = submission.task_set.split == TaskSet.Split.DEV
    record_scores(
        submission=submission,
        answers=[_scores(result, dev=dev) for result in results],
        summary=summary,
        provenance=provenance(run, submission, now=now),
        coverage=summary["coverage"],
        incomplete_reasons=[] if ranked else [reason.value for reason in reasons],
        now=now,
    )


def _scores(result: AnswerResult, *, dev: bool) -> AnswerScores:
    return AnswerScores(
        answer_id=result.answer,
        score=result.score,
        user_pref=result.user_pref,
        coverage=result.result.coverage,
        metrics=result.metrics(),
        feedback=result.feedback if dev else None,
    )


def summarise(submission: Submission, outcomes: Sequence[TreeResult | CascadeResult]) -> dict[str, Any]:
    """The figures of a submission; a task without a row would still count (it cannot be: rows are made first)."""
    tasks = list(submission.task_set.tasks.order_by("position").values_list("public_id", flat=True))
    trees = [outcome for outcome in outcomes if isinstance(outcome, TreeResult)]
    if submission.task_set.protocol == TaskSet.Protocol.RUBRIC_TREE:
        return summarise_tree(trees, submission.runs, tasks).as_dict()
    cascades = [outcome for outcome in outcomes if isinstance(outcome, CascadeResult)]
    return summarise_cascade(cascades, submission.runs, tasks).as_dict()


def provenance(run: JudgeRun, submission: Submission, *, now: dt.datetime) -> dict[str, Any]:
    """Where the scores come from: what the board copies and a reader may ask for."""
    profile = run.profile
    scoring = ScoringProfile.from_mapping(submission.task_set.scoring_profile)
    cascade = submission.task_set.protocol == TaskSet.Protocol.CASCADE
    return {
        "judge": profile.judge,
        "model": profile.model,
        "profile": f"{profile.name}/{profile.version}",
        "profile_hash": profile.content_hash,
        "calibrated": calibrated_for(profile, submission.task_set.protocol),
        "offline": profile.judge == "lexical",
        "round": run.round,
        "judged_in_full": not run.short_circuit,
        "task_set": f"{submission.task_set.slug}/{submission.task_set.version}",
        "task_set_hash": submission.task_set_hash,
        "rubrics_hash": _rubrics_hash(run),
        "scoring_profile": scoring.name if cascade else "rubric_tree/1",
        "constants": scoring.as_dict() if cascade else None,
        "search": _search_of(run),
        "pages": dict(sorted(_pages(submission).items())),
        "judged_at": now.isoformat(),
    }


def _search_of(run: JudgeRun) -> str:
    """Who is searched, and how far."""
    if run.search == ProviderName.OFF:
        return ProviderName.OFF.value
    queries = "query" if run.search_queries == 1 else "queries"
    results = "result" if run.search_results == 1 else "results"
    return f"{run.search}, {run.search_queries} {queries}, {run.search_results} {results}"


def _rubrics_hash(run: JudgeRun) -> str:
    """One hash over the rubrics of the run, in the order of the tasks."""
    revisions = Rubric.objects.only("task", "created_at", "content_hash").order_by("-revision")
    tasks = run.submission.task_set.tasks.order_by("position", "id").prefetch_related(
        Prefetch("rubrics", revisions)
    )
    return digest([rubric_at(list(task.rubrics.all()), run.started_at).content_hash for task in tasks])


def _pages(submission: Submission) -> Counter[str]:
    """How many cited pages there are by the verdict of their snapshot."""
    cited = CitedPage.objects.filter(submission=submission, snapshot__isnull=False)
    return Counter(cited.order_by("pk").values_list("snapshot__verdict", flat=True))


def _calls(run: JudgeRun) -> int:
    total = 0
    for model in (Verdict, Extraction):
        total += model._default_manager.filter(run=run).aggregate(sum=Sum("model_calls"))["sum"] or 0
    return total


def cost(run: JudgeRun) -> float | None:
    """US dollars for the calls behind the findings of a run; None if the price of one is not known."""
    total = 0.0
    for model in (Verdict, Extraction):
        asked = model._default_manager.filter(run=run, model_calls__gt=0).order_by("pk")
        for record in asked.values_list("record", flat=True).iterator():
            costs = [call["cost_usd"] for call in record["calls"]]
            if None in costs:
                return None
            total += sum(costs)
    return total
