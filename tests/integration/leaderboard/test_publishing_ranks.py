"""Who stands where on a board, who stands below, and why."""

from __future__ import annotations

import json

import pytest

from leaderboard.services import not_listed_because, publish, scores_shown
from submissions.models import Submission
from tests.factories import make_submission, make_task_set
from tests.integration.leaderboard.boards import LATER, names, rows, system
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db


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


def test_what_was_judged_before_there_was_a_search_is_judged_without_one() -> None:
    task_set = cascade_set()
    for name, method in (("A", {}), ("B", {"search": "off"}), ("C", {"search": "searxng"})):
        scored(task_set, [1, 1, 1], system=system(name), provenance=method)
    assert names(publish(task_set=task_set, now=LATER)) == [(1, "A"), (1, "B"), (None, "C")]


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
