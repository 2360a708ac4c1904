"""Writing findings: in batches, fenced by the lease, alike on every database; and what is remembered of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
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
from judging.judges.base import Attempt, CachedReply, CallRecord, ExtractOutcome, JudgeUnavailable, Usage
from judging.models import Extraction, JudgeRun, ModelCall, Rubric, Verdict
from judging.recording import Recorder, RowRefused, extraction_row, remember, save, verdict_row
from judging.rounds import open_round
from submissions.leases import Lease, LeaseLost, acquire
from submissions.models import Job
from tests.factories import make_submission, make_task_set
from tests.integration.judging.locks import meeting_at

pytestmark = pytest.mark.django_db(transaction=True)

KEYS = [f"{n:064x}" for n in range(500)]
ODD = "a\x00b\ud800c\udfff"
RECORD = CallRecord(
    judge="openai", model_served=ODD, parameters={"x": ODD}, attempts=(Attempt(error="timeout", detail=ODD), Attempt()),
)  # fmt: skip


@dataclass
class Scene:
    """A held job of a round, with an answer and its rubric."""

    run: JudgeRun
    lease: Lease
    answer: int
    rubric: int

    def recorder(self) -> Recorder:
        return Recorder(lease=self.lease, run=self.run)

    def verdict(self, key: str, finding: Finding = Finding.SUPPORTED, **fields: Any) -> Verdict:
        return verdict_row(self.run, self.answer, self.rubric, "check", key, Judgement(finding, **fields))

    def extraction(self, key: str, data: Any, outcome: ExtractOutcome = ExtractOutcome.OK) -> Extraction:
        return extraction_row(self.run, self.answer, "name", key, Reading(outcome, data))


@pytest.fixture
def scene() -> Scene:
    return made_scene()


def made_scene() -> Scene:
    submission = make_submission("judging", task_set=make_task_set(tasks=1))
    now = timezone.now()
    task = submission.task_set.tasks.get()
    rubric = Rubric.objects.create(task=task, source={}, content_hash="0" * 64, created_at=now)
    run = open_round(submission, now=now)
    lease = acquire(submission.jobs.get().pk)
    assert lease is not None
    return Scene(run, lease, submission.answers.get().pk, rubric.pk)


def write(recorder: Recorder, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Work with the writer beside it, to the end of both."""

    async def both() -> None:
        writer = asyncio.create_task(recorder.write())
        try:
            await work()
            await recorder.close()
        finally:
            await asyncio.wait({writer}, timeout=5)
        writer.result()

    try:
        asyncio.run(both())
    finally:
        recorder.shut()


def test_replies_that_two_workers_keep_in_different_orders_are_kept_once() -> None:
    """Equal questions of two submissions, answered in any order."""
    one, other = (made_scene().lease for _ in range(2))

    def reply(key: str) -> ModelCall:
        now = timezone.now()
        return ModelCall(key=key, content="{}", model_served="m", finish_reason="stop", created_at=now)

    rows = [[reply(key) for key in order] for order in (KEYS[:9], KEYS[8::-1])]
    deeds = [lambda: save(one, rows[0]), lambda: save(other, rows[1])]
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

    def counted(lease: Lease, batch: Sequence[Any]) -> None:
        sizes.append(len(batch))
        save(lease, batch)

    monkeypatch.setattr(recording, "save", counted)
    recorder = scene.recorder()

    async def work() -> None:
        for key in KEYS[:250]:
            await recorder.judgement(scene.answer, scene.rubric, "check", key, Judgement(Finding.SUPPORTED))
        await asyncio.sleep(1.2)
        await recorder.judgement(scene.answer, scene.rubric, "check", KEYS[400], Judgement(Finding.SUPPORTED))
        await asyncio.sleep(1.2)

    write(recorder, work)
    assert sizes == [100, 100, 50, 1]
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
    save(scene.lease, [scene.verdict(KEYS[0], reason="first"), scene.extraction(KEYS[1], 1)])
    save(
        scene.lease,
        [scene.verdict(KEYS[0], reason="second"), scene.extraction(KEYS[1], 2), scene.verdict(KEYS[2])],
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
        save(scene.lease, [scene.verdict(KEYS[0]), broken(scene, kind), scene.extraction(KEYS[1], 1)])
    assert not Verdict.objects.exists()
    assert not Extraction.objects.exists()
    assert not ModelCall.objects.exists()


def test_an_unsettled_row_of_an_earlier_round_does_not_stand_for_a_refused_one(scene: Scene) -> None:
    save(scene.lease, [scene.verdict(KEYS[0], Finding.ERROR)])
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
        save(scene.lease, [row])
    assert [verdict.finding for verdict in Verdict.objects.all()] == ["error"]


def test_a_settled_row_of_another_round_stands_for_a_second_one(scene: Scene) -> None:
    save(scene.lease, [scene.verdict(KEYS[0], reason="first"), scene.extraction(KEYS[1], 1)])
    scene.run = JudgeRun.objects.create(
        submission=scene.run.submission,
        round=2,
        profile=scene.run.profile,
        short_circuit=False,
        started_at=timezone.now(),
    )
    save(scene.lease, [scene.verdict(KEYS[0], reason="second"), scene.extraction(KEYS[1], 2)])
    assert [row.reason for row in Verdict.objects.all()] == ["first"]
    assert [row.data for row in Extraction.objects.all()] == [1]


def test_who_lost_the_lease_writes_nothing(scene: Scene) -> None:
    Job.objects.filter(pk=scene.lease.job.pk).update(lease_token=99)
    recorder = scene.recorder()

    async def work() -> None:
        await recorder.judgement(scene.answer, scene.rubric, "check", KEYS[0], Judgement(Finding.SUPPORTED))
        await recorder.put(CachedReply(KEYS[1], "{}", "m", "stop", Usage()))

    with pytest.raises(LeaseLost):
        write(recorder, work)
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
        await recorder._in_thread(
            lambda: seen.update(thread=threading.get_ident(), wrapper=connections["default"])
        )

    write(recorder, work)
    assert seen["thread"] != threading.get_ident()
    assert seen["wrapper"].connection is None


# ------------------------------------------------------------------ the reply cache
def test_a_reply_is_known_before_it_is_written_and_after(scene: Scene) -> None:
    reply = CachedReply(KEYS[0], '{"a": 1}', "judge-1", "stop", Usage(1, 2, 3, 4))
    recorder = scene.recorder()
    found: list[CachedReply | None] = []

    async def work() -> None:
        found.append(await recorder.get(KEYS[0]))
        await recorder.put(reply)
        found.append(await recorder.get(KEYS[0]))
        await asyncio.sleep(1)
        found.append(await recorder.get(KEYS[0]))

    write(recorder, work)
    assert found == [None, reply, reply]
    assert recorder._unwritten == {}


# ------------------------------------------------------------------ the model that serves
def served(recorder: Recorder, *models: str) -> None:
    async def work() -> None:
        for key, model in zip(KEYS, models, strict=False):
            await recorder.put(CachedReply(key, "{}", model, "stop", Usage()))

    write(recorder, work)


def test_the_first_reply_pins_the_model_of_a_run(scene: Scene) -> None:
    served(scene.recorder(), "", "judge-1-0501", "judge-1-0501", "")
    scene.run.refresh_from_db()
    assert scene.run.model_served == "judge-1-0501"
    assert ModelCall.objects.count() == 4


def test_another_shard_cannot_go_on_with_another_model(scene: Scene) -> None:
    stale = JudgeRun.objects.get(pk=scene.run.pk)
    served(scene.recorder(), "judge-1-0501")
    recorder = Recorder(lease=scene.lease, run=stale)
    with pytest.raises(JudgeUnavailable, match="wrong_model: pinned judge-1-0501, served judge-1-0601"):
        asyncio.run(recorder.put(CachedReply(KEYS[9], "{}", "judge-1-0601", "stop", Usage())))
    recorder.shut()
    stale.refresh_from_db()
    assert stale.model_served == "judge-1-0501"
    assert ModelCall.objects.count() == 1


# ------------------------------------------------------------------ memory
def test_what_is_settled_is_remembered_in_later_rounds_and_what_is_not_only_in_its_own(scene: Scene) -> None:
    save(
        scene.lease,
        [
            *(scene.verdict(KEYS[n], finding) for n, finding in enumerate(Finding)),
            *(scene.extraction(KEYS[n], n, outcome) for n, outcome in enumerate(ExtractOutcome)),
        ],
    )
    assert len(remember(scene.run, [scene.answer]).judgements) == 5
    assert len(remember(scene.run, [scene.answer]).readings) == 4
    second = JudgeRun.objects.create(
        submission=scene.run.submission,
        round=2,
        profile=scene.run.profile,
        short_circuit=False,
        started_at=timezone.now(),
    )
    later = remember(second, [scene.answer])
    assert {found.finding.value for found in later.judgements.values()} == {
        "supported",
        "refuted",
        "undecided",
    }
    assert [reading.data for reading in later.readings.values()] == [0]
    assert remember(second, []).judgements == {}


def test_a_replay_of_an_earlier_round_does_not_know_what_came_later(scene: Scene) -> None:
    save(scene.lease, [scene.verdict(KEYS[0], Finding.ERROR, code="timeout")])
    second = JudgeRun.objects.create(
        submission=scene.run.submission,
        round=2,
        profile=scene.run.profile,
        short_circuit=False,
        started_at=timezone.now(),
    )
    first, scene.run = scene.run, second
    save(scene.lease, [scene.verdict(KEYS[0], Finding.SUPPORTED), scene.extraction(KEYS[1], 1)])
    assert remember(first, [scene.answer]).judgements[scene.answer, KEYS[0]].code == "timeout"
    assert remember(first, [scene.answer]).readings == {}
    assert remember(second, [scene.answer]).judgements[scene.answer, KEYS[0]].finding is Finding.SUPPORTED
