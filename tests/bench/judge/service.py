"""The service itself on the bench: a database of its own, a real worker, and what a submission cost it."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.judge.world import answer_text, bundle_files

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE_S = 240.0
IDLE_S = 2.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What judging a submission took. ``seconds`` from the first call to the last; ``cpu_seconds`` of all processes of the
    worker; ``peak_rss_mb`` of the largest of them."""

    calls: int
    input_tokens: int
    seconds: float
    most_in_flight: int
    mean_in_flight: float
    cpu_seconds: float
    peak_rss_mb: float


class Endpoint:
    """The simulated endpoint in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self._base = f"http://127.0.0.1:{int(process.stdout.readline())}"

    @property
    def url(self) -> str:
        """What a client is given."""
        return f"{self._base}/v1"

    def reset(self, latency: float, *, keep: int = 0) -> None:
        """Count anew. ``latency`` in seconds; the first ``keep`` prompts are kept."""
        body = json.dumps({"latency": latency, "keep": keep}).encode()
        urllib.request.urlopen(f"{self._base}/count", body).read()

    def get(self, path: str) -> Any:
        """``count`` or ``kept``."""
        return json.load(urllib.request.urlopen(f"{self._base}/{path}"))


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """One endpoint, ended with the block."""
    command = [sys.executable, "-m", "tests.bench.judge.endpoint"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Endpoint(process)
        finally:
            process.kill()


def prepare(var: Path, url: str) -> None:
    """Django on an empty database in ``var``, with the bench's set imported and open."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "evalservice.settings", "EVALSERVICE_DEMO": "1", "EVALSERVICE_VAR": str(var), "EVALSERVICE_JUDGE": "openai", "OPENAI_API_KEY": "bench",
        "EVALSERVICE_JUDGE_MODEL": "judge-1", "OPENAI_BASE_URL": url, "EVALSERVICE_LOG_LEVEL": "ERROR",
        "DATABASE_URL": f"sqlite:///{var}/bench.sqlite3",
    }  # fmt: skip
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from tests.judging_factories import import_set

    import_set(bundle_files())


def judged(
    tasks: Iterable[int], *, in_flight: int, latency: float, at: Endpoint, var: Path, keep: int = 0
) -> tuple[Any, Cost]:
    """A new submission with answers to these tasks, judged by a worker; the submission and what it cost."""
    submission = _collected(tasks)
    with _worker(in_flight, var) as worker:
        cost = _cost(submission, worker, latency, at, keep)
    return submission, cost


def judged_again(submission: Any, *, in_flight: int, latency: float, at: Endpoint, var: Path) -> Cost:
    """Judge once more."""
    from django.utils import timezone

    from judging.rounds import rejudge

    rejudge(submission, actor="bench", now=timezone.now())
    _hold(submission)
    with _worker(in_flight, var) as worker:
        return _cost(submission, worker, latency, at, 0)


def _collected(tasks: Iterable[int]) -> Any:
    """A submission whose pages are collected and whose jobs wait."""
    from submissions.models import TaskSet
    from tests.judging_factories import RUN, submit

    task_set = TaskSet.objects.get(slug="rain")
    given = {f"region-{task:03}": answer_text(task) for task in tasks}
    submission = submit(task_set, given)
    RUN["collect"](submission.jobs.get(kind="collect").pk)
    _hold(submission)
    return submission


def _hold(submission: Any) -> None:
    """Let no worker judge it yet: one that starts looks for work of its own accord."""
    submission.jobs.filter(state="ready").update(not_before=dt.datetime.max.replace(tzinfo=dt.UTC))


@contextmanager
def _worker(in_flight: int, var: Path) -> Iterator[Any]:
    from tests.processes import WorkerProcess

    with WorkerProcess(var / "worker.log", EVALSERVICE_IN_FLIGHT=str(in_flight)) as worker:
        time.sleep(IDLE_S)
        yield worker


def _cost(submission: Any, worker: Any, latency: float, at: Endpoint, keep: int) -> Cost:
    from django.utils import timezone

    from submissions.queue import wake
    from tests.processes import until

    at.reset(latency, keep=keep)
    before = sum(map(_cpu, worker.tree()))
    submission.jobs.filter(state="ready").update(not_before=None)
    for job in submission.jobs.filter(kind="judge", state="ready").order_by("id"):
        wake(job, now=timezone.now())
    peak = _Peak(worker)
    done = type(submission).objects.filter(
        pk=submission.pk, state__in=["judged", "incomplete", "published", "failed"]
    )
    until(lambda: peak.look() and done.exists(), seconds=PATIENCE_S, what=worker.log)
    after = sum(map(_cpu, worker.tree()))
    submission.refresh_from_db()
    if submission.state not in {"judged", "published"}:
        raise RuntimeError(f"the bench's submission ended {submission.state}\n{worker.log()}")
    counted = at.get("count")
    return Cost(
        calls=counted["calls"],
        input_tokens=counted["input_tokens"],
        seconds=counted["seconds"],
        most_in_flight=counted["most_in_flight"],
        mean_in_flight=counted["mean_in_flight"],
        cpu_seconds=after - before,
        peak_rss_mb=peak.mb,
    )


class _Peak:
    """The largest resident size any process of the worker ever had."""

    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self.mb = 0.0

    def look(self) -> bool:
        """Look again; always true."""
        time.sleep(0.1)
        self.mb = max(self.mb, *map(_high_water_mb, self._worker.tree()))
        return True


def _cpu(pid: int) -> float:
    """CPU seconds of a process and of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICKS


def _high_water_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:  # ended meanwhile
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)
