"""A team's way: key, system, submission, answers, the queue; in single steps and in one upload."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from submissions.models import Job, Submission, TaskSet
from tests.factories import make_key, make_task_set, make_team
from tests.http import ApiClient, assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> ApiClient:
    """A team's client."""
    return ApiClient(make_key(make_team())[1])


@pytest.fixture
def task_set() -> TaskSet:
    """A dev set of two tasks with two runs."""
    return make_task_set(tasks=2, runs=2)


def register(client: ApiClient) -> str:
    """A system's id."""
    response = client.post("systems", {"name": "Searcher", "system_class": "deep_research", "version": "1.2"})
    assert response.status_code == 201, response.content
    return str(response.json()["id"])


def draft(client: ApiClient, task_set: TaskSet, **fields: Any) -> dict[str, Any]:
    """A new draft."""
    response = client.post("submissions", {"system": register(client), "task_set": task_set.slug, **fields})
    assert response.status_code == 201, response.content
    body: dict[str, Any] = response.json()
    assert response["Location"] == f"/api/v1/submissions/{body['id']}"
    return body


def zipped(files: dict[str, str | bytes]) -> io.BytesIO:
    """A zip to upload."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    out.seek(0)
    out.name = "bundle.zip"
    return out


def test_a_submission_goes_from_key_to_queue(client: ApiClient, task_set: TaskSet) -> None:
    tasks = client.get(f"task-sets/{task_set.slug}/tasks").json()["tasks"]
    submission = draft(client, task_set, note="first try")
    address = f"submissions/{submission['id']}"
    assert submission["state"] == "draft"
    assert submission["answers"] == {"expected": 4, "given": 0}
    for task in tasks:
        response = client.put(f"{address}/answers/{task['id']}/1", {"answer": f"About {task['prompt']}"})
        assert response.status_code == 201, response.content
    finalized = client.post(f"{address}/finalize")
    assert finalized.status_code == 202
    assert finalized["Location"] == f"/api/v1/{address}"
    shown = client.get(address).json()
    assert shown["state"] == "queued"
    assert shown["answers"] == {"expected": 4, "given": 2}
    assert [(m["run"], m["reason"]) for m in shown["missing"]] == [(2, "not_given")] * 2
    job = Job.objects.get(submission__public_id=submission["id"])
    assert job.kind == "collect"
    assert job.woken_at is not None


@pytest.mark.parametrize("folder", ["", "my-agent/"])
def test_a_zip_is_a_whole_submission(client: ApiClient, task_set: TaskSet, folder: str) -> None:
    bundle = zipped({f"{folder}task-1/answer_1.md": "One.", f"{folder}task-2/answer_2.md": "Two."})
    response = client.form(
        "submissions", {"system": register(client), "task_set": task_set.slug, "bundle": bundle}
    )
    assert response.status_code == 202, response.content
    shown = client.get(response["Location"]).json()
    assert shown["state"] == "queued"
    assert shown["answers"] == {"expected": 4, "given": 2}
    assert Job.objects.filter(submission__public_id=shown["id"], kind="collect").count() == 1


def test_a_faulty_bundle_is_refused_with_every_fault_and_leaves_nothing(
    client: ApiClient, task_set: TaskSet
) -> None:
    lines = [{"task": "task-1", "answer": "fine"}, {"task": "nonsense", "answer": "x"}, {"answer": 5}]
    bundle = io.BytesIO("\n".join(json.dumps(line) for line in lines).encode())
    bundle.name = "answers.jsonl"
    response = client.form(
        "submissions", {"system": register(client), "task_set": task_set.slug, "bundle": bundle}
    )
    assert_problem(
        response,
        "bundle_refused",
        ("line 3", "field_required"),
        ("line 3", "field_invalid"),
        ("line 2", "task_unknown"),
    )
    assert not Submission.objects.exists()
    assert not Job.objects.exists()
