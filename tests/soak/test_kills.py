"""kill -9 of whatever belongs to the worker, in every phase of a submission: the scores of an undisturbed run."""

from __future__ import annotations

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import redis

from evalservice.demo import SETS, SYSTEMS
from judging.models import ModelCall, Verdict
from submissions.models import Job, Submission, TaskSet
from tests.endpoint import Endpoint
from tests.judging_factories import run_jobs
from tests.processes import ROOT, WorkerProcess, until
from tests.soak.conftest import Report
from tests.soak.examples import figures_of, open_sets, submit_pair
from tests.soak.scale import scaled

PHASES = ("queued", "collecting", "judging", "scoring", "publishing")
IN_FLIGHT = 4  # of a worker process, and there are two to a parent
DELAY_S = 0.05
# What a killed worker has asked and not yet written: calls in flight, and half a second of findings (architecture.md).
LOST = IN_FLIGHT + round(IN_FLIGHT * 0.5 / DELAY_S)
PATIENCE_S = 120.0
# The longest pause between seeing a phase and the kill; the shorter phases last a few hundredths of a second.
LONGEST_S = {"queued": 0.3, "collecting": 0.02, "judging": 0.8, "scoring": 0.01, "publishing": 0.01}
POSTGRES = "postgres://root@127.0.0.1"
REDIS = "redis://127.0.0.1:6379"


def phase_of(submission: Submission) -> str:
    """One of PHASES, or the state in which it ended."""
    submission.refresh_from_db()
    if submission.state == "judging" and submission.jobs.filter(kind=Job.Kind.SCORE).exists():
        return "scoring"
    return "publishing" if submission.state == "judged" else submission.state


def reached(submission: Submission, phase: str) -> bool:
    """Whether it is in that phase or past it."""
    now = phase_of(submission)
    return now not in PHASES or PHASES.index(now) >= PHASES.index(phase)


def moments(chance: random.Random) -> list[str]:
    """In which phases to kill, every phase as often as the others."""
    count = scaled(20, least=len(PHASES))
    wanted = [PHASES[number % len(PHASES)] for number in range(count)]
    chance.shuffle(wanted)
    return wanted


class Workers:
    """One or two parents, and a hand that kills."""

    def __init__(self, workers: list[WorkerProcess], chance: random.Random) -> None:
        self._workers = workers
        self._chance = chance
        self.victims: Counter[str] = Counter()

    def log(self) -> str:
        """What the first of them wrote last."""
        return "\n".join(worker.log()[-3_000:] for worker in self._workers)

    def kill_one(self) -> None:
        """Some process of some tree; a parent is started again, as whoever keeps it running would."""
        worker = self._chance.choice(self._workers)
        victim = self._chance.choice([worker.pid, *worker.tree()])
        if victim == worker.pid:
            self.victims["parent"] += 1
            worker.kill()
            worker.start()
            return
        self.victims["child"] += 1
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:  # it ended by itself in this very moment
            self.victims["gone"] += 1


def wait_for_phase(submission: Submission, phase: str, workers: Workers) -> None:
    """As closely as a poll can."""
    end = time.monotonic() + PATIENCE_S
    while not reached(submission, phase):
        assert time.monotonic() < end, f"{submission.public_id} never came to {phase}\n{workers.log()}"
        time.sleep(0.002)


def disturb(
    sets: dict[str, TaskSet], workers: Workers, chance: random.Random
) -> tuple[list[Any], Counter[str]]:
    """One submission a moment; (submission, pair, note) of each, and the phases the kills fell into."""
    made = []
    hit: Counter[str] = Counter()
    for number, phase in enumerate(moments(chance)):
        pair = chance.choice(list(SETS)), chance.choice(list(SYSTEMS))
        note = f"\n\nThis was run {number}.\n"
        submission = submit_pair(sets, pair, note=note)
        made.append((submission, pair, note))
        wait_for_phase(submission, phase, workers)
        time.sleep(chance.uniform(0, LONGEST_S[phase]))
        hit[phase_of(submission)] += 1
        workers.kill_one()
        until(lambda: phase_of(made[-1][0]) not in PHASES[:-1], seconds=PATIENCE_S, what=workers.log)
    return made, hit


def judge_settings(endpoint: Endpoint) -> dict[str, str]:
    """The judge at the endpoint, for another process."""
    return {
        "EVALSERVICE_JUDGE": "openai",
        "EVALSERVICE_JUDGE_MODEL": "judge-1",
        "OPENAI_API_KEY": "key",
        "OPENAI_BASE_URL": endpoint.base_url,
        "EVALSERVICE_IN_FLIGHT": str(IN_FLIGHT),
        "EVALSERVICE_SHARD_ANSWERS": "3",
        "EVALSERVICE_LEASE_SECONDS": "2",
    }


@pytest.mark.django_db(transaction=True)
def test_processes_of_the_worker_killed_in_every_phase_change_no_score(
    settings: Any, tmp_path: Path, report: Report
) -> None:
    begun = time.monotonic()
    chance = random.Random(20260504)
    sets = open_sets()
    parents = 2 if settings.REDIS_URL else 1
    with Endpoint(log=deque()) as endpoint, ExitStack() as stack:
        endpoint.script.delay_s = DELAY_S
        logs = [tmp_path / f"worker{number}.log" for number in range(parents)]
        started = [stack.enter_context(WorkerProcess(log, **judge_settings(endpoint))) for log in logs]
        workers = Workers(started, chance)
        made, hit = disturb(sets, workers, chance)
        kills = len(made)
        for submission, *_ in made:
            until(lambda one=submission: phase_of(one) == "published", seconds=PATIENCE_S, what=workers.log)  # type: ignore[misc]
        stack.close()
        calls, asked = endpoint.calls, {call.prompt for call in endpoint.log}

        for submission, *_ in made:
            verdicts = Verdict.objects.filter(run__submission=submission)
            assert verdicts.count() == verdicts.values("answer", "check_id").distinct().count() > 0
        assert not Job.objects.exclude(state=Job.State.DONE).exists()

        undisturbed, again = undisturbed_run(sets, made, endpoint, settings)
        repeated = calls - len(asked)
        report(test="kills", database=settings.DATABASES["default"]["ENGINE"].rsplit(".", 1)[1], parents=parents,
               kills=kills, parents_killed=workers.victims["parent"], calls=calls, repeated=repeated,
               bound=kills * 2 * LOST, seconds=round(time.monotonic() - begun),
               **{f"in_{phase}": count for phase, count in sorted(hit.items())})  # fmt: skip
        assert asked == again
        assert repeated <= kills * 2 * LOST
        assert set(PHASES) <= set(hit)
        for (submission, *_), other in zip(made, undisturbed, strict=True):
            assert figures_of(submission) == figures_of(other)


def undisturbed_run(
    sets: dict[str, TaskSet], made: list[Any], endpoint: Endpoint, settings: Any
) -> tuple[list[Submission], set[str]]:
    """The same answers judged in this process, and the prompts that took."""
    ModelCall.objects.all().delete()
    endpoint.reset()
    settings.EVALSERVICE = {
        **settings.EVALSERVICE, "JUDGE": "openai", "JUDGE_MODEL": "judge-1", "OPENAI_API_KEY": "key",
        "OPENAI_BASE_URL": endpoint.base_url,
    }  # fmt: skip
    submissions = [submit_pair(sets, pair, note=note) for _, pair, note in made]
    for submission in submissions:
        run_jobs(submission)
        assert submission.state == "judged"
    return submissions, {call.prompt for call in endpoint.log}


def listens(port: int) -> bool:
    """Whether somebody answers there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def servers() -> Iterator[dict[str, str]]:
    """PostgreSQL and Redis of this machine: a database name of our own, and a Redis database that nobody uses."""
    if os.environ.get("DATABASE_URL"):
        pytest.skip("the test above has just run on the database that DATABASE_URL names")
    if not (listens(5432) and listens(6379)):
        pytest.skip("no PostgreSQL and Redis on 127.0.0.1")
    for number in range(15, 0, -1):
        client = redis.Redis.from_url(f"{REDIS}/{number}")
        if not client.dbsize():
            break
    else:
        pytest.skip("every database of the Redis on 127.0.0.1 is in use")
    yield {"DATABASE_URL": f"{POSTGRES}/soak_{secrets.token_hex(4)}", "REDIS_URL": f"{REDIS}/{number}"}
    client.flushdb()
    client.close()


def test_the_same_on_postgresql_and_redis_with_two_parents(servers: dict[str, str], report: Report) -> None:
    """In a run of pytest of its own: settings are read once a process."""
    arguments = ["-q", "-p", "no:cacheprovider", "-m", "soak", "--timeout", "1500", f"{__file__}::{_FIRST}"]
    kept = {name: value for name, value in os.environ.items() if name != "EVALSERVICE_VAR"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env={**kept, **servers}, timeout=1500,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("soak: ")]
    report(nested=line.removeprefix("soak: "))


_FIRST = test_processes_of_the_worker_killed_in_every_phase_change_no_score.__name__
