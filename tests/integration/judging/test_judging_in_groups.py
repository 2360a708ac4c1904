"""Whole submissions of which many checks share a call: fewer calls, the same findings, however the work is shared out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judging.models import JudgeProfile, ModelCall, Spending, Verdict
from submissions.models import Submission, TaskSet
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import again, changed, judged_by
from tests.judging_factories import (
    LAKE_SCHEMA,
    REPORT_RIGHT,
    cascade_files,
    findings,
    import_set,
    judged,
    lake_answer,
    report_task,
    scores_of,
    tree_files,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]

SAID = {
    "depth": "Lake Brume is 212 metres deep", "length": "Lake Brume is 14 kilometres long",
    "surveyed": "Lake Brume was surveyed in 1931", "shallow": "Lake Brume is 31 metres deep",
    "act": "The Lake Act of 1968 forbids motor boats on Lake Brume", "amended": "The Lake Act was amended in 2011",
}  # fmt: skip
FACTS = {name: {"id": name, "claim": claim, "sources": "lake.sources"} for name, claim in SAID.items()}
EXTRACT = {"lake": {"instruction": "Sources", "schema": LAKE_SCHEMA}}
ANSWER = lake_answer(212, 14, "brume", "law")
FOUND = {"depth": "supported", "length": "supported", "surveyed": "supported", "shallow": "refuted",
         "act": "supported", "amended": "supported"}  # fmt: skip


def lakes(*tasks: str) -> TaskSet:
    """A set whose tasks all hold the same six claims by two pages, and two about the answer alone.

    Four find their best page in Brume's and two in the law's; what Brume's refutes is held against the law's by itself.
    """
    children = [
        *FACTS.values(),
        {"id": "brume", "claim": "The depth is 212 m", "evidence": "none"},
        {"id": "law", "claim": "The length is 14 km", "evidence": "none"},
    ]
    task = {"extract": EXTRACT, "tree": {"id": "lake", "children": children}}
    return import_set(tree_files({name: {"prompt": f"Link pages ({name})", **task} for name in tasks}))


def judged_in(
    settings: Any, folder: Path, task_set: TaskSet, together: int, text: str = ANSWER, **profile: Any
) -> Submission:
    """The same answers, judged in groups of so many."""
    grouped = {"group_claims": together} if together else {}
    judged_by(settings, folder, **{**grouped, **profile})
    return judged(task_set, dict.fromkeys(task_set.tasks.values_list("key", flat=True), text))


def sizes(endpoint: Endpoint) -> list[int]:
    """How many checks each call was about, those that verify nothing left out."""
    return sorted(count for call in endpoint.log if (count := call.prompt.count("Check id: ")))


def spent(submission: Submission) -> tuple[int, int]:
    """Calls and prompt tokens as counted for a submission."""
    rows = Spending.objects.filter(run__submission=submission)
    return sum(row.calls for row in rows), sum(row.prompt_tokens for row in rows)


def charged(endpoint: Endpoint) -> tuple[int, int]:
    """Calls and prompt tokens as the endpoint counts them."""
    return endpoint.calls, sum(len(call.prompt) // 4 + 1 for call in endpoint.log)


def test_checks_of_a_page_share_a_call_and_find_the_same(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    task_set = lakes("one")
    alone = judged_in(settings, tmp_path, task_set, 0)
    assert sizes(endpoint) == [1] * 9
    endpoint.reset()
    together = judged_in(settings, tmp_path, task_set, 20)
    assert sizes(endpoint) == [2, 2, 4]  # what is asked alone in both was answered before
    assert findings(together) == findings(alone)
    assert scores_of(together) == scores_of(alone)
    assert {name: findings(together)[f"one/{name}"] for name in FOUND} == FOUND


def test_a_cascade_is_judged_the_same_in_groups(endpoint: Endpoint, settings: Any, tmp_path: Path) -> None:
    task = report_task()
    task["subtasks"][0]["instruction"] += [
        {"id": f"says-{n}", "criterion": f"States that Lake Brume is {n} kilometres long"} for n in (14, 41)
    ]
    task_set = import_set(cascade_files({"report": task}))
    alone = judged_in(settings, tmp_path, task_set, 0, REPORT_RIGHT)
    calls = endpoint.calls
    endpoint.reset()
    together = judged_in(settings, tmp_path, task_set, 10, REPORT_RIGHT)
    assert (findings(together), scores_of(together)) == (findings(alone), scores_of(alone))
    assert endpoint.calls < calls
    assert 3 in sizes(endpoint)


def test_how_the_work_is_shared_out_changes_no_prompt(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    task_set = lakes("one", "two", "three")
    prompts, found = [], []
    for shard, in_flight in ((1, 1), (2, 8), (25, 3)):
        endpoint.reset()
        ModelCall.objects.all().delete()
        changed(settings, SHARD_ANSWERS=shard)
        # Another number of tokens makes another profile of it, so that nothing is remembered.
        submission = judged_in(
            settings, tmp_path, task_set, 3, limits={"in_flight": in_flight}, passage_tokens=1000 + shard
        )
        prompts.append(sorted(call.prompt for call in endpoint.log))
        found.append(findings(submission))
    assert prompts == [prompts[0]] * 3
    assert found == [found[0]] * 3
    assert sizes(endpoint) == sorted([1, 1, 2, 2, 3] * 3)


def test_what_groups_cost_is_counted_once(endpoint: Endpoint, settings: Any, tmp_path: Path) -> None:
    submission = judged_in(settings, tmp_path, lakes("one"), 20)
    assert spent(submission) == charged(endpoint)
    rows = Verdict.objects.filter(check_id__in=("depth", "length", "surveyed"))
    assert sorted(row.model_calls for row in rows) == [0, 0, 1]
    assert {row.record["calls"][0]["shared"] for row in rows} == {4}


def test_what_a_refused_group_cost_is_counted_too(endpoint: Endpoint, settings: Any, tmp_path: Path) -> None:
    endpoint.reset(containing={"31 metres": "refusal"})
    submission = judged_in(settings, tmp_path, lakes("one"), 20)
    assert spent(submission) == charged(endpoint)
    assert findings(submission)["one/shallow"] == "not_assessed"
    assert {findings(submission)[f"one/{name}"] for name in FOUND if name != "shallow"} == {"supported"}


def test_judging_again_asks_for_nothing_and_then_for_what_failed_alone(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    endpoint.reset(containing={"31 metres": "refusal"})
    submission = judged_in(settings, tmp_path, lakes("one"), 20)
    endpoint.reset()
    again(submission)
    assert sizes(endpoint) == [1, 1]  # by the one page and by the other
    assert findings(submission) == {"one/shallow": "refuted"}
    endpoint.reset()
    again(submission)
    assert endpoint.calls == 0


def test_a_budget_stops_groups_as_it_stops_checks(endpoint: Endpoint, settings: Any, tmp_path: Path) -> None:
    budget = {**settings.EVALSERVICE["BUDGET"], "submission_tokens": 10}
    changed(settings, BUDGET=budget, SHARD_ANSWERS=1)
    submission = judged_in(settings, tmp_path, lakes("one", "two"), 20)
    assert (submission.state, submission.state_reason) == ("paused", "budget_submission")
    assert spent(submission) == charged(endpoint)
    changed(settings, BUDGET={**budget, "submission_tokens": 0})


def test_a_panel_is_asked_about_groups_seat_by_seat(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    models = {"extract": "ash", "verify": ["ash", "birch", "cedar"]}
    endpoint.reset(models={"birch": "missing_ids"})
    submission = judged_in(settings, tmp_path, lakes("one"), 20, models=models)
    seats = Counter((call.body["model"], call.prompt.count("Check id: ")) for call in endpoint.log)
    # birch says nothing of two of the four, one of each two, and the one: cedar is asked about these alone.
    both = {(seat, size): calls for seat in ("ash", "birch") for size, calls in ((1, 1), (2, 2), (4, 1))}
    assert seats == {("ash", 0): 1, **both, ("cedar", 1): 3, ("cedar", 2): 1}
    assert {name: findings(submission)[f"one/{name}"] for name in FOUND} == FOUND
    assert spent(submission) == charged(endpoint)


def test_groups_make_another_profile_and_no_groups_the_same(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    task_set = lakes("one")
    for together in (0, 1, 5, 20):
        judged_in(settings, tmp_path, task_set, together)
    assert JudgeProfile.objects.count() == 3
