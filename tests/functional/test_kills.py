"""Killing the worker again and again: nothing is lost, nothing judged twice, little paid for twice."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from judging.models import Extraction, ModelCall, Verdict
from submissions.models import Submission, System, TaskSet
from tests.endpoint import Endpoint
from tests.factories import make_system, make_team
from tests.judging_factories import import_set, run_jobs, scores_of, submit, tree_files
from tests.processes import WorkerProcess, until

pytestmark = pytest.mark.django_db(transaction=True)

KILLS = 5
TASKS = 10
CHECKS = 30  # a task; every one is a call of its own
IN_FLIGHT = 8  # a worker's, and there are two
BATCH = 100


def census(number: int) -> dict[str, Any]:
    """A task whose checks all ask something else."""
    leaves = [
        {"id": f"c{n}", "claim": f"Lake {number} was home to {n + 3} herons", "evidence": "none"}
        for n in range(CHECKS)
    ]
    return {"prompt": f"How many herons lived at Lake {number}?", "tree": {"id": "root", "children": leaves}}


def answer(number: int, chance: random.Random) -> str:
    """Some of the years are right."""
    counts = sorted(chance.sample(range(3, CHECKS + 3), 12))
    return "\n".join(f"Lake {number} was home to {count} herons." for count in counts)


@pytest.fixture
def task_set() -> TaskSet:
    return import_set(tree_files({f"lake{n}": census(n) for n in range(TASKS)}, pages={}))


def submitted(task_set: TaskSet, system: System, seed: int) -> Submission:
    chance = random.Random(seed)
    return submit(task_set, {f"lake{n}": answer(n, chance) for n in range(TASKS)}, system=system)


def asked(endpoint: Endpoint, count: int) -> bool:
    """Whether so many different questions have come; those that came twice count once."""
    return len({call.prompt for call in list(endpoint.log)}) >= count


def is_over(submission: Submission) -> bool:
    submission.refresh_from_db()
    return submission.state not in {"queued", "collecting", "judging"}


def test_a_worker_killed_five_times_gives_the_scores_of_one_that_was_left_alone(
    task_set: TaskSet, settings: Any, tmp_path: Path
) -> None:
    chance = random.Random(20260504)
    with Endpoint() as endpoint:
        endpoint.script.delay_s = 0.04
        judge = {
            "JUDGE": "openai",
            "JUDGE_MODEL": "judge-1",
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": endpoint.base_url,
        }
        environment = {
            "EVALSERVICE_JUDGE": "openai",
            "EVALSERVICE_JUDGE_MODEL": "judge-1",
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": endpoint.base_url,
            "EVALSERVICE_IN_FLIGHT": str(IN_FLIGHT),
            "EVALSERVICE_SHARD_ANSWERS": "5",
            "EVALSERVICE_LEASE_SECONDS": "2",
        }
        total = TASKS * CHECKS
        step = total // (KILLS + 1)
        moments = [n * step + chance.randrange(-step // 3, step // 3) for n in range(1, KILLS + 1)]

        disturbed = submitted(task_set, make_system(make_team()), seed=1)
        with WorkerProcess(tmp_path / "worker.log", **environment) as worker:
            for moment in moments:
                until(partial(asked, endpoint, moment), seconds=60, what=worker.log)
                worker.kill()
                assert not is_over(disturbed), f"too late at {moment} of {total} calls"
                worker.start()
            until(lambda: is_over(disturbed), seconds=60, what=worker.log)
        calls = endpoint.calls

        assert disturbed.state in {"judged", "published"}, (disturbed.state, disturbed.state_reason)
        verdicts = Verdict.objects.filter(run__submission=disturbed)
        assert verdicts.count() == verdicts.values("answer", "check_id").distinct().count() == total
        assert not Extraction.objects.exists()
        assert total <= calls <= total + KILLS * (2 * IN_FLIGHT + BATCH)
        assert asked(endpoint, total)
        assert not asked(endpoint, total + 1)

        ModelCall.objects.all().delete()
        endpoint.reset()
        settings.EVALSERVICE = {**settings.EVALSERVICE, **judge}
        undisturbed = submitted(task_set, make_system(make_team()), seed=1)
        run_jobs(undisturbed)
        assert endpoint.calls == total
        assert scores_of(disturbed) == scores_of(undisturbed)
        assert all(scores_of(disturbed).values())
        assert _figures(disturbed) == _figures(undisturbed)


def _figures(submission: Submission) -> Any:
    return [
        (answer.score, answer.coverage, answer.metrics, answer.feedback)
        for answer in submission.answers.order_by("task__position")
    ]
