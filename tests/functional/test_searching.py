"""Search evidence from a team's request to its score: a real worker, a real provider, and a worker that is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judging.models import SearchReply, SubmissionSearch
from submissions.models import Submission, TaskSet
from tests.factories import make_key, make_system, make_team
from tests.http import ApiClient
from tests.judging_factories import import_set
from tests.processes import WorkerProcess, until
from tests.provider import KEY, Reply, SearchProvider
from tests.searched import ANSWER, CLAIM, DEPTH, QUERY, law, searched_files

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def provider() -> Iterator[SearchProvider]:
    with SearchProvider() as one:
        one.found = law
        yield one


@pytest.fixture
def task_set() -> TaskSet:
    return import_set(searched_files())


def serper(provider: SearchProvider) -> dict[str, str]:
    """An environment in which claims are searched for there."""
    return {
        "EVALSERVICE_SEARCH": "serper",
        "EVALSERVICE_SEARCH_URL": f"{provider.url}/search",
        "EVALSERVICE_SEARCH_KEY": KEY,
        "EVALSERVICE_LEASE_SECONDS": "2",
    }


def handed_in(task_set: TaskSet, text: str) -> tuple[ApiClient, str]:
    """A submission over HTTP; who made it, and its id."""
    system = make_system(make_team())
    team = ApiClient(make_key(system.team)[1])
    made = team.post("submissions", {"system": system.public_id, "task_set": task_set.slug}).json()
    task = task_set.tasks.get().public_id
    given = team.put(f"submissions/{made['id']}/answers/{task}/1", {"answer": text})
    assert given.status_code in {200, 201}, given.content
    done = team.post(f"submissions/{made['id']}/finalize")
    assert done.status_code == 202, done.content
    return team, made["id"]


def state(team: ApiClient, submission: str) -> Any:
    """What the team reads of its submission."""
    return team.get(f"submissions/{submission}").json()


def is_over(team: ApiClient, submission: str) -> bool:
    return state(team, submission)["state"] not in {"queued", "collecting", "judging"}


def claims_of(team: ApiClient, submission: str) -> Any:
    """The claims about the law, as the team reads them."""
    (answer,) = team.get(f"submissions/{submission}/answers").json()["results"]
    return answer["result"]["feedback"]["subtasks"][1]["factuality"][0]["claims"]


def test_a_submission_is_searched_for_and_scored(
    provider: SearchProvider, task_set: TaskSet, tmp_path: Path
) -> None:
    team, submission = handed_in(task_set, ANSWER)
    with WorkerProcess(tmp_path / "worker.log", **serper(provider)) as worker:
        until(lambda: is_over(team, submission), seconds=60, what=worker.log)
    found = state(team, submission)
    assert found["state"] in {"judged", "published"}, found
    (claim,) = claims_of(team, submission)
    assert (claim["statement"], claim["finding"]) == (CLAIM, "supported")
    assert [(page["source"], page["url"]) for page in claim["pages"]] == [("search", f"search:{QUERY}")]
    assert provider.queries == [QUERY]
    row = Submission.objects.get(public_id=submission)
    assert row.provenance is not None
    assert row.provenance["search"] == "serper, 1 query, 5 results"
    assert KEY not in worker.log() + str(found) + str(row.provenance)


def test_a_refused_key_pauses_the_submission_with_a_reason(
    provider: SearchProvider, task_set: TaskSet, tmp_path: Path
) -> None:
    team, submission = handed_in(task_set, ANSWER)
    environment = {**serper(provider), "EVALSERVICE_SEARCH_KEY": "an-old-key"}
    with WorkerProcess(tmp_path / "worker.log", **environment) as worker:
        until(lambda: is_over(team, submission), seconds=60, what=worker.log)
    found = state(team, submission)
    assert (found["state"], found["state_reason"]) == ("paused", "search_auth")
    assert "an-old-key" not in worker.log()


def test_a_killed_worker_asks_no_stored_query_again(
    provider: SearchProvider, task_set: TaskSet, tmp_path: Path
) -> None:
    claims = [f"The Lake Act of {1900 + n} forbids boats on Lake Brume{n}." for n in range(10)]
    team, submission = handed_in(task_set, DEPTH + "\n".join(claims))
    provider.orders.extend([None] * 4)
    provider.always = Reply(hang_s=4.0)
    with WorkerProcess(tmp_path / "worker.log", **serper(provider)) as worker:
        until(lambda: len(provider.queries) > 4, seconds=60, what=worker.log)
        worker.kill()
        stored = set(SearchReply.objects.filter(asked_at__isnull=False).values_list("query", flat=True))
        assert SubmissionSearch.objects.count() == len(stored) == 4
        SearchReply.objects.filter(asked_at__isnull=True).update(claimed_until=None)  # as after a minute
        provider.log.clear()
        provider.always = None
        worker.start()
        until(lambda: is_over(team, submission), seconds=60, what=worker.log)
    assert not stored & set(provider.queries)
    assert len(provider.queries) == 6
    assert {claim["finding"] for claim in claims_of(team, submission)} <= {
        "supported",
        "refuted",
        "undecided",
    }
