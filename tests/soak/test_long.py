"""The largest uploads the limits allow, and what they cost the web process in memory."""

from __future__ import annotations

import json
import random
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import httpx
import pytest
from django.conf import settings

from submissions.models import Answer, Submission, Task, TaskSet
from tests.factories import make_key, make_task_set, make_team
from tests.judging_factories import SITE, answer_of, import_set, judged, lake_answer, tree_files
from tests.soak.conftest import Report
from tests.soak.web import MIB, WebProcess, api, system_of

pytestmark = pytest.mark.django_db(transaction=True)

UPLOAD_S = 600.0
MOST_MIB = 350  # resident, for answers sent one by one: each is held as bytes, as text, and as the reply
# What a bundle may take beyond what the process has when idle: nothing that grows with the bundle's size.
ORDINARY_MIB = 60
# A line of escapes with one character beyond them all takes four bytes for each of its six per byte of an answer.
ODD_MIB = 100


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebProcess]:
    """One, with its peak set back."""
    with WebProcess(tmp_path / "web.log") as running:
        yield running


@pytest.fixture
def client(web: WebProcess) -> Iterator[httpx.Client]:
    """A patient team."""
    with api(web, make_key(make_team())[1], timeout=UPLOAD_S) as one:
        yield one


def large_set(tasks: int) -> TaskSet:
    """A set of many tasks, made at once."""
    task_set = make_task_set(tasks=0)
    Task.objects.bulk_create(
        Task(task_set=task_set, key=f"t{n}", prompt=f"Question {n}?", position=n) for n in range(1, tasks + 1)
    )
    return task_set


def text_of(size: int, seed: int = 0) -> str:
    """Exactly ``size`` bytes of Markdown with links, some of it beyond ASCII."""
    line = f"Lake number {seed} is {seed + 7} metres deep — see [the survey]({SITE}/brume?{seed}).\n"
    text = line * (size // len(line.encode()))
    return text + "x" * (size - len(text.encode()))


def uploaded(
    client: httpx.Client, web: WebProcess, task_set: TaskSet, bundle: Path, status: int = 202
) -> dict[str, Any]:
    """A bundle handed in; figures of what it took."""
    system = system_of(client, f"{bundle.name} {time.monotonic()}")
    before = web.forget_peaks()
    begun = time.monotonic()
    with bundle.open("rb") as content:
        response = client.post(
            "submissions",
            data={"system": system, "task_set": task_set.slug},
            files={"bundle": (bundle.name, content)},
        )
    assert response.status_code == status, response.text[:1_000]
    return {"ident": response.json().get("id"), "mb": round(bundle.stat().st_size / 1e6, 1), "rss_before_mib": before,
            "rss_peak_mib": web.peak_mib(), "seconds": round(time.monotonic() - begun, 1)}  # fmt: skip


def above_idle(found: dict[str, Any]) -> int:
    """MiB that an upload took at its worst."""
    return int(found["rss_peak_mib"] - found["rss_before_mib"])


def given(ident: str) -> int:
    """How many answers of a submission are there."""
    return Answer.objects.filter(submission__public_id=ident, given=True).count()


def test_ten_answers_of_two_megabytes_each(client: httpx.Client, web: WebProcess, report: Report) -> None:
    task_set = large_set(10)
    system = system_of(client, "long")
    created = client.post("submissions", json={"system": system, "task_set": task_set.slug})
    address = f"submissions/{created.json()['id']}"
    limit = settings.EVALSERVICE["LIMITS"]["answer_bytes"]
    before, begun = web.forget_peaks(), time.monotonic()
    texts = {task.public_id: text_of(limit, task.position) for task in task_set.tasks.all()}
    for task, text in texts.items():
        response = client.put(f"{address}/answers/{task}/1", json={"answer": text})
        assert response.status_code == 201, response.text[:500]
    # The most bytes in JSON that an answer within the limit can take.
    escaped = client.put(f"{address}/answers/{task}/1", json={"answer": "\x01" * limit})
    assert escaped.status_code == 200, escaped.text[:500]
    too_long = client.put(f"{address}/answers/{task}/1", json={"answer": "x" * (limit + 1)})
    assert too_long.status_code in {400, 413}, too_long.text[:500]
    report(test="answers", count=len(texts), rss_before_mib=before, rss_peak_mib=web.peak_mib(),
           seconds=round(time.monotonic() - begun, 1))  # fmt: skip
    stored = dict(Answer.objects.filter(given=True).values_list("task__public_id", "text"))
    texts.pop(task)
    assert {one: stored[one] for one in texts} == texts
    assert web.peak_mib() < MOST_MIB


def test_a_zip_of_ten_thousand_files(
    client: httpx.Client, web: WebProcess, tmp_path: Path, report: Report
) -> None:
    count = settings.EVALSERVICE["LIMITS"]["bundle_files"]
    task_set = large_set(count)
    bundle = tmp_path / "answers.zip"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(1, count + 1):
            archive.writestr(f"agent/t{number}/answer_1.md", f"Answer {number}.")
    found = uploaded(client, web, task_set, bundle)
    ident = found.pop("ident")
    report(test="zip", files=count, **found)
    assert given(ident) == count
    assert above_idle(found) <= ORDINARY_MIB


def test_two_hundred_megabytes_of_json_lines(
    client: httpx.Client, web: WebProcess, tmp_path: Path, report: Report
) -> None:
    limits = settings.EVALSERVICE["LIMITS"]
    size = limits["answer_bytes"] - 64 * 1024
    count = limits["bundle_bytes"] // (size + 50_000)
    task_set = large_set(count)
    bundle = tmp_path / "answers.jsonl"
    with bundle.open("w", encoding="utf-8") as out:
        for number in range(1, count + 1):
            line = {"task": f"t{number}", "answer": text_of(size, number)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    assert bundle.stat().st_size > 0.95 * limits["bundle_bytes"]
    # Again where the first was: SQLite treats pages that it uses anew unlike those it adds.
    for again in (False, True):
        found = uploaded(client, web, task_set, bundle)
        ident = found.pop("ident")
        report(test="jsonl", again=again, lines=count, **found)
        assert given(ident) == count
        last = Answer.objects.get(submission__public_id=ident, task__key=f"t{count}")
        assert last.text == text_of(size, count)
        assert above_idle(found) <= ORDINARY_MIB
        Submission.objects.filter(public_id=ident).delete()


def escapes(out: BinaryIO, answer_bytes: int) -> None:
    """Lines as long as they may be."""
    for number in range(1, 6):
        head = f'{{"task": "t{number}", "answer": "\N{GRINNING FACE}'.encode()
        out.write(head + b"\\u0001" * (answer_bytes - 4) + b'"}\n')


def overlong(out: BinaryIO, answer_bytes: int) -> None:
    """Lines no longer than these, with answers that are far too long."""
    for number in range(1, 6):
        head = f'{{"task": "t{number}", "answer": "'.encode()
        out.write(head + b"x" * (6 * answer_bytes) + "\N{GRINNING FACE}".encode() + b'"}\n')


def line_ends(out: BinaryIO, answer_bytes: int) -> None:
    """Nothing else."""
    for _ in range(100):
        out.write(b"\n" * answer_bytes)


def windows_texts(out: BinaryIO, answer_bytes: int) -> None:
    """Files whose bytes are kept beside their text."""
    noise = random.Random(7)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(1, 31):
            text = noise.randbytes(answer_bytes // 4).hex() + "\r\n" * (answer_bytes // 4 - 4)
            archive.writestr(f"t{number}/answer_1.md", text + "\N{GRINNING FACE}")


def names(out: BinaryIO, answer_bytes: int) -> None:
    """As many files with as long names as an archive may have."""
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(20_900):
            folders = f"{'x' * 190}{number}/{'y' * 230}\N{GRINNING FACE}{number}"
            archive.writestr(f"{folders}/answer_1.md", "")


@pytest.mark.parametrize(
    ("shape", "status"),
    [(escapes, 202), (overlong, 400), (line_ends, 400), (windows_texts, 202), (names, 400)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_bundles_of_odd_shapes_cost_no_more(
    client: httpx.Client,
    web: WebProcess,
    tmp_path: Path,
    report: Report,
    shape: Callable[[BinaryIO, int], None],
    status: int,
) -> None:
    bundle = tmp_path / "odd"
    with bundle.open("wb") as out:
        shape(out, settings.EVALSERVICE["LIMITS"]["answer_bytes"])
    found = uploaded(client, web, large_set(40), bundle, status)
    report(test="odd", shape=shape.__name__, **found)
    assert above_idle(found) <= ODD_MIB


def test_an_answer_of_two_megabytes_is_judged_like_a_short_one(report: Report) -> None:
    begun = time.monotonic()
    filler = text_of(2 * MIB - 10_000, 3)
    submission: Submission = judged(
        import_set(tree_files()),
        {"brume": lake_answer(212, 14, "brume") + "\n" + filler, "sallow": "No idea."},
    )
    report(test="long_answer", state=submission.state, seconds=round(time.monotonic() - begun, 1))
    assert submission.state == "judged"
    assert answer_of(submission, "brume").score == 1.0
