"""From scored submissions to the board that everybody sees: states, and one document for one board."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from leaderboard.models import Board, Entry
from leaderboard.services import ReleaseGateMissing, publish
from submissions.models import Submission, SubmissionEvent, TaskSet
from tests.factories import make_submission, make_task_set
from tests.integration.leaderboard.boards import LATER, names, rows, system, timeless
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db


# ------------------------------------------------------------------ states
def test_publishing_shows_judged_submissions_and_dates_them() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 3, 2], system=system("Meridian"))
    board = publish(task_set=task_set, now=LATER)
    submission.refresh_from_db()
    assert names(board) == [(1, "Meridian")]
    assert (submission.state, submission.published_at) == ("published", LATER)
    assert rows(board)[0]["published_at"] == "2026-05-04T22:00:00Z"
    assert (board.number, board.published_at, board.superseded_at) == (1, LATER, None)
    event = SubmissionEvent.objects.get(submission=submission)
    assert (event.from_state, event.to_state, event.actor) == ("judged", "published", "publication")


def test_everything_that_waits_is_published_whether_it_stands_on_the_board_or_not() -> None:
    task_set = cascade_set(runs=2)
    same = system("Same")
    better = scored(task_set, [4] * 6, system=same, runs=2)
    worse = scored(task_set, [1] * 6, system=same, runs=2)
    short = scored(task_set, [4] * 3, runs=1)
    withdrawn = scored(task_set, [4] * 6, runs=2, listing="withdrawn")
    publish(task_set=task_set, now=LATER)
    states = {found.pk: found.state for found in Submission.objects.all()}
    assert states == dict.fromkeys((better.pk, worse.pk, short.pk, withdrawn.pk), "published")


def test_what_is_not_judged_yet_waits() -> None:
    task_set = cascade_set()
    waiting = [
        make_submission(state, task_set=task_set) for state in ("queued", "judging", "failed", "withheld")
    ]
    draft = make_submission("draft", task_set=task_set)
    board = publish(task_set=task_set, now=LATER)
    assert rows(board) == []
    for submission in [*waiting, draft]:
        before = submission.state
        submission.refresh_from_db()
        assert submission.state == before


def test_what_was_judged_after_the_moment_of_publication_waits() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 4, 4], system=system("early"), at=T0)
    late = scored(task_set, [4, 4, 4], system=system("late"), at=LATER + HOUR)
    assert names(publish(task_set=task_set, now=LATER)) == [(1, "early")]
    late.refresh_from_db()
    assert late.state == "judged"


def test_a_published_result_stays_on_the_board_while_it_is_judged_again() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 3, 2], system=system("Meridian"))
    publish(task_set=task_set, now=LATER)
    Submission.objects.filter(pk=submission.pk).update(state="judging")
    assert names(publish(task_set=task_set, now=LATER + HOUR)) == [(1, "Meridian")]
    Submission.objects.filter(pk=submission.pk).update(state="judged", judged_at=LATER + 9 * HOUR)
    board = publish(task_set=task_set, now=LATER + HOUR)
    submission.refresh_from_db()
    assert board.number == 1  # the second judging changed nothing that is shown
    assert (submission.state, submission.published_at) == ("published", LATER)


@pytest.mark.parametrize("state", ["published", "incomplete", "withheld"])
def test_a_board_does_not_show_that_something_is_judged_again(state: str) -> None:
    task_set = cascade_set()
    scored(task_set, [2, 2, 2], system=system("another"))
    submission = scored(task_set, [4, 3, 2], system=system("Meridian"))
    publish(task_set=task_set, now=LATER)
    reasons = ["errors_left"] if state == "incomplete" else []
    Submission.objects.filter(pk=submission.pk).update(state=state, incomplete_reasons=reasons)
    before = publish(task_set=task_set, now=LATER)
    submission.refresh_from_db()
    submission.move("judging", actor="user:1", now=LATER)
    assert publish(task_set=task_set, now=LATER + HOUR) == before
    submission.move("paused", actor="worker", now=LATER)
    assert publish(task_set=task_set, now=LATER + HOUR) == before
    submission.fail(actor="worker", now=LATER, reason="no_progress")
    assert publish(task_set=task_set, now=LATER + HOUR) == before
    assert submission.state == state


# ------------------------------------------------------------------ one document, one board
def test_unchanged_inputs_leave_the_board_as_it_stands() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 3, 2])
    first = publish(task_set=task_set, now=LATER)
    again = publish(task_set=task_set, now=LATER + HOUR)
    assert again.pk == first.pk
    assert Board.objects.count() == 1


def test_a_new_result_supersedes_the_board_and_leaves_the_old_one_as_it_was() -> None:
    task_set = cascade_set()
    scored(task_set, [1, 1, 2], system=system("first"))
    old = publish(task_set=task_set, now=LATER)
    before = old.document
    scored(task_set, [4, 4, 4], system=system("second"), at=T0 + HOUR)
    new = publish(task_set=task_set, now=LATER + HOUR)
    old.refresh_from_db()
    assert (old.document, old.superseded_at, new.number) == (before, LATER + HOUR, 2)
    assert names(new) == [(1, "second"), (2, "first")]
    assert rows(new)[1]["published_at"] == "2026-05-04T22:00:00Z"


def test_a_board_built_anew_equals_the_one_that_grew() -> None:
    task_set = cascade_set(tasks=4)
    for number, values in enumerate([[1, 2, 3, 4], [4, 4, 3, 2], [2, 2, 2, 2], [4, 4, 3, 2]]):
        scored(task_set, values, system=system(f"S{number}"), at=T0 + number * HOUR)
        grown = publish(task_set=task_set, now=LATER + number * HOUR)
    Entry.objects.all().delete()
    Board.objects.all().delete()
    assert timeless(publish(task_set=task_set, now=LATER + 99 * HOUR)) == timeless(grown)


def test_a_publication_is_never_dated_before_the_board_that_stands() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 3, 2])
    publish(task_set=task_set, now=LATER)
    scored(task_set, [4, 4, 4], at=LATER)
    assert publish(task_set=task_set, now=T0).published_at == LATER


def test_entries_hold_the_rows_of_their_board() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 3, 2])
    board = publish(task_set=task_set, now=LATER)
    entry = Entry.objects.get()
    assert (entry.board, entry.submission, entry.system, entry.position) == (
        board,
        submission,
        submission.system,
        1,
    )
    assert entry.document == rows(board)[0]
    assert entry.public_id == rows(board)[0]["id"]


def test_a_board_has_one_row_a_system_by_a_constraint() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 3, 2])
    board = publish(task_set=task_set, now=LATER)
    first = Entry.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.create(
            board=board, system=first.system, submission=first.submission, position=2, document={}
        )


def test_a_set_has_one_current_board_by_a_constraint() -> None:
    task_set = cascade_set()
    publish(task_set=task_set, now=LATER)
    with pytest.raises(IntegrityError), transaction.atomic():
        Board.objects.create(task_set=task_set, number=9, document={}, inputs_hash="", published_at=LATER)


def test_test_sets_are_refused_by_name_and_nothing_moves() -> None:
    task_set = make_task_set(split="test", protocol="cascade", tasks=3)
    submission = scored(task_set, [4, 3, 2])
    with pytest.raises(ReleaseGateMissing, match="release gate"):
        publish(task_set=task_set, now=LATER)
    submission.refresh_from_db()
    assert submission.state == "judged"
    assert not Board.objects.exists()


def test_a_publication_that_breaks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 3, 2])
    old = publish(task_set=task_set, now=LATER)
    later = scored(task_set, [1, 1, 1])

    def breaks(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(Submission, "move", breaks)
    with pytest.raises(RuntimeError):
        publish(task_set=task_set, now=LATER + HOUR)
    later.refresh_from_db()
    assert (later.state, later.published_at) == ("judged", None)
    assert Board.objects.get().superseded_at is None
    assert Entry.objects.get().submission == submission
    assert Board.objects.get() == old


def test_versions_of_a_set_have_boards_of_their_own() -> None:
    old = cascade_set(slug="same", version="1", state=TaskSet.State.RETIRED)
    new = cascade_set(slug="same", version="2")
    scored(new, [4, 4, 4])
    assert rows(publish(task_set=old, now=LATER)) == []
    assert len(rows(publish(task_set=new, now=LATER))) == 1
    assert Board.objects.current().count() == 2
