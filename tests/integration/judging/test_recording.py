"""Writing findings: in batches, fenced by the lease, alike on every database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import IntegrityError, connections
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging import recording
from judging.canonical import plain
from judging.cascade import Finding
from judging.desk import Judgement, Reading
from judging.judges.base import Attempt, CachedReply, CallRecord, ExtractOutcome, Usage
from judging.models import Extraction, JudgeRun, ModelCall, Spending, Verdict
from judging.recording import RowRefused, remember, save
from submissions.leases import Lease, LeaseLost
from submissions.models import Job
from tests.integration.judging.locks import meeting_at
from tests.integration.judging.scenes import KEYS, Scene, made_scene, write

pytestmark = pytest.mark.django_db(transaction=True)
ODD = "a\x00b\ud800c\udfff"
RECORD = CallRecord(
    judge="openai", model_served=ODD, parameters={"x": ODD}, attempts=(Attempt(error="timeout", detail=ODD), Attempt()),
)  # fmt: skip


def test_replies_that_two_workers_keep_in_different_orders_are_kept_once() -> None:
    """Equal questions of two submissions, answered in any order."""
    one, other = (made_scene() for _ in range(2))

    def reply(key: str) -> ModelCall:
        now = timezone.now()
        return ModelCall(key=key, content="{}", model_served="m", finish_reason="stop", created_at=now)

    rows = [[reply(key) for key in order] for order in (KEYS[:9], KEYS[8::-1])]
    deeds = [
        lambda: save(one.lease, rows[0], run=one.run.pk),
        lambda: save(other.lease, rows[1], run=other.run.pk),
    ]
    assert meeting_at(reply(KEYS[4]), deeds) == [None, None]
    assert set(ModelCall.objects.values_list("key", flat=True)) == set(KEYS[:9])


# ------------------------------------------------------------------ rows
def test_findings_are_written_as_they_were(scene: Scene) -> None:
    recorder = scene.recorder()
    found = Judgement(
        Finding.REFUTED, "It is deep", "code", "criteria_violation", "because", "deep", "gives", "relevant",
        ({"url": "https://a.example/", "ranges": [[0, 4]]},), (RECORD, RECORD),
    )  # fmt: skip

    async def work() -> None:
        await recorder.judgement(scene.answer, scene.rubric, "check", KEYS[0], found)
        await recorder.reading(
            scene.answer, "name", KEYS[1], Reading(ExtractOutcome.OK, {"a": [1, None]}, "why")
        )

    write(recorder, work)
    row = Verdict.objects.get()
    assert (row.finding, row.statement, row.code, row.error_class) == (
        "refuted",
        "It is deep",
        "code",
        "criteria_violation",
    )
    assert (row.reason, row.quote, row.answer_state, row.relevance) == (
        "because",
        "deep",
        "gives",
        "relevant",
    )
    assert (row.evidence, row.model_calls) == ([{"url": "https://a.example/", "ranges": [[0, 4]]}], 4)
    assert row.record["calls"][0]["attempts"][0]["error"] == "timeout"
    extraction = Extraction.objects.get()
    assert (extraction.data, extraction.outcome, extraction.reason) == ({"a": [1, None]}, "ok", "why")
    scene.lease.job.refresh_from_db()
    assert (scene.lease.job.done_items, scene.lease.job.takeovers) == (2, 0)


def test_odd_text_is_written_alike_on_every_database(scene: Scene) -> None:
    recorder = scene.recorder()
    found = Judgement(
        Finding.SUPPORTED,
        ODD,
        reason=ODD,
        quote=ODD,
        evidence=({"url": ODD, "ranges": ((1, 2),)},),
        records=(RECORD,),
    )

    async def work() -> None:
        await recorder.judgement(scene.answer, scene.rubric, f"{ODD}{'x' * 400}", KEYS[0], found)
        await recorder.reading(scene.answer, "n" * 300, KEYS[1], Reading(ExtractOutcome.OK, {ODD: ODD}, ODD))
        await recorder.put(CachedReply(KEYS[2], ODD, f"{ODD}{'m' * 200}", "f" * 99, Usage(prompt=7)))

    write(recorder, work)
    clean = "a\ufffdb\ufffdc\ufffd"
    row = Verdict.objects.get()
    assert (row.statement, row.reason, row.quote) == (clean, clean, clean)
    assert (row.evidence, len(row.check_id)) == ([{"url": clean, "ranges": [[1, 2]]}], 300)
    assert row.record["calls"][0]["model_served"] == clean
    extraction = Extraction.objects.get()
    assert (extraction.data, extraction.reason, len(extraction.name)) == ({clean: clean}, clean, 200)
    call = ModelCall.objects.get()
    assert (call.content, len(call.model_served), len(call.finish_reason)) == (clean, 120, 40)
    assert call.usage["prompt"] == 7


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None, exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_data_comes_back_from_the_database_to_the_last_digit(scene: Scene, data: Any) -> None:
    Extraction.objects.all().delete()
    row = scene.extraction(KEYS[0], data)
    given_ = row.data
    row.save()
    (back,) = remember(scene.run, [scene.answer]).readings.values()
    assert repr(back.data) == repr(given_) == repr(plain(data))


# ------------------------------------------------------------------ batches
def test_a_hundred_rows_or_half_a_second_make_a_batch(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(lease: Lease, batch: Sequence[Any], **paid: Any) -> None:
        sizes.append(len(batch))
        save(lease, batch, **paid)

    monkeypatch.setattr(recording, "save", counted)
    recorder = scene.recorder()

    async def work() -> None:
        for key in KEYS[:250]:
            await recorder.judgement(scene.answer, scene.rubric, "check", key, Judgement(Finding.SUPPORTED))
        await written(250)
        await recorder.judgement(scene.answer, scene.rubric, "check", KEYS[400], Judgement(Finding.SUPPORTED))
        await written(251)

    async def written(rows: int) -> None:
        while sum(sizes) < rows:
            await asyncio.sleep(0.01)

    write(recorder, work)
    assert sizes == [100, 100, 50, 1]
    assert (recording.BATCH, recording.SECONDS) == (100, 0.5)
    assert Verdict.objects.count() == 251


def test_those_who_find_wait_for_the_writer(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "WAITING", 5)
    recorder = scene.recorder()

    async def find() -> int:
        finding = asyncio.create_task(keep_finding())
        await asyncio.sleep(0.1)
        finding.cancel()
        return recorder._rows.qsize()

    async def keep_finding() -> None:
        for key in KEYS:
            await recorder.judgement(scene.answer, scene.rubric, "c", key, Judgement(Finding.SUPPORTED))

    assert asyncio.run(find()) == 5
    recorder.shut()


def test_a_row_that_is_there_stays_as_it_is(scene: Scene) -> None:
    save(
        scene.lease, [scene.verdict(KEYS[0], reason="first"), scene.extraction(KEYS[1], 1)], run=scene.run.pk
    )
    save(
        scene.lease,
        [scene.verdict(KEYS[0], reason="second"), scene.extraction(KEYS[1], 2), scene.verdict(KEYS[2])],
        run=scene.run.pk,
    )
    assert [row.reason for row in Verdict.objects.order_by("id")] == ["first", ""]
    assert Extraction.objects.get().data == 1


def broken(scene: Scene, kind: str) -> Any:
    """A row that a rule of the database refuses."""
    verdict, extraction = scene.verdict(KEYS[9]), scene.extraction(KEYS[9], 1)
    call = ModelCall(key=KEYS[9], content="", model_served="", finish_reason="", created_at=timezone.now())
    if kind == "check":
        verdict.finding = "perhaps"
        return verdict
    if kind == "null":
        extraction.created_at = None  # type: ignore[assignment]
        return extraction
    call.created_at = None  # type: ignore[assignment]
    return call


@pytest.mark.parametrize("kind", ["check", "null", "call"])
def test_a_row_that_breaks_a_rule_is_no_row_that_is_there(scene: Scene, kind: str) -> None:
    with pytest.raises((RowRefused, IntegrityError)):
        save(
            scene.lease,
            [scene.verdict(KEYS[0]), broken(scene, kind), scene.extraction(KEYS[1], 1)],
            run=scene.run.pk,
        )
    assert not Verdict.objects.exists()
    assert not Extraction.objects.exists()
    assert not ModelCall.objects.exists()


def test_an_unsettled_row_of_an_earlier_round_does_not_stand_for_a_refused_one(scene: Scene) -> None:
    save(scene.lease, [scene.verdict(KEYS[0], Finding.ERROR)], run=scene.run.pk)
    scene.run = JudgeRun.objects.create(
        submission=scene.run.submission,
        round=2,
        profile=scene.run.profile,
        short_circuit=False,
        started_at=timezone.now(),
    )
    row = scene.verdict(KEYS[0])
    row.finding = "perhaps"
    with pytest.raises((RowRefused, IntegrityError)):
        save(scene.lease, [row], run=scene.run.pk)
    assert [verdict.finding for verdict in Verdict.objects.all()] == ["error"]


def test_a_settled_row_of_another_round_stands_for_a_second_one(scene: Scene) -> None:
    save(
        scene.lease, [scene.verdict(KEYS[0], reason="first"), scene.extraction(KEYS[1], 1)], run=scene.run.pk
    )
    scene.run = JudgeRun.objects.create(
        submission=scene.run.submission,
        round=2,
        profile=scene.run.profile,
        short_circuit=False,
        started_at=timezone.now(),
    )
    save(
        scene.lease, [scene.verdict(KEYS[0], reason="second"), scene.extraction(KEYS[1], 2)], run=scene.run.pk
    )
    assert [row.reason for row in Verdict.objects.all()] == ["first"]
    assert [row.data for row in Extraction.objects.all()] == [1]


def test_who_lost_the_lease_writes_nothing(scene: Scene) -> None:
    Job.objects.filter(pk=scene.lease.job.pk).update(lease_token=99)
    recorder = scene.recorder()

    async def work() -> None:
        await recorder.judgement(scene.answer, scene.rubric, "check", KEYS[0], Judgement(Finding.SUPPORTED))
        await recorder.put(CachedReply(KEYS[1], "{}", "m", "stop", Usage()))
        recorder.note(Attempt(usage=Usage(7, 1)), 0.5)

    with pytest.raises(LeaseLost):
        write(recorder, work)
    assert [(row.calls, row.prompt_tokens, row.cost_usd) for row in Spending.objects.all()] == [(1, 7, 0.5)]
    assert not Verdict.objects.exists()
    assert not ModelCall.objects.exists()
    assert scene.lease.stop.is_set()


def test_replies_alone_are_no_progress(scene: Scene) -> None:
    Job.objects.update(takeovers=2)
    recorder = scene.recorder()

    async def work() -> None:
        await recorder.put(CachedReply(KEYS[1], "{}", "m", "stop", Usage()))

    write(recorder, work)
    scene.lease.job.refresh_from_db()
    assert (scene.lease.job.done_items, scene.lease.job.takeovers) == (0, 2)


def test_the_writers_connection_ends_with_it(scene: Scene) -> None:
    seen: dict[str, Any] = {}
    recorder = scene.recorder()

    async def work() -> None:
        await recorder.get(KEYS[0])
        await recorder.in_thread(
            lambda: seen.update(thread=threading.get_ident(), wrapper=connections["default"])
        )

    write(recorder, work)
    assert seen["thread"] != threading.get_ident()
    assert seen["wrapper"].connection is None


def test_who_asks_for_known_replies_at_the_same_time_asks_together(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in KEYS[:3]:
        ModelCall.objects.create(
            key=key, content=f'"{key}"', model_served="m", finish_reason="stop", created_at=timezone.now()
        )
    asked: list[set[str]] = []
    look_up = recording.stored_replies

    def noted(keys: Any) -> Any:
        asked.append(set(keys))
        return look_up(keys)

    monkeypatch.setattr(recording, "stored_replies", noted)
    recorder = scene.recorder()

    async def work() -> None:
        found = await asyncio.gather(*(recorder.get(key) for key in [*KEYS[:5], KEYS[0]]))
        assert [reply and reply.content for reply in found] == [
            *(f'"{key}"' for key in KEYS[:3]), None, None, f'"{KEYS[0]}"',
        ]  # fmt: skip
        assert await recorder.get(KEYS[4]) is None

    write(recorder, work)
    assert asked == [set(KEYS[:5]), {KEYS[4]}]
