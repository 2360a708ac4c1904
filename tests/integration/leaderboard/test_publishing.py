"""From scored submissions to the board that everybody sees."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from leaderboard.models import Board, Entry
from leaderboard.services import ReleaseGateMissing, not_listed_because, publish, scores_shown
from submissions.models import Submission, SubmissionEvent, TaskSet
from tests.factories import make_submission, make_system, make_task, make_task_set, make_team
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db
LATER = T0 + 10 * HOUR


def rows(board: Board) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = board.document["rows"]
    return found


def names(board: Board) -> list[tuple[int | None, str]]:
    return [(row["rank"], row["system"]["name"]) for row in rows(board)]


def timeless(board: Board) -> str:
    """What a board shows, without the ids and dates it got when it was stored."""
    document = {name: part for name, part in board.document.items() if name != "board"}
    bare = [{name: value for name, value in row.items() if name != "id"} for row in rows(board)]
    return json.dumps({**document, "rows": bare}, sort_keys=True)


def system(name: str) -> Any:
    return make_system(make_team(), name=name)


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


# ------------------------------------------------------------------ order and nulls
def test_equal_shown_values_share_a_rank_and_stand_by_name_whoever_came_first() -> None:
    task_set = cascade_set()
    scored(task_set, [3, 3, 3], system=system("Zephyr"), at=T0)
    scored(task_set, [2, 3, 4], system=system("Aster"), at=T0 + HOUR)
    scored(task_set, [1, 1, 1], system=system("Milan"), at=T0)
    assert names(publish(task_set=task_set, now=LATER)) == [(1, "Aster"), (1, "Zephyr"), (3, "Milan")]


def test_digits_that_nobody_sees_decide_nothing() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=3)
    scored(task_set, [0.50001, 0.5, 0.5], system=system("b"))
    scored(task_set, [0.50002, 0.5, 0.5], system=system("c"))
    scored(task_set, [0.5, 0.5, 0.5], system=system("a"))
    board = publish(task_set=task_set, now=LATER)
    assert names(board) == [(1, "a"), (1, "b"), (1, "c")]
    assert {row["values"]["partial_completion"] for row in rows(board)} == {0.5}


def test_the_rank_recomputed_from_the_document_agrees() -> None:
    task_set = cascade_set(tasks=4)
    for values in ([1, 2, 3, 4], [4, 4, 3, 2], [2, 2, 2, 2], [4, 4, 3, 2], [1, 1, 1, 1]):
        scored(task_set, values)
    found = rows(publish(task_set=task_set, now=LATER))
    for row in found:
        better = sum(other["values"]["user_pref"] > row["values"]["user_pref"] for other in found)
        assert row["rank"] == better + 1
    assert [row["position"] for row in found] == [1, 2, 3, 4, 5]


def test_a_result_without_a_primary_value_stands_last_without_a_rank() -> None:
    task_set = cascade_set()
    unknown = scored(task_set, [4, 4, 4], system=system("A"))
    Submission.objects.filter(pk=unknown.pk).update(summary={**(unknown.summary or {}), "user_pref": None})
    scored(task_set, [1, 1, 1], system=system("B"))
    board = publish(task_set=task_set, now=LATER)
    assert names(board) == [(1, "B"), (None, "A")]
    assert rows(board)[1]["values"]["user_pref"] is None
    assert rows(board)[1]["intervals"]["user_pref"] is None


def test_zero_is_shown_as_zero_and_unknown_as_null() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=3)
    scored(task_set, [0.0, 0.0, 0.0], details={"cost_usd": None})
    row = rows(publish(task_set=task_set, now=LATER))[0]
    assert row["values"]["partial_completion"] == 0.0
    assert row["values"]["success_rate"] == 0.0
    assert row["values"]["cost_usd"] is None
    assert row["tasks"]["cost_usd"] == 0


# ------------------------------------------------------------------ what stands below the numbers
def test_incomplete_results_stand_below_with_their_reasons_and_without_numbers() -> None:
    task_set = cascade_set()
    scored(task_set, [1, 1, 1], system=system("Zero"))
    scored(
        task_set, [4, 4, 4], system=system("A"), state="incomplete", reasons=["score_unknown", "errors_left"]
    )
    board = publish(task_set=task_set, now=LATER)
    row = rows(board)[1]
    assert names(board) == [(1, "Zero"), (None, "A")]
    assert (row["status"], row["reasons"]) == ("incomplete", ["score_unknown", "errors_left"])
    assert (row["values"], row["intervals"], row["coverage"]) == ({}, {}, None)


def test_a_reason_that_is_on_no_list_stays_inside() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 4, 4], state="incomplete", reasons=["the judge said: <secret>"])
    board = publish(task_set=task_set, now=LATER)
    assert rows(board)[0]["reasons"] == ["incomplete"]
    assert "secret" not in json.dumps(board.document)


def test_a_withdrawn_result_leaves_its_row_and_its_attempts() -> None:
    task_set = cascade_set()
    same = system("Gone")
    submission = scored(task_set, [4, 4, 4], system=same)
    make_submission("queued", task_set=task_set, system=same)
    make_submission("draft", task_set=task_set, system=same)
    publish(task_set=task_set, now=LATER)
    Submission.objects.filter(pk=submission.pk).update(listing="withdrawn")
    row = rows(publish(task_set=task_set, now=LATER + HOUR))[0]
    assert (row["status"], row["rank"], row["attempts"], row["values"]) == ("withdrawn", None, 2, {})
    assert row["reasons"] == ["withdrawn"]
    assert row["published_at"] is None


def test_on_dev_boards_the_next_best_moves_up_after_a_withdrawal() -> None:
    task_set = cascade_set()
    same = system("Meridian")
    best = scored(task_set, [4, 4, 4], system=same)
    scored(task_set, [2, 2, 2], system=same)
    publish(task_set=task_set, now=LATER)
    Submission.objects.filter(pk=best.pk).update(listing="withdrawn")
    row = rows(publish(task_set=task_set, now=LATER + HOUR))[0]
    assert (row["rank"], row["values"]["user_pref"], row["attempts"]) == (1, 2.0, 2)


def test_a_flagged_result_keeps_its_place_and_carries_the_mark() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 4, 4], listing="flagged")
    row = rows(publish(task_set=task_set, now=LATER))[0]
    assert (row["rank"], row["marks"]) == (1, ["offline_judge", "uncalibrated", "flagged"])


def test_results_of_another_judge_wait_below() -> None:
    task_set = cascade_set()
    for name in ("A", "B"):
        scored(task_set, [1, 1, 1], system=system(name))
    other = {"judge": "openai", "model": "m", "profile_hash": "d" * 64, "offline": False, "calibrated": True}
    scored(task_set, [4, 4, 4], system=system("C"), provenance=other)
    board = publish(task_set=task_set, now=LATER)
    assert names(board) == [(1, "A"), (1, "B"), (None, "C")]
    assert rows(board)[2]["reasons"] == ["judged_differently"]
    assert board.document["method"]["judge"] == "lexical"


def test_ten_thousand_submissions_do_not_hide_anyones_best() -> None:
    task_set = cascade_set(tasks=1)
    best = {}
    for number in range(3):
        found = scored(task_set, [2 + number], system=system(f"S{number}"))
        best[f"S{number}"] = 2.0 + number
        copies = [
            Submission(
                system=found.system, task_set=task_set, task_set_hash="b" * 64, runs=1, state="judged",
                created_at=T0, finalized_at=T0, judged_at=T0, published_at=T0, provenance=found.provenance,
                summary={**(found.summary or {}), "user_pref": 1.0},
            )
            for _ in range(3_333)
        ]  # fmt: skip
        Submission.objects.bulk_create(copies)
    Submission.objects.filter(summary__user_pref=1.0).update(state="published")
    shown = rows(publish(task_set=task_set, now=LATER))
    assert {row["system"]["name"]: row["values"]["user_pref"] for row in shown} == best
    assert [row["attempts"] for row in shown] == [3_334] * 3


# ------------------------------------------------------------------ numbers and intervals
def test_a_cascade_row_carries_the_worked_mean_and_interval() -> None:
    task_set = cascade_set(tasks=10)
    scored(task_set, [2, 3, 1, 4, 2, 3, 3, 2, 1, 4])
    row = rows(publish(task_set=task_set, now=LATER))[0]
    assert row["values"]["user_pref"] == 2.5
    assert row["intervals"] == {"user_pref": [1.73, 3.27]}
    assert row["tasks"]["rationality"] == 10
    assert row["values"]["minutes"] == 5.0
    assert row["values"]["cost_usd"] == 0.25
    assert row["values"]["reference_ratio"] == 0.75


def test_tasks_that_share_an_event_widen_the_interval() -> None:
    task_set = cascade_set(tasks=0)
    for position, cluster in enumerate([0, 0, 1, 1, 2, 2, 2, 3, 3, 4], start=1):
        make_task(task_set, position=position, cluster=f"event {cluster}")
    scored(task_set, [1, 1, 2, 2, 3, 3, 3, 4, 4, 2])
    board = publish(task_set=task_set, now=LATER)
    assert rows(board)[0]["intervals"]["user_pref"] == [1.06, 3.94]
    assert "CR1" in board.document["columns"][0]["interval"]


def test_a_single_run_has_a_wilson_interval_and_no_pass_at_k() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=4)
    scored(task_set, [1.0, 1.0, 0.5, 0.0])
    board = publish(task_set=task_set, now=LATER)
    row = rows(board)[0]
    assert row["values"]["partial_completion"] == 0.625
    assert row["values"]["success_rate"] == 0.5
    assert row["intervals"]["success_rate"] == [0.15, 0.85]
    assert not [column for column in board.document["columns"] if column["key"].startswith("pass_at")]


def test_several_runs_are_averaged_within_a_task_and_have_pass_at_k() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=2, runs=2)
    scored(task_set, [1.0, 0.0, 0.5, 0.5], runs=2)
    board = publish(task_set=task_set, now=LATER)
    row = rows(board)[0]
    assert row["values"]["partial_completion"] == 0.5
    assert row["intervals"]["partial_completion"] == [0.5, 0.5]
    assert (row["values"]["success_rate"], row["values"]["pass_at_2"]) == (0.25, 0.5)
    assert row["intervals"]["success_rate"] == [0.0, 1.0]


def test_one_task_has_no_interval() -> None:
    task_set = cascade_set(tasks=1)
    scored(task_set, [4])
    assert rows(publish(task_set=task_set, now=LATER))[0]["intervals"] == {"user_pref": None}


def test_no_interval_is_drawn_around_another_number_than_the_one_shown() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 4, 3])
    submission.answers.update(user_pref=1)
    assert rows(publish(task_set=task_set, now=LATER))[0]["intervals"] == {"user_pref": None}


def test_an_answer_without_a_score_leaves_no_interval() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 4, 3])
    submission.answers.filter(run=1, task__position=1).update(user_pref=None)
    assert rows(publish(task_set=task_set, now=LATER))[0]["intervals"] == {"user_pref": None}


def test_a_lower_bound_is_marked_as_one() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 4, 3], details={"in_full": False})
    assert rows(publish(task_set=task_set, now=LATER))[0]["at_least"] == ["hallucination_rate"]


def test_the_document_says_what_is_needed_to_read_it() -> None:
    task_set = cascade_set(as_of=dt.date(2026, 5, 1))
    scored(task_set, [4, 4, 3], system=make_system(make_team(organisation="Halcyon"), name="M", model="m-1"))
    board = publish(task_set=task_set, now=LATER)
    document = board.document
    assert document["task_set"]["as_of"] == "2026-05-01"
    assert (document["task_set"]["tasks"], document["task_set"]["runs"]) == (3, 1)
    assert document["method"]["constants"]["pass_at"] == 0.8
    assert document["method"]["marks"] == ["offline_judge", "uncalibrated"]
    assert document["board"] == {
        "id": board.public_id,
        "number": 1,
        "published_at": "2026-05-04T22:00:00Z",
    }
    assert rows(board)[0]["system"]["organisation"] == "Halcyon"
    assert rows(board)[0]["provenance"] == "self_service"


def test_nothing_of_a_task_or_an_answer_is_in_the_document() -> None:
    task_set = cascade_set(tasks=0)
    task = make_task(task_set, position=1, key="secret-key", prompt="secret prompt", cluster="secret cluster")
    submission = scored(task_set, [4])
    submission.answers.update(text="secret answer", feedback={"reason": "secret reason"})
    document = json.dumps(publish(task_set=task_set, now=LATER).document)
    assert "secret" not in document
    assert task.public_id not in document
    assert submission.public_id not in document


# ------------------------------------------------------------------ why not
def test_a_submission_says_why_it_does_not_stand_on_its_board() -> None:
    task_set = cascade_set(runs=2)
    same = system("Same")
    shown = scored(task_set, [4] * 6, system=same, runs=2)
    behind = scored(task_set, [1] * 6, system=same, runs=2)
    fewer = scored(task_set, [4] * 3, runs=1)
    incomplete = scored(task_set, [4] * 6, runs=2, state="incomplete", reasons=["coverage_low"])
    assert not_listed_because(shown) == []
    publish(task_set=task_set, now=LATER)
    assert not_listed_because(shown) == []
    assert not_listed_because(behind) == ["another_result_shown"]
    assert not_listed_because(fewer) == ["fewer_runs"]
    assert not_listed_because(incomplete) == ["coverage_low"]


def test_a_withdrawn_submission_says_so_with_and_without_a_tombstone() -> None:
    task_set = cascade_set()
    same = system("Same")
    withdrawn = scored(task_set, [4, 4, 4], system=same, listing="withdrawn")
    publish(task_set=task_set, now=LATER)
    assert not_listed_because(withdrawn) == ["withdrawn"]
    scored(task_set, [2, 2, 2], system=same)
    publish(task_set=task_set, now=LATER + HOUR)
    assert not_listed_because(withdrawn) == ["withdrawn"]


def test_a_team_may_be_shown_what_the_board_shows() -> None:
    task_set = cascade_set()
    submission = scored(task_set, [4, 3, 2])
    assert scores_shown(submission.pk) is None
    publish(task_set=task_set, now=LATER)
    shown = scores_shown(submission.pk)
    assert shown is not None
    assert shown["values"]["user_pref"] == 3.0
    assert shown["rank"] == 1
    Submission.objects.filter(pk=submission.pk).update(listing="withdrawn")
    publish(task_set=task_set, now=LATER + HOUR)
    assert scores_shown(submission.pk) is None


def test_versions_of_a_set_have_boards_of_their_own() -> None:
    old = cascade_set(slug="same", version="1", state=TaskSet.State.RETIRED)
    new = cascade_set(slug="same", version="2")
    scored(new, [4, 4, 4])
    assert rows(publish(task_set=old, now=LATER)) == []
    assert len(rows(publish(task_set=new, now=LATER))) == 1
    assert Board.objects.current().count() == 2
