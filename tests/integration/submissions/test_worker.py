"""The worker: its parent in this process, and the whole of it in processes of its own."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import time
import uuid
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import django_q.cluster
import pytest
from django_q.conf import Conf
from django_q.models import Failure
from django_q.tasks import async_task

from submissions.models import Job, Submission
from submissions.queue import cluster
from submissions.queue.cluster import StrictSentinel, Worker
from submissions.queue.draining import drain, draining
from submissions.queue.screening import PipelineOnly, refuse
from tests.endpoint import Endpoint
from tests.judging_factories import import_set, lake_answer, lake_task, scores_of, submit, tree_files
from tests.processes import WorkerProcess, is_alive, until


# ------------------------------------------------------------------ the parent, without children
class Sentinel:
    """Lives for so many looks."""

    exitcode = 70

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.killed = False

    def is_alive(self) -> bool:
        self.looks -= 1
        return self.looks >= 0

    def join(self, seconds: float) -> None:
        pass

    def kill(self) -> None:
        self.killed = True


class Clusters:
    """Clusters one after another; the last one is told to stop."""

    def __init__(self, *lives: Any) -> None:
        self.lives = list(lives)
        self.stopped = 0
        self.sentinels: list[Sentinel] = []
        self.latest: Any = None

    def __call__(self) -> Any:
        self.latest = SimpleNamespace(sentinel=None, start=self.start, stop=self.stop)
        return self.latest

    def start(self) -> None:
        life = self.lives.pop(0)
        if not self.lives:
            os.kill(os.getpid(), signal.SIGTERM)
        if isinstance(life, Exception):
            raise life
        self.sentinels.append(Sentinel(life))
        self.latest.sentinel = self.sentinels[-1]

    def stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def _signals() -> Any:
    """Our handlers and the mark of draining end with the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    sentinel = django_q.cluster.Sentinel
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    django_q.cluster.Sentinel = sentinel
    drain(False)


def serve(monkeypatch: pytest.MonkeyPatch, *lives: Any) -> tuple[Clusters, list[bool]]:
    clusters = Clusters(*lives)
    ticks: list[bool] = []
    monkeypatch.setattr(django_q.cluster, "Cluster", clusters)
    monkeypatch.setattr(os, "register_at_fork", lambda **hooks: None)
    monkeypatch.setattr(cluster, "RESTART_SECONDS", 0.0)
    Worker(tick=ticks.append).run()
    return clusters, ticks


@pytest.mark.usefixtures("_signals")
def test_a_cluster_that_ends_unasked_is_started_anew(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clusters, ticks = serve(monkeypatch, 2, 1, 5)
    assert (len(clusters.sentinels), clusters.stopped) == (3, 1)
    assert ticks == [True, True]  # the third was told to stop before it could
    assert caplog.text.count("queue_restarting") == 2
    assert draining()


@pytest.mark.usefixtures("_signals")
def test_a_cluster_that_does_not_come_up_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clusters, _ = serve(monkeypatch, RuntimeError("sentinel exited with code 1"), 5)
    assert (len(clusters.sentinels), clusters.stopped) == (1, 1)
    assert "queue_did_not_start" in caplog.text


@pytest.mark.usefixtures("_signals")
def test_a_sentinel_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "HUNG_SECONDS", -1.0)
    clusters, _ = serve(monkeypatch, 1, 1)
    assert clusters.sentinels[0].killed


@pytest.mark.usefixtures("_signals")
def test_a_tick_comes_every_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "TICK_SECONDS", 0.0)
    _, ticks = serve(monkeypatch, 4, 1)
    assert ticks == [True, False, False, False]


def test_children_ask_to_die_with_their_parent_where_the_system_can(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(prctl=lambda *what: asked.append(what)))
    cluster.die_with_parent()
    monkeypatch.setattr(sys, "platform", "darwin")
    cluster.die_with_parent()
    assert asked == [(1, signal.SIGKILL)]


def test_children_leave_alone_what_they_were_born_with() -> None:
    before = gc.get_threshold()
    try:
        cluster.collect_less_often()
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold()[0] > before[0]
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


# ------------------------------------------------------------------ the sentinel, without processes
class Child:
    """A process of a pool; ``timer`` as django-q2 keeps it."""

    name = "child"
    pid = 0

    def __init__(self, timer: float, *, alive: bool = True) -> None:
        self.timer = SimpleNamespace(value=timer)
        self.alive = alive

    def is_alive(self) -> bool:
        return self.alive

    def kill(self) -> None:
        self.alive = False


@pytest.fixture
def sentinel(monkeypatch: pytest.MonkeyPatch) -> StrictSentinel:
    made = StrictSentinel.__new__(StrictSentinel)
    made.pool = [Child(0), Child(-2), Child(-1)]
    made.monitor, made.pusher = Child(0), None
    replaced: list[Any] = []
    made.replaced = replaced
    monkeypatch.setattr(
        django_q.cluster.Sentinel, "reincarnate", lambda self, process: replaced.append(process)
    )
    return made


@pytest.mark.parametrize("planned", [0, 1])
def test_a_worker_that_timed_out_or_is_recycled_is_replaced(sentinel: StrictSentinel, planned: int) -> None:
    sentinel.reincarnate(sentinel.pool[planned])
    assert sentinel.replaced == [sentinel.pool[planned]]


class Ended(BaseException):
    """The process would be gone."""


@pytest.mark.parametrize("which", ["worker", "monitor"])
def test_an_unplanned_death_ends_the_whole_cluster(
    sentinel: StrictSentinel, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    def leave(code: int) -> None:
        raise Ended(code)

    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(Ended, match="70"):
        sentinel.reincarnate(sentinel.pool[2] if which == "worker" else sentinel.monitor)
    assert sentinel.replaced == []
    assert not any(child.alive for child in [*sentinel.pool, sentinel.monitor])


def test_a_sign_of_life_is_given_with_every_look(
    sentinel: StrictSentinel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(django_q.cluster.Sentinel, "status", lambda self: "idle")
    cluster._heartbeat.value = 0.0
    before = time.monotonic()
    assert sentinel.status() == "idle"
    assert before <= cluster._heartbeat.value <= time.monotonic()


# ------------------------------------------------------------------ what is not the pipeline's
class Stop:
    """An event that is set after so many looks."""

    def __init__(self, looks: int = 0) -> None:
        self.looks = looks

    def wait(self, seconds: float) -> bool:
        self.looks -= 1
        return self.looks < 0

    def set(self) -> None:
        pass

    def is_set(self) -> bool:
        return False


def guard(monkeypatch: pytest.MonkeyPatch, *, looks: int) -> None:
    """So many rounds of a sentinel without children."""
    monkeypatch.setattr(django_q.cluster.Sentinel, "stop", lambda self: None)
    made = StrictSentinel(Stop(looks), Stop(), uuid.uuid4(), start=False)
    made.monitor = made.pusher = Child(0)
    made.guard()


@pytest.mark.django_db
@pytest.mark.usefixtures("_signals")
def test_nobody_looks_for_what_was_scheduled(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    monkeypatch.setattr(django_q.cluster, "scheduler", lambda broker: looked.append(broker))
    guard(monkeypatch, looks=200)  # at half a second each
    assert looked == []
    monkeypatch.setattr(Conf, "SCHEDULER", True)  # what the test would see otherwise
    guard(monkeypatch, looks=200)
    assert looked


@pytest.mark.parametrize("extra", [{"hook": "os.system"}, {"chain": [("os.system", ("true",))]}])
def test_a_step_that_brings_another_callable_is_refused(extra: dict[str, Any]) -> None:
    step = {"id": "1", "name": "n", "func": "judging.tasks.judge_answers", "args": (1,), "kwargs": {}}
    queue: SimpleQueue[Any] = SimpleQueue()
    for message in (step, {**step, **extra}, "STOP"):
        queue.put(message)
    screened = PipelineOnly(queue)
    assert screened.get() == step
    assert screened.get() == {"id": "1", "name": "n", "func": refuse, "args": (), "kwargs": {}}
    assert screened.get() == "STOP"


# ------------------------------------------------------------------ all of it
@pytest.fixture
def worker(tmp_path: Path) -> Any:
    """A worker that judges offline."""
    with WorkerProcess(tmp_path / "worker.log") as process:
        yield process


def a_submission() -> Submission:
    return submit(import_set(tree_files()), {"brume": lake_answer(212, 14, "brume")})


def state_of(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.state


def is_scored(submission: Submission) -> bool:
    return state_of(submission) in {"judged", "published"}


@pytest.mark.django_db(transaction=True)
def test_a_worker_judges_what_was_submitted_before_it_came_and_after(worker: WorkerProcess) -> None:
    first = a_submission()
    until(lambda: is_scored(first), what=worker.log)
    assert scores_of(first) == {"brume": 1.0, "sallow": 0.0}
    assert worker.stop() == 0


@pytest.mark.django_db(transaction=True)
def test_a_worker_runs_nothing_but_the_steps_of_the_pipeline(worker: WorkerProcess, tmp_path: Path) -> None:
    target = tmp_path / "made"
    async_task("os.mkdir", str(target))
    failed = until(Failure.objects.first, what=worker.log)
    assert "NotAStep" in failed.result
    assert not target.exists()
    assert "queue_message_refused" in worker.log()
    submission = a_submission()
    until(lambda: is_scored(submission), what=worker.log)


@pytest.mark.django_db(transaction=True)
def test_an_idle_child_that_is_killed_restarts_the_cluster(worker: WorkerProcess) -> None:
    before = worker.tree()
    os.kill(before[-1], signal.SIGKILL)
    until(lambda: not any(map(is_alive, before)), what=worker.log)
    until(lambda: len(worker.tree()) >= 5, what=worker.log)
    submission = a_submission()
    until(lambda: is_scored(submission), what=worker.log)
    assert "queue_child_died" in worker.log()


@pytest.mark.django_db(transaction=True)
def test_a_worker_on_redis_judges_too(tmp_path: Path) -> None:
    url = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/15"
    if not _answers(url):
        pytest.skip("no Redis on this machine")
    submission = a_submission()
    Job.objects.update(woken_at=None)  # its message went to the broker of this process: the reaper finds it
    with WorkerProcess(tmp_path / "worker.log", REDIS_URL=url) as process:
        until(lambda: is_scored(submission), what=process.log)


def _answers(url: str) -> bool:
    import redis

    try:
        return bool(redis.Redis.from_url(url).ping())
    except redis.ConnectionError:
        return False


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_asked_to_end_finishes_its_calls_and_no_more(tmp_path: Path) -> None:
    tasks = {f"t{n}": lake_task() for n in range(20)}
    answers = {key: f"{n}\n\n{lake_answer(212 + n, 14 + n, 'brume')}" for n, key in enumerate(tasks)}
    with Endpoint() as endpoint:
        endpoint.script.delay_s = 0.3
        submission = submit(import_set(tree_files(tasks)), answers)
        environment = {
            "EVALSERVICE_JUDGE": "openai",
            "EVALSERVICE_JUDGE_MODEL": "judge-1",
            "OPENAI_BASE_URL": endpoint.base_url,
            "OPENAI_API_KEY": "key",
            "EVALSERVICE_IN_FLIGHT": "2",
        }
        with WorkerProcess(tmp_path / "worker.log", **environment) as process:
            until(lambda: endpoint.calls >= 6, what=process.log)
            endpoint.script.delay_s = 3.0  # the calls that begin now outlast the way of the signal
            asked = endpoint.calls
            assert process.stop() == 0
            assert endpoint.calls <= asked + 2
        job = submission.jobs.get(kind="judge")
        assert (job.state, state_of(submission)) == (Job.State.READY, "judging")
        # What was paid for is kept: each call is a verdict or an extraction.
        run = submission.judge_runs.get()
        called = run.verdicts.filter(model_calls__gt=0).count() + run.extractions.count()
        assert called == endpoint.calls
