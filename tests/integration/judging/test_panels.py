"""Panels: several models in fixed seats, whose strict majority decides."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from judging.judges.base import JudgeUnavailable
from judging.models import JudgeRun, Verdict
from judging.recording import pin
from submissions.models import Submission, TaskSet
from tests.endpoint import Endpoint
from tests.endpoint.parts import Check, Parts
from tests.endpoint.sense import Sense
from tests.integration.judging.modelled import judged_by
from tests.judging_factories import findings, import_set, judged, model_judges, scores_of, tree_files

pytestmark = pytest.mark.django_db(transaction=True)

SEATS = ("ash", "birch", "cedar")
LETTERS = {"s": "supported", "r": "refuted", "u": "undecided", "c": "cannot_judge"}
MEANT = {**LETTERS, "c": "not_assessed"}
# Every task has claims whose statements are these letters: what ash, birch and cedar say of it.
TASKS = {
    "agreed": ["sss", "rrr", "uuu"],
    "by-two": ["ssr", "srs", "rss", "rrs", "rur", "suu", "css", "rcr"],
    "open": ["sru", "scr", "ccs", "cus", "sss"],
}


class Opinions:
    """Models that say what a statement tells them to, each after its own time."""

    def __init__(self) -> None:
        self.slow: dict[str, float] = {}
        self.sense = Sense()

    async def __call__(self, parts: Parts) -> Mapping[str, Any]:
        """The object of the reply."""
        await asyncio.sleep(self.slow.get(parts.model, 0))
        if not parts.checks:
            return await self.sense(parts)
        return {"verdicts": [self._verdict(check, parts.model) for check in parts.checks]}

    def _verdict(self, check: Check, model: str) -> dict[str, Any]:
        letter = check.statement.split()[0][SEATS.index(model)]
        return {"id": check.id, "verdict": LETTERS[letter], "reason": f"{model} says {letter}", "quote": ""}


@pytest.fixture(scope="module")
def opinions() -> Iterator[Endpoint]:
    with Endpoint(brain=Opinions()) as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(opinions: Endpoint, settings: Any) -> Endpoint:
    """The models' endpoint; a call that fails is not tried again."""
    opinions.reset()
    opinions.brain = Opinions()
    model_judges(settings, opinions.base_url, attempts=1, timeout_s=5, in_flight=8)
    return opinions


def lettered(*tasks: str) -> TaskSet:
    """A set whose claims are decided by what their letters say."""
    return import_set(
        tree_files(
            {
                name: {
                    "prompt": "What do they say?",
                    "tree": {
                        "id": "root",
                        "children": [
                            {"id": letters, "claim": f"{letters} is said of {name}", "evidence": "none"}
                            for letters in TASKS[name]
                        ],
                    },
                }
                for name in tasks
            }
        )
    )


def judged_so(
    settings: Any, folder: Path, task_set: TaskSet, seats: tuple[str, ...], **profile: Any
) -> Submission:
    """The same answers, judged by these seats."""
    models = {"extract": "ash", "verify": list(seats)}
    judged_by(settings, folder, **{"models": models, **profile})
    return judged(task_set, dict.fromkeys(task_set.tasks.values_list("key", flat=True), "An answer."))


def majority(letters: str) -> str:
    """What three seats say together, by hand."""
    letter, times = Counter(letters).most_common(1)[0]
    return MEANT[letter] if times > 1 else "not_assessed"


# ------------------------------------------------------------------ the majority, in whatever order
def test_permuting_seats_and_sharing_out_the_work_otherwise_changes_no_score(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    task_set = lettered(*TASKS)
    scores = []
    for number, seats in enumerate(permutations(SEATS)):
        settings.EVALSERVICE = {**settings.EVALSERVICE, "SHARD_ANSWERS": 1 + number % 3}
        assert isinstance(endpoint.brain, Opinions)
        endpoint.brain.slow = {seats[number % 3]: 0.02}
        submission = judged_so(
            settings, tmp_path, task_set, seats, limits={"in_flight": (1, 2, 8)[number // 2]}
        )
        assert findings(submission) == {
            f"{name}/{letters}": majority(letters) for name, claims in TASKS.items() for letters in claims
        }
        scores.append(scores_of(submission))
    assert scores == [scores[0]] * 6
    assert scores[0] == {"agreed": pytest.approx(1 / 3), "by-two": 0.5, "open": None}


@pytest.mark.parametrize("fault", ["server_error", "refusal", "garbage"])
def test_a_seat_that_fails_stays_in_the_count_whichever_it_is(
    endpoint: Endpoint, settings: Any, tmp_path: Path, fault: str
) -> None:
    task_set = lettered("agreed")
    for number, fails in enumerate(SEATS):
        endpoint.reset(models={fails: fault})
        seats = list(permutations(SEATS))[number]
        submission = judged_so(settings, tmp_path, task_set, seats, votes=1, passage_tokens=1000 + number)
        assert findings(submission) == {
            "agreed/sss": "supported",
            "agreed/rrr": "refuted",
            "agreed/uuu": "undecided",
        }


@pytest.mark.parametrize("lost", ["ash", "birch", "cedar"])
def test_two_against_one_is_no_majority_once_one_of_the_two_is_lost(
    endpoint: Endpoint, settings: Any, tmp_path: Path, lost: str
) -> None:
    endpoint.reset(models={lost: "refusal"})
    submission = judged_so(settings, tmp_path, lettered("by-two"), SEATS)
    two = {letters: [seat for seat, letter in zip(SEATS, letters, strict=True) if letters.count(letter) == 2]
           for letters in TASKS["by-two"]}  # fmt: skip
    unsettled = {letters for letters, seats in two.items() if lost in seats}
    rows = {
        row.check_id: (row.finding, row.code) for row in Verdict.objects.filter(run__submission=submission)
    }
    assert {letters for letters, (finding, _) in rows.items() if finding == "not_assessed"} == unsettled
    assert {rows[letters][1] for letters in unsettled if "c" not in letters} == {"disagreement"}


def test_two_seats_are_asked_and_the_third_if_they_disagree(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    judged_so(settings, tmp_path, lettered("by-two"), SEATS)
    agreed = [letters for letters in TASKS["by-two"] if letters[0] == letters[1]]
    asked = Counter(call.body["model"] for call in endpoint.log)
    assert asked == {"ash": 8, "birch": 8, "cedar": 8 - len(agreed)}
    records = Verdict.objects.get(check_id="rss").record["calls"]
    assert [(one["model_asked"], one["model_served"]) for one in records] == [(seat, seat) for seat in SEATS]


@pytest.mark.parametrize(("letters", "seats", "speaks"), [
    ("ssr", SEATS, "ash"), ("ssr", ("birch", "cedar", "ash"), "birch"), ("rss", SEATS, "birch"), ("srs", SEATS, "ash"),
])  # fmt: skip
def test_the_first_seat_of_the_majority_speaks_for_it_whoever_answers_first(
    endpoint: Endpoint, settings: Any, tmp_path: Path, letters: str, seats: tuple[str, ...], speaks: str
) -> None:
    assert isinstance(endpoint.brain, Opinions)
    endpoint.brain.slow = {speaks: 0.05}
    judged_so(settings, tmp_path, lettered("by-two"), seats)
    assert Verdict.objects.get(check_id=letters).reason.startswith(f"{speaks} says")


def test_the_rubrics_votes_are_for_models_that_judge_alone(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    task = {
        "prompt": "What do they say?",
        "tree": {"id": "root", "children": [{"id": "x", "claim": "rss so", "evidence": "none", "votes": 1}]},
    }
    submission = judged_so(settings, tmp_path, import_set(tree_files({"one": task})), SEATS)
    assert findings(submission) == {"one/x": "supported"}
    assert [call.body["model"] for call in endpoint.log] == list(SEATS)


def test_one_model_may_read_and_another_decide(endpoint: Endpoint, settings: Any, tmp_path: Path) -> None:
    task_set = import_set(tree_files({"lake": {
        "prompt": "How deep?",
        "extract": {"lake": {"instruction": "Depth", "schema": {"type": "object", "properties": {
            "depth": {"type": "number", "x-labels": ["Depth"]}}}}},
        "tree": {"id": "root", "children": [{"id": "x", "claim": "rrs at {{ lake.depth }}", "evidence": "none"}]},
    }}))  # fmt: skip
    judged_by(settings, tmp_path, models={"extract": "ash", "verify": ["cedar"]})
    submission = judged(task_set, {"lake": "- Depth: 12 m"})
    assert [call.body["model"] for call in endpoint.log] == ["ash", "cedar"]
    assert findings(submission) == {"lake/x": "supported"}
    assert json.loads(JudgeRun.objects.get().model_served) == {"ash": "ash", "cedar": "cedar"}
    assert JudgeRun.objects.get().profile.model == "cedar; extraction: ash"


# ------------------------------------------------------------------ one seat's trouble
def test_a_model_that_is_down_is_left_alone_and_the_others_are_asked(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    endpoint.reset(models={"birch": "server_error"})
    limits = {"in_flight": 1, "attempts": 1}
    submission = judged_so(settings, tmp_path, lettered("agreed"), SEATS, limits=limits)
    asked = Counter(call.body["model"] for call in endpoint.log)
    assert asked == {"ash": 3, "birch": 1, "cedar": 3}
    assert scores_of(submission) == {"agreed": pytest.approx(1 / 3)}


def test_a_seat_that_another_model_takes_pauses_the_round(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    endpoint.reset(models={"birch": "other_model"})
    submission = judged_so(settings, tmp_path, lettered("agreed"), SEATS)
    assert (submission.state, submission.state_reason) == ("paused", "wrong_model")


def test_every_seat_is_pinned_to_the_model_that_served_it_first(
    endpoint: Endpoint, settings: Any, tmp_path: Path
) -> None:
    judged_so(settings, tmp_path, lettered("by-two"), SEATS)
    run = JudgeRun.objects.get()
    assert run.model_served == '{"ash":"ash","birch":"birch","cedar":"cedar"}'
    with pytest.raises(JudgeUnavailable, match="pinned birch, served birch-0601"):
        pin(run, "birch-0601", asked="birch")


def test_seats_pinned_by_two_workers_are_all_kept(endpoint: Endpoint, settings: Any, tmp_path: Path) -> None:
    judged_so(settings, tmp_path, lettered("agreed"), SEATS)
    JudgeRun.objects.update(model_served="")
    one, other = JudgeRun.objects.get(), JudgeRun.objects.get()
    pin(one, "ash-0601", asked="ash")
    pin(other, "birch-0601", asked="birch")
    pin(one, "birch-0601", asked="birch")
    assert json.loads(JudgeRun.objects.get().model_served) == {"ash": "ash-0601", "birch": "birch-0601"}
    with pytest.raises(JudgeUnavailable, match="pinned ash-0601, served ash-0701"):
        pin(other, "ash-0701", asked="ash")
