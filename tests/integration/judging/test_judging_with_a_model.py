"""Whole submissions judged over HTTP: what is asked, what is not asked again, and what a fault costs."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from judging.imports import revise_rubric
from judging.models import Extraction, JudgeRun, ModelCall, Verdict
from judging.rounds import rejudge
from judging.rubric import read_bundle
from judging.tasks import collect_pages, judge_answers
from submissions.models import Job, Submission, TaskSet
from tests.endpoint import Endpoint
from tests.judging_factories import (
    REPORT_RIGHT,
    SITE,
    answer_of,
    cascade_files,
    findings,
    import_set,
    judged,
    lake_answer,
    lake_task,
    run_jobs,
    scores_of,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

NOW = dt.datetime.now(dt.UTC)
BOTH = {"brume": lake_answer(212, 14, "brume"), "sallow": lake_answer(48, 6, "sallow")}


@pytest.fixture(autouse=True)
def _openai(endpoint: Endpoint, settings: Any) -> None:
    """The judge at the test endpoint, patient for a second only."""
    config = settings.EVALSERVICE
    settings.EVALSERVICE = {
        **config,
        "JUDGE": "openai",
        "JUDGE_MODEL": "judge-1",
        "OPENAI_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": "key-of-ours",
        "MODEL": {**config["MODEL"], "attempts": 1, "timeout_s": 2, "in_flight": 8},
    }


def changed(settings: Any, **values: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, **values}


def again(submission: Submission) -> list[str]:
    rejudge(submission, actor="test", now=dt.datetime.now(dt.UTC))
    return run_jobs(submission)


def asked(endpoint: Endpoint) -> list[str]:
    """What each call was about: the statement, the criterion, or the extraction."""
    kinds = ("claim", "criterion", "rationality", "subtask", "instruction")
    found = []
    for call in endpoint.log:
        lines = call.prompt.splitlines()
        heads = [
            n for n, line in enumerate(lines) if any(line.startswith(f"<<<BEGIN {kind} ") for kind in kinds)
        ]
        found.append(lines[heads[-1] + 1])
    return found


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


# ------------------------------------------------------------------ the judge will not answer
TERMINAL = [
    ("insufficient_quota", "quota"),
    ("auth", "auth"),
    ("no_model", "no_such_model"),
    ("other_model", "wrong_model"),
]


@pytest.mark.parametrize(("fault", "reason"), TERMINAL)
def test_a_judge_that_will_not_answer_pauses_the_submission_until_it_is_resumed(
    endpoint: Endpoint, fault: str, reason: str
) -> None:
    endpoint.script.always = fault
    submission = submit(import_set(tree_files()), BOTH)
    assert run_jobs(submission) == ["collect: done", "judge: paused"]
    assert (submission.state, submission.state_reason) == ("paused", reason)
    assert scores_of(submission) == {"brume": None, "sallow": None}
    assert not Verdict.objects.exists()
    endpoint.reset()
    call_command("resume", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})


def half_judged(endpoint: Endpoint, settings: Any) -> Submission:
    """A submission of two shards, the first of which is judged, by ``judge-1``."""
    changed(settings, SHARD_ANSWERS=1)
    submission = submit(import_set(tree_files()), BOTH)
    collect_pages(submission.jobs.get().pk)
    assert judge_answers(submission.jobs.get(kind="judge", shard=0).pk) == "done"
    assert JudgeRun.objects.get().model_served == "judge-1"
    return submission


def test_a_run_that_another_model_would_go_on_with_pauses(endpoint: Endpoint, settings: Any) -> None:
    submission = half_judged(endpoint, settings)
    endpoint.script.served = "judge-1-2026-05-01"  # the alias moved: the same name as asked, another model
    assert run_jobs(submission) == ["judge: paused"]
    assert (submission.state, submission.state_reason) == ("paused", "wrong_model")
    assert not Verdict.objects.filter(answer__task__key="sallow").exists()
    endpoint.script.served = ""
    call_command("resume", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})


def test_who_accepts_the_model_that_serves_now_judges_again(endpoint: Endpoint, settings: Any) -> None:
    submission = half_judged(endpoint, settings)
    endpoint.script.served = "judge-1-2026-05-01"
    run_jobs(submission)
    call_command("rejudge", submission.public_id)
    assert run_jobs(submission) == ["judge: done", "judge: done", "score: done"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    models = JudgeRun.objects.order_by("round").values_list("model_served", flat=True)
    assert list(models) == ["judge-1", "judge-1-2026-05-01"]


def test_a_submission_paused_while_collecting_cannot_be_judged_again() -> None:
    submission = submit(import_set(tree_files()), BOTH)
    Submission.objects.filter(pk=submission.pk).update(state="paused")
    with pytest.raises(CommandError, match="cannot become judging"):
        call_command("rejudge", submission.public_id)
    assert submission.jobs.get().state == Job.State.READY


def test_what_was_found_before_the_pause_is_kept(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"Brume is 14 kilometres": "insufficient_quota"}
    submission = submit(import_set(tree_files()), BOTH)
    run_jobs(submission)
    assert submission.state == "paused"
    assert not Verdict.objects.filter(answer__task__key="brume", check_id="length").exists()
    assert Extraction.objects.count() == 2
    endpoint.reset()
    call_command("resume", "--all")
    run_jobs(submission)
    assert submission.state == "judged"
    asked_again = asked(endpoint)
    assert "Lake Brume is 14 kilometres long" in asked_again
    assert not [line for line in asked_again if line.startswith("lake:")]


def test_an_exhausted_quota_costs_no_more_calls_than_are_in_flight(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, MODEL={**settings.EVALSERVICE["MODEL"], "in_flight": 2})
    endpoint.script.always = "insufficient_quota"
    tasks = {f"t{n}": lake_task() for n in range(12)}
    submission = submit(
        import_set(tree_files(tasks)), {key: f"{n} {BOTH['brume']}" for n, key in enumerate(tasks)}
    )
    run_jobs(submission)
    assert submission.state == "paused"
    assert endpoint.calls <= 2


def test_only_what_is_paused_can_be_resumed() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    with pytest.raises(CommandError, match=f"Not paused, or unknown: {submission.public_id}"):
        call_command("resume", submission.public_id)
    for arguments in ([], [submission.public_id, "--all"]):
        with pytest.raises(CommandError, match="Name submissions, or say --all"):
            call_command("resume", *arguments)


# ------------------------------------------------------------------ faults
def test_a_failing_endpoint_changes_no_score_and_only_what_failed_is_asked_again(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"Brume is 14 kilometres": "server_error"}
    submission = judged(import_set(tree_files()), BOTH)
    assert (submission.state, submission.incomplete_reasons) == (
        "incomplete",
        ["score_unknown", "errors_left", "coverage_low"],
    )
    assert scores_of(submission) == {"brume": None, "sallow": 0.5}
    assert findings(submission)["brume/length"] == "error"
    assert Verdict.objects.get(answer__task__key="brume", check_id="length").code == "server_error"
    answer = answer_of(submission, "brume")
    assert answer.metrics is not None
    assert answer.coverage == pytest.approx(2 / 3)
    assert answer.metrics["errors"] == 1
    endpoint.reset()
    again(submission)
    assert asked(endpoint) == ["Lake Brume is 14 kilometres long"]
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 1.0, "sallow": 0.5})
    assert submission.incomplete_reasons == []


def test_an_extraction_that_fails_leaves_errors_and_is_made_again(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"sources of Lake Brume": "server_error"}
    submission = judged(import_set(tree_files()), BOTH)
    assert scores_of(submission) == {"brume": None, "sallow": 0.5}
    assert "errors_left" in submission.incomplete_reasons
    assert {finding for check, finding in findings(submission).items() if check.startswith("brume")} == {
        "error"
    }
    endpoint.reset()
    again(submission)
    assert scores_of(submission) == {"brume": 1.0, "sallow": 0.5}
    assert endpoint.calls == 3


def test_a_doubt_that_cannot_matter_does_not_hold_up_the_score(endpoint: Endpoint) -> None:
    endpoint.script.containing = {"metres deep": "refusal"}
    task = lake_task()
    task["tree"]["children"].append({"id": "never", "critical": True, "assert": "false"})
    submission = judged(import_set(tree_files({"brume": task})), {"brume": BOTH["brume"]})
    # Not assessed, and behind a gate that is shut it changes nothing; but one of four checks is missing.
    assert (scores_of(submission), submission.incomplete_reasons) == ({"brume": 0.0}, [])


def test_odd_text_in_a_reply_is_stored_on_every_database(endpoint: Endpoint) -> None:
    endpoint.script.always = "surrogate"
    submission = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    assert submission.state in {"judged", "incomplete"}
    reasons = Verdict.objects.exclude(reason="").values_list("reason", flat=True)
    assert reasons
    assert not [reason for reason in reasons if "\x00" in reason or "\ud800" in reason]


# ------------------------------------------------------------------ votes
@pytest.mark.parametrize(
    ("votes", "wrong", "finding", "code", "calls"),
    [
        (3, [], "supported", "", 2),
        (3, [2], "supported", "", 3),
        (3, [1, 2], "not_assessed", "refusal", 2),
        (3, [2, 3], "not_assessed", "refusal", 3),
    ],
)
def test_two_votes_are_asked_at_once_and_a_third_if_they_disagree(
    endpoint: Endpoint, votes: int, wrong: list[int], finding: str, code: str, calls: int
) -> None:
    task = {
        "prompt": "How deep is Lake Brume?",
        "tree": {
            "id": "root",
            "children": [
                {"id": "deep", "claim": "The lake is 212 metres deep", "evidence": "none", "votes": votes}
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


def test_a_call_that_hangs_ends_as_an_error_and_holds_nothing_up(endpoint: Endpoint, settings: Any) -> None:
    changed(settings, SLICE_SECONDS=0.5, MODEL={**settings.EVALSERVICE["MODEL"], "timeout_s": 1})
    endpoint.script.containing = {"Brume is 14 kilometres": "hang"}
    submission = judged(import_set(tree_files()), BOTH)
    assert submission.state == "incomplete"
    assert findings(submission)["brume/length"] == "error"
    assert findings(submission)["brume/depth"] == "supported"
