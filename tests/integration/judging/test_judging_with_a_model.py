"""Whole submissions judged over HTTP: what is asked, and what is not asked again."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from judging.imports import revise_rubric
from judging.models import Extraction, JudgeRun, ModelCall, Verdict
from judging.rubric import read_bundle
from judging.tasks import collect_pages, judge_answers
from submissions.models import Job, TaskSet
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import BOTH, again, asked, changed, judged_by
from tests.judging_factories import (
    REPORT_RIGHT,
    SITE,
    answer_of,
    cascade_files,
    findings,
    import_set,
    judged,
    lake_task,
    run_jobs,
    scores_of,
    submit,
    tree_files,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]


def revise(task_set: TaskSet, key: str, task: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    written = yaml.safe_dump(dict(task), sort_keys=False).encode()
    bundle = read_bundle({**files, f"tasks/{key}.yaml": written}).bundle
    assert bundle is not None
    spec = next(one for one in bundle.tasks if one.key == key)
    revise_rubric(task=task_set.tasks.get(key=key), spec=spec, now=dt.datetime.now(dt.UTC))


# ------------------------------------------------------------------ what is asked
def test_a_model_judges_a_tree(endpoint: Endpoint) -> None:
    submission = judged(import_set(tree_files()), BOTH)
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    assert Counter(asked(endpoint)) == {
        "lake: Depth, length and sources of Lake Brume": 1,
        "lake: Depth, length and sources of Lake Sallow": 1,
        "Lake Brume is 212 metres deep": 1,
        "Lake Brume is 14 kilometres long": 1,
        "Lake Sallow is 48 metres deep": 1,
        "Lake Sallow is 6 kilometres long": 1,
    }
    assert JudgeRun.objects.get().calls == 6
    verdict = Verdict.objects.get(check_id="depth", answer=answer_of(submission, "brume"))
    (record,) = verdict.record["calls"]
    assert (record["model_asked"], record["model_served"], verdict.model_calls) == ("judge-1", "judge-1", 1)
    assert (verdict.quote, verdict.evidence[0]["url"]) == ("Lake Brume is 212 metres deep.", f"{SITE}/brume")


def test_a_model_judges_a_cascade() -> None:
    submission = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    assert (answer_of(submission, "report").score, answer_of(submission, "report").user_pref) == (1.0, 4)


def test_a_shut_gate_saves_the_calls_behind_it(endpoint: Endpoint) -> None:
    files = cascade_files(split="test", delivery="open", delivery_reason="for this test")
    submission = judged(
        import_set(files), {"report": REPORT_RIGHT.replace("212", "221").replace("1968", "1986")}
    )
    assert sorted(asked(endpoint)) == [
        "Names the Lake Act of 1968",
        "States that Lake Brume is 212 metres deep",
    ]
    assert answer_of(submission, "report").score == 0.0


# ------------------------------------------------------------------ nothing is asked twice
def test_judging_unchanged_work_again_asks_nothing(endpoint: Endpoint) -> None:
    submission = judged(import_set(tree_files()), BOTH)
    before = (scores_of(submission), submission.summary, submission.created_at, submission.public_id)
    endpoint.reset()
    assert again(submission) == ["judge: done", "score: done"]
    assert endpoint.calls == 0
    assert (scores_of(submission), submission.summary, submission.created_at, submission.public_id) == before
    assert submission.provenance is not None
    assert submission.provenance["round"] == 2
    assert JudgeRun.objects.get(round=2).calls == 0


def test_a_revised_rubric_asks_for_what_changed_and_nothing_else(endpoint: Endpoint) -> None:
    files = tree_files()
    task_set = import_set(files)
    submission = judged(task_set, BOTH)
    task = lake_task()
    task["tree"]["children"][2]["claim"] = "Lake Brume is {{ lake.length }} miles long"
    revise(task_set, "brume", task, files)
    endpoint.reset()
    again(submission)
    assert asked(endpoint) == ["Lake Brume is 14 miles long"]
    # The rubric of the other task is what it was, and so is everything found for it.
    assert scores_of(submission)["sallow"] == 0.5
    assert findings(submission, round=2) == {"brume/length": Verdict.objects.get(run__round=2).finding}


def test_the_same_rubric_again_is_no_revision(endpoint: Endpoint) -> None:
    files = tree_files()
    task_set = import_set(files)
    revise(task_set, "brume", lake_task(), files)
    assert [rubric.revision for rubric in task_set.tasks.get(key="brume").rubrics.all()] == [1]


def test_a_rubric_revised_in_the_middle_of_a_round_waits_for_the_next(endpoint: Endpoint) -> None:
    files = tree_files()
    task_set = import_set(files)
    submission = submit(task_set, BOTH)
    collect_pages(submission.jobs.get().pk)
    judge_answers(submission.jobs.get(kind="judge").pk)
    task = lake_task()
    task["tree"]["children"][2]["claim"] = "Lake Brume is {{ lake.length }} miles long"
    revise(task_set, "brume", task, files)
    run_jobs(submission)
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    assert submission.provenance is not None
    hash_before = submission.provenance["rubrics_hash"]
    again(submission)
    assert submission.provenance["rubrics_hash"] != hash_before


def test_equal_answers_of_two_submissions_are_paid_for_once(endpoint: Endpoint) -> None:
    task_set = import_set(tree_files())
    judged(task_set, BOTH)
    calls = endpoint.calls
    second = judged(task_set, BOTH)
    assert endpoint.calls == calls == ModelCall.objects.count()
    assert scores_of(second) == {"brume": 1.0, "sallow": 0.5}
    assert all(
        call["cached"]
        for row in Verdict.objects.filter(run__submission=second)
        for call in row.record["calls"]
    )


def test_another_model_is_another_judge(endpoint: Endpoint, settings: Any) -> None:
    submission = judged(import_set(tree_files()), BOTH)
    changed(settings, JUDGE_MODEL="judge-2")
    endpoint.reset()
    again(submission)
    assert endpoint.calls == 6
    assert submission.provenance is not None
    assert (submission.provenance["model"], submission.provenance["profile"]) == ("judge-2", "openai/2")


def test_a_round_costs_what_its_calls_cost(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, JUDGE_PRICES={"judge-1": {"prompt": 2.0, "cached": 1.0, "completion": 8.0}})
    submission = judged(import_set(tree_files()), BOTH)
    run = JudgeRun.objects.get()
    rows: list[Verdict | Extraction] = [*Verdict.objects.all(), *Extraction.objects.all()]
    costs = [call["cost_usd"] for row in rows for call in row.record["calls"]]
    assert run.cost_usd
    assert run.cost_usd == pytest.approx(sum(costs))
    again(submission)
    assert JudgeRun.objects.get(round=2).cost_usd == 0.0


def test_without_a_price_the_cost_of_a_round_is_not_known() -> None:
    judged(import_set(tree_files()), BOTH)
    assert JudgeRun.objects.get().cost_usd is None


# ------------------------------------------------------------------ votes
@pytest.mark.parametrize(
    ("sampling", "wrong", "finding", "code", "calls"),
    [
        ({"temperature": 0.7}, [], "supported", "", 2),
        ({"temperature": 0.7}, [2], "supported", "", 3),
        ({"temperature": 0.7}, [1, 2], "not_assessed", "refusal", 2),
        ({"temperature": 0.7}, [2, 3], "not_assessed", "refusal", 3),
        ({"seed": 4}, [], "supported", "", 2),
        ({}, [], "supported", "", 1),  # at temperature 0 every vote would be the same
    ],
)
def test_two_votes_are_asked_at_once_and_a_third_if_they_disagree(
    endpoint: Endpoint, settings: Any, tmp_path: Path, sampling: dict[str, Any], wrong: list[int], finding: str, code: str,
    calls: int,
) -> None:  # fmt: skip
    judged_by(settings, tmp_path, sampling=sampling)
    task = {
        "prompt": "How deep is Lake Brume?",
        "tree": {
            "id": "root",
            "children": [
                {"id": "deep", "claim": "The lake is 212 metres deep", "evidence": "none", "votes": 3}
            ],
        },
    }
    endpoint.script.at = dict.fromkeys(wrong, "refusal")
    submission = judged(import_set(tree_files({"brume": task})), {"brume": "The lake is 212 metres deep."})
    verdict = Verdict.objects.get()
    assert (verdict.finding, verdict.code, endpoint.calls) == (finding, code, calls)
    assert len(verdict.record["calls"]) == calls == verdict.model_calls
    assert submission.state == ("judged" if finding == "supported" else "incomplete")


# ------------------------------------------------------------------ slices
def test_a_slice_that_ends_early_goes_on_in_the_next_and_asks_nothing_twice(
    endpoint: Endpoint, settings: Any
) -> None:
    changed(settings, SLICE_SECONDS=0.05, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": 2})
    endpoint.script.delay_s = 0.06
    tasks = {f"t{n}": lake_task() for n in range(4)}
    answers = {key: f"Version {n}\n\n{BOTH['brume']}" for n, key in enumerate(tasks)}
    submission = submit(import_set(tree_files(tasks)), answers)
    outcomes = run_jobs(submission)
    assert "judge: more" in outcomes
    assert scores_of(submission) == dict.fromkeys(tasks, 1.0)
    prompts = [call.prompt for call in endpoint.log]
    assert len(prompts) == len(set(prompts)) == 4 + 2  # an extraction an answer; pages do not know the answer


def test_a_second_delivery_of_any_message_does_nothing(endpoint: Endpoint) -> None:
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission)
    done = (Verdict.objects.count(), ModelCall.objects.count(), Job.objects.count(), endpoint.calls)
    for job in submission.jobs.all():
        for task in (collect_pages, judge_answers):
            assert task(job.pk) == "not free"
    assert (Verdict.objects.count(), ModelCall.objects.count(), Job.objects.count(), endpoint.calls) == done
