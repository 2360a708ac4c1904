"""Eight teams at once against gunicorn while the worker judges: no error of ours, no answer lost."""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from evalservice.demo import SETS, SYSTEMS
from judging.models import Verdict
from submissions.models import Answer, Submission, TaskSet
from tests.factories import make_key, make_team
from tests.processes import WorkerProcess, until
from tests.soak.conftest import Report
from tests.soak.examples import PAIRS, answers_of, open_sets, submit_pair
from tests.soak.scale import scaled
from tests.soak.web import WebProcess, api, system_of

pytestmark = pytest.mark.django_db(transaction=True)

CLIENTS = 8
SECONDS = 50
JUDGED_WITHIN_S = 300.0
READS = ("task-sets", "systems", "submissions", "me", "leaderboards")


@dataclass
class Team:
    """One client thread: what it was told, and what it was promised."""

    client: httpx.Client
    chance: random.Random
    promised: dict[tuple[str, str, int], str] = field(default_factory=dict)  # acknowledged answers
    finalized: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request, timed."""
        begun = time.monotonic()
        response = self.client.request(method, path, **options)
        self.seconds.append(time.monotonic() - begun)
        self.statuses[response.status_code] += 1
        if response.status_code >= 400:
            self.broken.append(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response

    def hand_in(self, system: str, task_set: TaskSet, texts: dict[str, str], keys: dict[str, str]) -> None:
        """One submission, an answer at a time, with a second thought about some of them."""
        response = self.ask("POST", "submissions", json={"system": system, "task_set": task_set.slug})
        if response.status_code != 201:
            return
        ident = response.json()["id"]
        for key, text in texts.items():
            for version in range(self.chance.choice((1, 1, 2))):
                self.put(ident, keys[key], f"{text}\n\nVersion {version}.\n")
            self.read(ident)
        if self.ask("POST", f"submissions/{ident}/finalize").status_code == 202:
            self.finalized.append(ident)

    def put(self, ident: str, task: str, text: str) -> None:
        """An answer; remembered if it was acknowledged."""
        if self.ask("PUT", f"submissions/{ident}/answers/{task}/1", json={"answer": text}).is_success:
            self.promised[ident, task, 1] = text

    def read(self, ident: str) -> None:
        """Something of the team's, or of everybody's."""
        path = self.chance.choice((*READS, f"submissions/{ident}", f"submissions/{ident}/answers", "/"))
        self.ask("GET", path if path != "/" else str(self.client.base_url).removesuffix("api/v1/"))


def work(
    team: Team, sets: dict[str, TaskSet], keys: dict[str, dict[str, str]], over: threading.Event
) -> None:
    """Submissions one after the other until the time is over."""
    system = system_of(team.client, "Searcher")
    while not over.is_set():
        name = team.chance.choice(SETS)
        team.hand_in(system, sets[name], answers_of(name, team.chance.choice(list(SYSTEMS))), keys[name])


def lost(teams: Sequence[Team]) -> list[tuple[str, str, int]]:
    """Acknowledged answers that are not there, or not as they were sent."""
    rows = Answer.objects.filter(given=True).values_list(
        "submission__public_id", "task__public_id", "run", "text"
    )
    there = {(ident, task, run): text for ident, task, run, text in rows}
    return [place for team in teams for place, text in team.promised.items() if there.get(place) != text]


def over_soon(seconds: float) -> threading.Event:
    """Set after so many seconds."""
    over = threading.Event()
    timer = threading.Timer(seconds, over.set)
    timer.daemon = True
    timer.start()
    return over


def test_eight_teams_at_once_lose_nothing_and_meet_no_error(tmp_path: Path, report: Report) -> None:
    sets = open_sets()
    keys = {name: dict(one.tasks.values_list("key", "public_id")) for name, one in sets.items()}
    waiting = [submit_pair(sets, pair) for pair in PAIRS]  # the worker is busy from the beginning
    tokens = [make_key(make_team())[1] for _ in range(CLIENTS)]
    with WebProcess(tmp_path / "web.log") as web, WorkerProcess(tmp_path / "worker.log") as worker:
        teams = [Team(api(web, token), random.Random(number)) for number, token in enumerate(tokens)]
        over = over_soon(scaled(SECONDS, least=5))
        with ThreadPoolExecutor(CLIENTS) as pool:
            for done in [pool.submit(work, team, sets, keys, over) for team in teams]:
                done.result()
        finalized = [ident for team in teams for ident in team.finalized]
        verdicts_meanwhile = Verdict.objects.count()
        begun = time.monotonic()
        ours = Submission.objects.filter(public_id__in=[*finalized, *(one.public_id for one in waiting)])
        until(lambda: not ours.exclude(state="published").exists(), seconds=JUDGED_WITHIN_S, what=worker.log)
        for team in teams:
            team.client.close()
    seconds = sorted(one for team in teams for one in team.seconds)
    statuses: Counter[int] = sum((team.statuses for team in teams), Counter())
    report(test="load", clients=CLIENTS, requests=len(seconds), submissions=len(finalized),
           promised=sum(len(team.promised) for team in teams), lost=len(lost(teams)),
           statuses=dict(sorted(statuses.items())), p50_ms=round(1000 * statistics.median(seconds)),
           p99_ms=round(1000 * seconds[len(seconds) * 99 // 100]), worst_ms=round(1000 * seconds[-1]),
           verdicts_meanwhile=verdicts_meanwhile, seconds_to_drain=round(time.monotonic() - begun))  # fmt: skip
    assert [text for team in teams for text in team.broken] == []
    assert lost(teams) == []
    assert len(finalized) >= CLIENTS
    assert verdicts_meanwhile > 0
