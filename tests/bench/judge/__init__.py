"""Judging through a model, against what it must take at the least and against a plain loop.

The endpoint is simulated, in a process of its own; the service is real: a database, ``manage.py worker``, the judge. Every
goal is a ratio within this run, so a slow machine slows both sides.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.judge.service import Cost, Endpoint, endpoint, judged, judged_again, prepare
from tests.bench.measure import Figure

ALL = range(60)
ALL_AGAIN = range(60, 120)
FEW = range(120, 140)  # to compare with all
PAIR = range(140, 143)  # given to the plain loop
KEPT = 600  # prompts the bare loop repeats
CRITICAL_PATH = 2  # calls one after the other: reading the answer, then every claim at once
MOST_RSS_MB = 300


def figures() -> Iterator[Figure]:
    """Every figure of this bench."""
    with tempfile.TemporaryDirectory() as folder, endpoint() as at:
        var = Path(folder)
        prepare(var, at.url)
        yield from _figures(at, var)


def _figures(at: Endpoint, var: Path) -> Iterator[Figure]:
    submission, fast = judged(ALL, in_flight=64, latency=1.0, at=at, var=var, keep=KEPT)
    prompts = at.get("kept")
    at.reset(1.0)
    bare = _loop("bare", at, 64, prompts)
    bare_cpu = bare["cpu_seconds"] / bare["calls"]
    yield from _bounds("64_at_1s", fast, 64, 1.0, bare_cpu)
    _, few = judged(FEW, in_flight=64, latency=1.0, at=at, var=var)
    yield from _per_call(fast, few, bare_cpu)
    yield from _changed(submission, at, var)
    _, slow = judged(ALL_AGAIN, in_flight=16, latency=0.2, at=at, var=var)
    yield from _bounds("16_at_200ms", slow, 16, 0.2, bare_cpu)
    yield from _against_reference(at, var)


def _bounds(name: str, cost: Cost, in_flight: int, latency: float, bare_cpu: float) -> Iterator[Figure]:
    bound = max(
        CRITICAL_PATH * latency,
        cost.calls * latency / in_flight,
        cost.calls * bare_cpu / (os.cpu_count() or 1),
    )
    metric = "wall_over_bound" if name == "64_at_1s" else f"wall_over_bound_{name}"
    yield Figure(metric, cost.seconds / bound, 1.2)
    yield Figure(f"most_in_flight_over_limit_{name}", cost.most_in_flight / in_flight, 1.0)
    yield Figure(f"mean_in_flight_over_limit_{name}", cost.mean_in_flight / in_flight, 0.8, at_least=True)


def _per_call(all_of_them: Cost, few: Cost, bare_cpu: float) -> Iterator[Figure]:
    yield Figure("calls", all_of_them.calls)
    yield Figure("cpu_ms_per_call_bare", 1000 * bare_cpu)
    yield Figure("cpu_per_call_vs_bare_client", all_of_them.cpu_seconds / all_of_them.calls / bare_cpu, 2.0)
    yield Figure("peak_rss_mb", all_of_them.peak_rss_mb, MOST_RSS_MB)
    yield Figure(f"rss_{len(ALL)}_over_{len(FEW)}_answers", all_of_them.peak_rss_mb / few.peak_rss_mb, 1.25)
    growth = (all_of_them.cpu_seconds / all_of_them.calls) / (few.cpu_seconds / few.calls)
    yield Figure(f"cpu_per_call_{len(ALL)}_over_{len(FEW)}_answers", growth, 1.25)


def _changed(submission: Any, at: Endpoint, var: Path) -> Iterator[Figure]:
    """One claim of one task worded anew: of all calls, those of that claim."""
    from tests.bench.judge.revise import revise_one

    revise_one()
    again = judged_again(submission, in_flight=64, latency=0.2, at=at, var=var)
    yield Figure("calls_after_one_claim_changed", again.calls, 1)


def _against_reference(at: Endpoint, var: Path) -> Iterator[Figure]:
    submission, ours = judged(PAIR, in_flight=64, latency=0.2, at=at, var=var)
    at.reset(0.2)
    theirs = _loop("reference", at, PAIR.start)
    counted = at.get("count")
    for metric in ("calls", "input_tokens", "seconds"):
        yield Figure(f"{metric}_ours", getattr(ours, metric))
        yield Figure(f"{metric}_serial", counted[metric])
    yield Figure("speedup_vs_serial", counted["seconds"] / ours.seconds, 10.0, at_least=True)
    yield Figure(
        "input_token_ratio_vs_serial", counted["input_tokens"] / ours.input_tokens, 5.0, at_least=True
    )
    yield Figure("verdicts_differing", _differing(submission, theirs["verdicts"]), 0)


def _differing(submission: Any, theirs: dict[str, str]) -> int:
    from judging.models import Verdict

    rows = Verdict.objects.filter(run__submission=submission, statement__in=theirs)
    ours = dict(rows.values_list("statement", "finding"))
    return sum(ours.get(statement) != word for statement, word in theirs.items())


def _loop(name: str, at: Endpoint, number: int, prompts: Any = None) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.judge.clients", name, at.url, str(number)]
    done = subprocess.run(command, input=json.dumps(prompts), capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
