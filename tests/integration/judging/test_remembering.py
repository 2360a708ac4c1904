"""What is remembered of findings: replies, the model that serves, verdicts of earlier rounds."""

from __future__ import annotations

import asyncio

import pytest
from django.utils import timezone

from judging.cascade import Finding
from judging.judges.base import CachedReply, ExtractOutcome, JudgeUnavailable, Usage
from judging.models import JudgeRun, ModelCall
from judging.recording import Recorder, remember, save
from tests.integration.judging.scenes import KEYS, Scene, write

pytestmark = pytest.mark.django_db(transaction=True)


# ------------------------------------------------------------------ the reply cache
def test_a_reply_is_known_before_it_is_written_and_after(scene: Scene) -> None:
    reply = CachedReply(KEYS[0], '{"a": 1}', "judge-1", "stop", Usage(1, 2, 3, 4))
    recorder = scene.recorder()
    found: list[CachedReply | None] = []

    async def work() -> None:
        found.append(await recorder.get(KEYS[0]))
        await recorder.put(reply)
        found.append(await recorder.get(KEYS[0]))
        while recorder._unwritten:
            await asyncio.sleep(0.01)
        found.append(await recorder.get(KEYS[0]))

    write(recorder, work)
    assert found == [None, reply, reply]


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
        run=scene.run.pk,
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
    save(scene.lease, [scene.verdict(KEYS[0], Finding.ERROR, code="timeout")], run=scene.run.pk)
    second = JudgeRun.objects.create(
        submission=scene.run.submission,
        round=2,
        profile=scene.run.profile,
        short_circuit=False,
        started_at=timezone.now(),
    )
    first, scene.run = scene.run, second
    save(
        scene.lease,
        [scene.verdict(KEYS[0], Finding.SUPPORTED), scene.extraction(KEYS[1], 1)],
        run=scene.run.pk,
    )
    assert remember(first, [scene.answer]).judgements[scene.answer, KEYS[0]].code == "timeout"
    assert remember(first, [scene.answer]).readings == {}
    assert remember(second, [scene.answer]).judgements[scene.answer, KEYS[0]].finding is Finding.SUPPORTED
