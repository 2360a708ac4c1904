"""Two who do the same thing at once: one wins, the other is told, nothing is done twice or lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from submissions import services
from submissions.bundle import AnswerIn
from submissions.models import Answer, Job, Submission, SubmissionEvent, System
from submissions.models.submission import IllegalTransition
from tests.factories import (
    fill_answer,
    make_draft,
    make_submission,
    make_system,
    make_task_set,
    make_team,
    now,
)
from tests.integration.submissions.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def kinds(results: list[Any]) -> Counter[str]:
    """How often which class came back."""
    return Counter(type(result).__name__ for result in results)


def test_ten_finalizations_queue_one_job() -> None:
    submission = make_draft()
    fill_answer(submission)
    results = at_once(10, lambda: services.finalize(submission=submission, now=now()))
    assert kinds(results) == {"Submission": 10}
    assert Job.objects.count() == SubmissionEvent.objects.count() == 1


def test_of_ten_replacements_of_one_version_one_wins() -> None:
    submission = make_draft(task_set=make_task_set(tasks=1))
    task = submission.task_set.tasks.get().public_id
    first, _ = services.put_answer(submission=submission, answer=AnswerIn(task, 1, "first"), now=now())
    seen = services.version_of(first)
    texts = iter([f"number {n}" for n in range(10)])

    def replace() -> Any:
        answer = AnswerIn(task, 1, next(texts))
        return services.put_answer(submission=submission, answer=answer, now=now(), if_match=seen)

    assert kinds(at_once(10, replace)) == {"tuple": 1, "AnswerChanged": 9}
    assert Answer.objects.get().text.startswith("number")


def test_an_answer_is_frozen_or_too_late_never_both() -> None:
    for _ in range(5):
        submission = make_draft(task_set=make_task_set(tasks=1))
        fill_answer(submission, text="before")
        task = submission.task_set.tasks.get().public_id
        deeds = iter(["finalize", "put"] * 3)

        def act(deeds: Any = deeds, submission: Submission = submission, task: str = task) -> str:
            if next(deeds) == "finalize":
                services.finalize(submission=submission, now=now())
                return "finalized"
            try:
                services.put_answer(submission=submission, answer=AnswerIn(task, 1, "after"), now=now())
            except services.NotADraft:
                return "too late"
            return "in time"

        results = Counter(at_once(6, act))
        assert results["finalized"] == 3
        assert submission.answers.get().text == ("after" if results["in time"] else "before")


def test_a_draft_is_deleted_or_queued() -> None:
    for _ in range(5):
        submission = make_draft()
        fill_answer(submission)
        deeds = iter(["finalize", "delete"] * 2)

        def act(deeds: Any = deeds, submission: Submission = submission) -> Any:
            if next(deeds) == "finalize":
                return services.finalize(submission=submission, now=now())
            return services.delete_draft(submission=submission)

        results = kinds(at_once(4, act))
        if Submission.objects.filter(pk=submission.pk, state="queued").exists():
            assert results == {"Submission": 2, "NotADraft": 2}
        else:
            assert results == {"NoneType": 1, "Vanished": 3}


def test_one_name_is_one_system() -> None:
    team = make_team()
    results = at_once(8, lambda: make_system(team, name="Searcher"))
    assert kinds(results) == {"System": 1, "SystemNameTaken": 7}
    assert System.objects.count() == 1


def test_two_sweeps_expire_each_draft_once() -> None:
    old = now() - services.drafts.draft_lifetime()
    task_set, system = make_task_set(), make_system(make_team())
    for _ in range(6):
        make_draft(task_set=task_set, system=system, now=old)
    assert sum(at_once(3, lambda: services.expire_drafts(now=now()))) == 6
    assert SubmissionEvent.objects.count() == 6


def test_a_step_from_a_state_that_was_left_meanwhile_is_none() -> None:
    first = make_submission("queued")
    second = Submission.objects.get(pk=first.pk)
    first.move("collecting", actor="worker", now=now())
    with pytest.raises(IllegalTransition):
        second.move("cancelled", actor="worker", now=now())
    assert [event.to_state for event in first.events.all()] == ["collecting"]
    assert Submission.objects.get(pk=first.pk).state == "collecting"
