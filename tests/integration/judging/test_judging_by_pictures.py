"""Whole submissions whose pages came with pictures: imported, shown where a leaf asks, remembered with the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.storage import default_storage

from judging.appointing import _ladder
from judging.imports import RefusedBundle, import_taskset
from judging.models import JudgeRun, PageSnapshot, Verdict
from judging.records import load_record
from submissions import blobs
from submissions.models import Submission
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import again
from tests.judging_factories import (
    BRUME,
    LAKE_SCHEMA,
    archive,
    findings,
    import_set,
    judged,
    lake_answer,
    tree_files,
)
from tests.pictures import png

pytestmark = pytest.mark.django_db(transaction=True)

DATA = png(30, 20)
SAID = "Lake Brume is 212 metres deep"


@pytest.fixture(autouse=True)
def _unknown() -> Iterator[None]:
    """What an endpoint was found out not to take is kept for as long as a process lives."""
    _ladder.cache_clear()
    yield
    _ladder.cache_clear()


def files(*, picture: bytes = DATA, **leaf: Any) -> dict[str, bytes]:
    """A set of one claim, whose page has a picture."""
    node = {"id": "deep", "claim": SAID, "sources": "lake.sources", **leaf}
    task = {
        "prompt": "How deep is Lake Brume?",
        "extract": {"lake": {"instruction": "Sources", "schema": LAKE_SCHEMA}},
        "tree": {"id": "lake", "children": [node]},
    }
    pages = archive({"brume": BRUME}) | ({"pages/brume.png": picture} if picture else {})
    return tree_files({"one": task}, pages=pages)


def judged_by_pictures(**leaf: Any) -> Submission:
    """An answer that cites the page."""
    return judged(import_set(files(**leaf)), {"one": lake_answer(212, 14, "brume")})


def evidence() -> dict[str, Any]:
    """What the verdict remembers of the page."""
    found: dict[str, Any] = Verdict.objects.get().evidence[0]
    return found


def shows(endpoint: Endpoint) -> list[bool]:
    """Of each call, whether a picture went with it."""
    return ["data:image/png;base64," in call.prompt for call in endpoint.log]


@pytest.mark.usefixtures("_openai")
@pytest.mark.parametrize(
    ("screenshot", "shown"), [("always", True), ("auto", True), ("never", False), (None, False)]
)
def test_a_picture_goes_the_whole_way_where_the_leaf_asks(
    endpoint: Endpoint, screenshot: str | None, shown: bool
) -> None:
    submission = judged_by_pictures(**({"screenshot": screenshot} if screenshot else {}))
    assert findings(submission) == {"one/deep": "supported"}
    assert shows(endpoint) == [False, shown]
    row = PageSnapshot.objects.get()
    assert (row.picture_type, row.picture_width, row.picture_height) == ("image/png", 30, 20)
    assert blobs.get(row.picture_sha256) == DATA
    assert evidence().get("picture") == ("shown" if shown else None)
    assert evidence().get("picture_sha256") == (row.picture_sha256 if shown else None)


@pytest.mark.usefixtures("_openai")
def test_judging_again_shows_it_to_nobody(endpoint: Endpoint) -> None:
    submission = judged_by_pictures(screenshot="always")
    endpoint.reset()
    assert again(submission)[-1] == "score: done"
    assert endpoint.calls == 0


@pytest.mark.usefixtures("_openai")
def test_a_model_without_eyes_pauses_nothing(endpoint: Endpoint) -> None:
    endpoint.reset(images="openai")
    submission = judged_by_pictures(screenshot="always")
    assert (submission.state, findings(submission)) == ("judged", {"one/deep": "supported"})
    assert evidence()["picture"] == "refused"
    (call,) = Verdict.objects.get().record["calls"]
    assert call["picture"] == "refused"
    assert [attempt["error"] for attempt in call["attempts"]] == ["unsupported", ""]


@pytest.mark.usefixtures("_openai")
def test_a_picture_that_was_lost_pauses_nothing(endpoint: Endpoint) -> None:
    task_set = import_set(files(screenshot="always"))
    default_storage.delete(blobs.blob_name(PageSnapshot.objects.get().picture_sha256))
    submission = judged(task_set, {"one": lake_answer(212, 14, "brume")})
    assert findings(submission) == {"one/deep": "supported"}
    assert evidence()["picture"] == "missing"
    assert shows(endpoint) == [False, False]


@pytest.mark.usefixtures("_openai")
def test_a_picture_that_was_lost_is_looked_for_by_each_round_anew(endpoint: Endpoint) -> None:
    task_set = import_set(files(screenshot="always"))
    name = blobs.blob_name(PageSnapshot.objects.get().picture_sha256)
    default_storage.delete(name)
    submission = judged(task_set, {"one": lake_answer(212, 14, "brume")})
    endpoint.reset()
    assert again(submission)[-1] == "score: done"
    assert endpoint.calls == 0  # the question by the text has its reply
    blobs.put(DATA)
    for calls in (1, 0):
        endpoint.reset()
        assert again(submission)[-1] == "score: done"
        assert shows(endpoint) == [True] * calls
    states = Verdict.objects.order_by("run__round").values_list("run__round", "evidence")
    assert [(number, pages[0]["picture"]) for number, pages in states] == [
        (1, "missing"),
        (2, "missing"),
        (3, "shown"),
    ]
    answer = submission.answers.get().pk
    for run in JudgeRun.objects.order_by("round"):
        record = load_record(run, answer)
        assert record.result.score == 1.0
        assert record.verdicts["deep"].run.round == min(run.round, 3)


@pytest.mark.usefixtures("_openai")
@pytest.mark.parametrize("words", ["invalid", "unread", "unsafe"])
def test_one_bad_picture_ends_the_same_each_time(endpoint: Endpoint, words: str) -> None:
    endpoint.reset(images=words)
    submission = judged_by_pictures(screenshot="always")
    assert (submission.state, evidence()["picture"]) == ("judged", "refused")
    endpoint.reset()
    assert again(submission)[-1] == "score: done"
    assert endpoint.calls == 0


def test_the_offline_judge_says_that_it_did_not_look() -> None:
    submission = judged_by_pictures(screenshot="always")
    assert findings(submission) == {"one/deep": "supported"}
    assert evidence()["picture"] == "ignored"


def test_another_picture_is_another_version_of_the_set() -> None:
    import_set(files())
    assert not import_taskset(files=files(), now=PageSnapshot.objects.get().fetched_at).created
    for other in (png(3, 3), b""):
        with pytest.raises(RefusedBundle, match="already imported with other content"):
            import_taskset(files=files(picture=other), now=PageSnapshot.objects.get().fetched_at)


def test_what_is_no_picture_is_refused_by_name() -> None:
    with pytest.raises(RefusedBundle, match=r"pages/brume\.png: .*is neither PNG, JPEG nor WebP"):
        import_set(files(picture=b"<svg/>"))
    assert not PageSnapshot.objects.exists()
