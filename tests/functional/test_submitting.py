"""A team's way: key, system, submission, answers, the queue; in single steps and in one upload."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings

from submissions.models import Answer, Job, Submission, TaskSet
from tests.factories import make_key, make_submission, make_task_set, make_team
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


def blob_files() -> set[Path]:
    """What lies in the blob store."""
    return {path for path in Path(django_settings.MEDIA_ROOT).rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "last", [b'{"task": "nonsense", "answer": "x"}', b'{"task": "task-1500", "answer": 5}']
)
def test_a_fault_in_the_last_line_leaves_nothing_of_those_before(client: ApiClient, last: bytes) -> None:
    task_set = make_task_set(tasks=1_500)
    lines = [
        {"task": f"task-{n}", "answer": f"Answer\r\n{task_set.slug} {n}. " * 50} for n in range(1, 1_500)
    ]
    data = "\n".join(map(json.dumps, lines)).encode() + b"\n" + last
    before = blob_files()
    response = upload(client, register(client), task_set, data)
    (fault,) = assert_problem(response, "bundle_refused")["errors"]
    assert fault["pointer"] == "line 1500"
    assert not Submission.objects.exists()
    assert not Answer.objects.exists()
    assert blob_files() == before


def upload(client: ApiClient, system: str, task_set: TaskSet, data: bytes, **options: Any) -> Any:
    """A bundle in a form."""
    bundle = io.BytesIO(data)
    bundle.name = "answers"
    fields = {"system": system, "task_set": task_set.slug, "bundle": bundle, **options.pop("fields", {})}
    return client.form("submissions", fields, **options)


GOOD = b'{"task": "task-1", "answer": "one"}'


def test_a_bundle_sent_twice_with_one_key_is_one_submission(client: ApiClient, task_set: TaskSet) -> None:
    system, headers = register(client), {"Idempotency-Key": "k"}
    first = upload(client, system, task_set, GOOD, headers=headers)
    TaskSet.objects.update(state="retired")  # a retry must not depend on what happened meanwhile
    again = upload(client, system, task_set, GOOD, headers=headers)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    assert again["Location"] == first["Location"]
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert Submission.objects.count() == Job.objects.count() == 1
    other = upload(client, system, task_set, GOOD.replace(b"one", b"two"), headers=headers)
    assert_problem(other, "idempotency_key_reused")
    assert_problem(
        upload(client, system, task_set, GOOD, headers=headers, fields={"note": "x"}),
        "idempotency_key_reused",
    )


def test_after_a_broken_upload_the_retry_with_the_same_key_works(
    client: ApiClient, task_set: TaskSet
) -> None:
    system, headers = register(client), {"Idempotency-Key": "k"}
    assert_problem(upload(client, system, task_set, GOOD[:-5], headers=headers), "bundle_refused")
    assert not Submission.objects.exists()
    assert upload(client, system, task_set, GOOD, headers=headers).status_code == 202


def test_a_key_is_bound_to_its_address_as_well(client: ApiClient, task_set: TaskSet) -> None:
    headers = {"Idempotency-Key": "k"}
    body = {"name": "Searcher", "system_class": "human"}
    first = client.post("systems", body, headers=headers)
    assert client.post("systems", body, headers=headers).json() == first.json()
    response = client.post("submissions", {"system": "x", "task_set": "y"}, headers=headers)
    assert_problem(response, "idempotency_key_reused")


def test_a_bundle_beyond_the_limit_is_refused_before_it_is_read(
    client: ApiClient, task_set: TaskSet, settings: Any
) -> None:
    limits = {**settings.EVALSERVICE["LIMITS"], "bundle_bytes": 1_000}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "LIMITS": limits}
    system = register(client)
    body = assert_problem(upload(client, system, task_set, b"x" * 100_000), "body_too_large")
    assert body["detail"] == "A bundle of at most 1000 bytes."
    faults = assert_problem(upload(client, system, task_set, b"\n" * 2_000), "bundle_refused")["errors"]
    assert [(item["pointer"], item["code"]) for item in faults] == [("bundle", "bundle_too_large")]


def test_a_form_says_what_is_wrong_with_its_fields(client: ApiClient, task_set: TaskSet) -> None:
    system = register(client)
    response = upload(client, system, task_set, b"", fields={"runs": "many", "state": "published"})
    found = assert_problem(response, "request_invalid")["errors"]
    assert sorted((item["pointer"], item["code"]) for item in found) == [
        ("/bundle", "field_invalid"),
        ("/runs", "field_invalid"),
        ("/state", "field_unknown"),
    ]
    twice = upload(client, system, task_set, GOOD, fields={"task_set": [task_set.slug, "other"]})
    assert_problem(twice, "request_invalid", ("/task_set", "field_invalid"))
    no_file = client.form("submissions", {"system": system, "task_set": task_set.slug, "bundle": "text"})
    assert_problem(no_file, "request_invalid", ("/bundle", "field_invalid"))


def test_a_large_bundle_is_streamed(client: ApiClient) -> None:
    task_set = make_task_set(tasks=40)
    lines = [{"task": f"task-{n}", "answer": f"{n} " * 20_000} for n in range(1, 41)]
    data = "\n".join(map(json.dumps, lines)).encode()
    assert len(data) > 2_000_000  # beyond what is held in memory: a file on disk
    response = upload(client, register(client), task_set, data)
    assert response.status_code == 202, response.content
    assert response.json()["answers"] == {"expected": 40, "given": 40}


def test_a_bundle_of_nothing_but_faults_gets_a_short_answer(client: ApiClient, task_set: TaskSet) -> None:
    unknown = {f"field{number}": 0 for number in range(200)}
    lines = [{"task": "task-1", "answer": "x", **unknown}, {"task": "nonsense", "answer": "x"}]
    lines += [{"task": f"nonsense-{number}", "answer": "x"} for number in range(150)]
    response = upload(client, register(client), task_set, "\n".join(map(json.dumps, lines)).encode())
    found = assert_problem(response, "bundle_refused")["errors"]
    assert len(found) == 101
    assert found[-1] == {"pointer": "", "code": "more_faults", "detail": f"And {200 + 151 - 100} more."}


@pytest.mark.parametrize("kind", ["Multipart/Form-Data", "MULTIPART/FORM-DATA"])
def test_a_media_type_is_the_same_in_any_case(client: ApiClient, task_set: TaskSet, kind: str) -> None:
    fields = {"system": register(client), "task_set": task_set.slug}
    parts = [f'--BouNdary\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
             for name, value in fields.items()]  # fmt: skip
    head = '--BouNdary\r\nContent-Disposition: form-data; name="bundle"; filename="a"\r\n\r\n'
    body = "".join(parts).encode() + head.encode() + GOOD + b"\r\n--BouNdary--\r\n"
    response = client.post("submissions", raw=body, content_type=f"{kind}; boundary=BouNdary")
    assert (response.status_code, response.json()["state"]) == (202, "queued")
    draft = client.post("submissions", fields, content_type="Application/JSON")
    assert (draft.status_code, draft.json()["state"]) == (201, "draft")


def test_the_rate_of_uploads_is_the_same_in_any_case(client: ApiClient, settings: Any) -> None:
    rates = {**settings.EVALSERVICE["PER_MINUTE"], "upload": 1}
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PER_MINUTE": rates}
    kinds = ["multipart/form-data; boundary=x", "Multipart/Form-Data; boundary=x"]
    first, second = (client.post("submissions", raw=b"--x--", content_type=kind) for kind in kinds)
    assert_problem(first, "request_invalid")
    assert_problem(second, "rate_limited")


def test_finalizing_and_cancelling_twice_are_harmless(client: ApiClient, task_set: TaskSet) -> None:
    submission = draft(client, task_set)
    address = f"submissions/{submission['id']}"
    assert_problem(client.post(f"{address}/finalize"), "submission_empty")
    task = client.get(f"task-sets/{task_set.slug}/tasks").json()["tasks"][0]["id"]
    client.put(f"{address}/answers/{task}/1", {"answer": "x"})
    first, second = client.post(f"{address}/finalize"), client.post(f"{address}/finalize")
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert_problem(client.put(f"{address}/answers/{task}/1", {"answer": "y"}), "not_a_draft")
    assert_problem(client.delete(address), "not_a_draft")
    for _ in range(2):
        cancelled = client.post(f"{address}/cancel")
        assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert_problem(client.post(f"{address}/finalize"), "not_a_draft")
    assert Job.objects.get().state == "cancelled"


@pytest.mark.parametrize("act", ["cancel", "finalize", "DELETE"])
def test_on_a_test_set_no_answer_tells_whether_judging_is_over(act: str) -> None:
    task_set = make_task_set(split="test")
    team = make_team()
    client = ApiClient(make_key(team)[1])
    said = []
    for state in ("judging", "judged"):
        address = f"submissions/{make_submission(state, team=team, task_set=task_set).public_id}"
        response = client.delete(address) if act == "DELETE" else client.post(f"{address}/{act}")
        varying = {"id", "instance", "system", "created_at", "finalized_at"}
        said.append((response.status_code, {k: v for k, v in response.json().items() if k not in varying}))
        assert client.get(address).json()["state"] == "judging"
    assert said[0] == said[1]


STATES = (
    "queued",
    "collecting",
    "judging",
    "paused",
    "judged",
    "incomplete",
    "published",
    "withheld",
    "failed",
)


@pytest.mark.parametrize("state", STATES)
def test_what_was_finalized_on_a_test_set_is_never_cancelled(state: str) -> None:
    submission = make_submission(state, task_set=make_task_set(split="test"))
    client = ApiClient(make_key(submission.system.team)[1])
    assert_problem(client.post(f"submissions/{submission.public_id}/cancel"), "too_late_to_cancel")
    submission.refresh_from_db()
    assert submission.state == state


def test_a_draft_of_a_test_set_is_cancelled(client: ApiClient) -> None:
    address = f"submissions/{draft(client, make_task_set(split='test'))['id']}"
    for _ in range(2):
        cancelled = client.post(f"{address}/cancel")
        assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")


def test_a_deleted_draft_is_absent(client: ApiClient, task_set: TaskSet) -> None:
    address = f"submissions/{draft(client, task_set)['id']}"
    assert client.delete(address).status_code == 204
    for method in ("GET", "DELETE"):
        assert_problem(client.request(method, address), "not_found")
    assert client.get("submissions").json()["results"] == []


def test_a_sealed_set_takes_nothing_without_a_lease(client: ApiClient) -> None:
    sealed = make_task_set(split="test", delivery="sealed")
    submission = draft(client, sealed)
    task = sealed.tasks.all()[0].public_id
    response = client.put(f"submissions/{submission['id']}/answers/{task}/1", {"answer": "x"})
    assert_problem(response, "sealed_needs_lease")
    system = submission["system"]["id"]
    line = json.dumps({"task": task, "answer": "x"}).encode()
    assert_problem(upload(client, system, sealed, line), "sealed_needs_lease")


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"\xff\xfe", b"\0" * 100, b"{}"]
)
def test_nonsense_is_refused_and_leaves_nothing(client: ApiClient, task_set: TaskSet, data: bytes) -> None:
    response = upload(client, register(client), task_set, data)
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    assert not Submission.objects.exists()


def test_names_come_back_composed_and_trimmed(client: ApiClient) -> None:
    body = {"name": "  Cafe\u0301 👩‍👧 Agent ", "system_class": "web_agent"}
    assert client.post("systems", body).json()["name"] == "Café 👩‍👧 Agent"
