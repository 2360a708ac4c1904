"""The verdicts of an answer as one tree, for staff who may read all of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Extraction, JudgeRun, Rubric, Verdict
from submissions.models import Submission
from tests.factories import make_submission
from tests.functional.staff import EVIL, page_of, signed_in, text, tree_page, words
from tests.judging_factories import REPORT_RIGHT, cascade_files, import_set, judged, lake_answer, tree_files

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_verdicts_of_an_answer_are_one_tree(submission: Submission) -> None:
    browser = signed_in("judge operator")
    assert tree_page(submission, "brume") in text(browser, page_of(JudgeRun.objects.get()))
    shown = words(text(browser, tree_page(submission, "brume")))
    for part in (
        "Score 0.500",
        "Checks judged 3 of 3",
        "lake 0.500 partial",
        "(critical)",
        "15 kilometres long",
    ):
        assert part in shown
    assert "https://lakes.example/brume: ok, refuted" in shown
    assert "No answer was handed in." in text(browser, tree_page(submission, "sallow"))


def test_a_cascade_is_shown_by_subtasks() -> None:
    held = cascade_files(split="test", delivery="open", delivery_reason="for this test")
    made = judged(import_set(held), {"report": REPORT_RIGHT.replace("212", "221")})
    shown = words(text(signed_in("judge operator"), tree_page(made, "report")))
    for part in (
        "P0 Depth of Lake Brume 0.000 fail",
        "P1 Motor boats",
        "UserPref 1",
        "not reached",
        "(claims: ok)",
        "reference",
    ):
        assert part in shown


def test_what_is_unknown_is_shown_as_unknown() -> None:
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 14, "missing")})
    shown = words(text(signed_in("judge operator"), tree_page(made, "brume")))
    for part in ("Score unknown", "Errors of ours 2", "page_retry", "lake unknown"):
        assert part in shown


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({"tree": {"id": "lake", "kind": "x", "description": "A lake."}}, "tree.kind unknown key"),
        ({"tree": {"id": "lake", "description": EVIL, "claim": "{{ 1 + }}"}}, "tree.claim"),
        ({}, "tree is missing"),
        ([EVIL], "(whole rubric)"),
        (EVIL, "(whole rubric)"),
        (1e308, "(whole rubric)"),
    ],
)
def test_verdicts_by_a_rubric_that_is_none_any_more_are_shown_one_by_one(
    submission: Submission, source: Any, reason: str
) -> None:
    rubric = Rubric.objects.get(task__key="brume")
    Rubric.objects.filter(pk=rubric.pk).update(source=source)
    Verdict.objects.filter(check_id="length").update(quote=EVIL)
    page = text(signed_in("judge operator"), tree_page(submission, "brume"))
    assert EVIL not in page
    shown = words(page)
    for part in (
        "their rubric is not one any more", reason, "Score 0.500", "lake ok", '"depth": 212', "length round 1 refuted",
        "15 kilometres long", "https://lakes.example/brume: ok, refuted", EVIL,
    ):  # fmt: skip
        assert part in shown
    assert page_of(rubric) in page
    assert page_of(Verdict.objects.get(check_id="length")) in page
    assert page_of(Extraction.objects.get()) in page


def test_of_a_rubric_that_is_none_a_page_lists_so_much_and_no_more(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judging.admin.verdicts.LISTED", 1)
    Rubric.objects.update(source={})
    shown = words(text(signed_in("judge operator"), tree_page(submission, "brume")))
    assert f"And {Verdict.objects.count() - 1} more, in the list of verdicts." in shown
    assert shown.count("round 1 supported") == 1
    assert "round 1 refuted" not in shown
    assert "None." in words(text(signed_in("judge operator"), tree_page(submission, "sallow")))


def test_a_round_shows_of_a_broken_rubric_what_it_and_the_rounds_before_it_found(
    submission: Submission,
) -> None:
    first = JudgeRun.objects.get()
    later = JudgeRun.objects.create(
        submission=submission, round=2, profile=first.profile, short_circuit=False, started_at=timezone.now()
    )
    found = Verdict.objects.order_by("pk")[0]
    Verdict.objects.filter(pk=found.pk).update(run=later, statement="Found in the second round")
    Rubric.objects.update(source={})
    browser, answer = signed_in("judge operator"), found.answer_id
    pages = [
        words(text(browser, reverse("admin:judging_judgerun_answer", args=[run.pk, answer])))
        for run in (first, later)
    ]
    assert ["Found in the second round" in page for page in pages] == [False, True]
    assert ["Lake Brume is 15 kilometres long" in page for page in pages] == [True, True]


@pytest.mark.parametrize(
    ("role", "status"),
    [("judge operator", 200), ("validator", 200), ("task author", 403), ("set owner", 403), ("viewer", 403)],
)
def test_a_tree_is_for_those_who_may_read_all_of_it(submission: Submission, role: str, status: int) -> None:
    text(signed_in(role), tree_page(submission, "brume"), status)


def test_an_answer_of_another_submission_is_not_found(submission: Submission) -> None:
    other = make_submission("judged")
    run = submission.judge_runs.get()
    answer = other.answers.order_by("pk")[0]
    text(signed_in(superuser=True), reverse("admin:judging_judgerun_answer", args=[run.pk, answer.pk]), 404)
    text(signed_in(superuser=True), reverse("admin:judging_judgerun_answer", args=[999, answer.pk]), 404)
