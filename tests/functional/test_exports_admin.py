"""Exports, costs and progress in the admin: who has them, and what they say."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from structlog.testing import capture_logs

from judging.exporting import export_lines, find_run
from judging.models import JudgeRun, Spending, Verdict
from submissions.models import Submission
from submissions.roles import ROLES
from tests.factories import make_user
from tests.functional.staff import EVIL, listing, page_of, signed_in, text, tree_page, words
from tests.integration.judging.modelled import changed
from tests.judging_factories import import_set, lake_answer, run_jobs, submit, tree_files

pytestmark = pytest.mark.django_db(transaction=True)
COSTS = "/admin/judging/judgerun/costs/"


def export_address(run: JudgeRun) -> str:
    """Where a run is handed out."""
    return reverse("admin:judging_judgerun_export", args=[run.pk])


def spent(run: JudgeRun | None, **fields: Any) -> None:
    """Something was counted for a run."""
    Spending.objects.create(
        run=run, **{"day": dt.date(2026, 5, 2), "calls": 3, "prompt_tokens": 1_200, **fields}
    )


# ------------------------------------------------------------------ exports
def test_a_run_is_handed_out_whole_and_noted(submission: Submission) -> None:
    run = JudgeRun.objects.get()
    browser = signed_in("judge operator")
    assert export_address(run) in text(browser, page_of(run))
    with capture_logs() as logs:
        response: Any = browser.get(export_address(run))
        data = b"".join(response.streaming_content)
    assert data == b"".join(export_lines(find_run(str(run.pk))))
    assert json.loads(data.splitlines()[-1])["kind"] == "end"
    assert response["Content-Disposition"] == f'attachment; filename="run-{run.pk}.jsonl"'
    assert "no-store" in response["Cache-Control"]
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Type"] == "application/x-ndjson"
    (noted,) = [entry for entry in logs if entry["event"] == "run_exported"]
    assert set(noted) == {"event", "run", "by", "log_level"}
    assert noted["run"] == run.pk


@pytest.mark.parametrize("role", ROLES)
def test_an_export_is_for_those_who_may_see_all_that_is_in_it(submission: Submission, role: str) -> None:
    run = JudgeRun.objects.get()
    expected = 200 if role == "judge operator" else 403
    assert signed_in(role).get(export_address(run)).status_code == expected


def test_a_missing_right_takes_the_button_and_the_file_away(submission: Submission) -> None:
    run = JudgeRun.objects.get()
    user = make_user(staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_judgerun"))
    browser = Client()
    browser.force_login(user)
    assert export_address(run) not in text(browser, page_of(run))
    assert browser.get(export_address(run)).status_code == 403


def test_strangers_are_sent_away_and_what_is_not_there_is_not_found(submission: Submission) -> None:
    run = JudgeRun.objects.get()
    for address in (export_address(run), COSTS):
        assert Client().get(address).status_code == 302
    for number in (10**9, 10**30):
        text(signed_in(superuser=True), f"/admin/judging/judgerun/{number}/export/", 404)


# ------------------------------------------------------------------ costs
def test_costs_stand_by_month_and_set_with_their_sums(submission: Submission) -> None:
    run = JudgeRun.objects.get()
    assert "No model has been asked yet." in text(signed_in("judge operator"), COSTS)
    spent(run, cost_usd=1.5)
    spent(run, day=dt.date(2026, 6, 1), unpriced_calls=3)
    browser = signed_in("judge operator")
    shown = words(text(browser, COSTS))
    for part in (
        "2026-06 lakes/1.0 3 1,200 0 0 0 no price known",
        "2026-05 lakes/1.0 3 1,200 0 0 0 $1.50",
        "All months all 6 2,400 0 0 0 $1.50 and 3 calls without a price",
    ):
        assert part in shown
    assert shown.index("2026-06") < shown.index("2026-05")
    for address in (listing("judgerun"), page_of(run)):
        assert COSTS in text(browser, address)


def test_a_month_with_two_sets_has_a_sum_of_its_own(submission: Submission) -> None:
    other = submit(import_set(tree_files(slug="rivers")), {"brume": lake_answer(212, 14, "brume")})
    run_jobs(other)
    for run in JudgeRun.objects.all():
        spent(run, cost_usd=1.5)
    assert "2026-05 all 6 2,400 0 0 0 $3.00" in words(text(signed_in("judge operator"), COSTS))


def test_what_commands_cost_has_a_row_of_its_own(submission: Submission) -> None:
    spent(None, cost_usd=1.5)
    shown = words(text(signed_in("judge operator"), COSTS))
    assert "2026-05 commands (no run) 3 1,200 0 0 0 $1.50" in shown
    assert "None" not in shown


@pytest.mark.parametrize("role", ROLES)
def test_costs_are_for_the_judge_operator(submission: Submission, role: str) -> None:
    text(signed_in(role), COSTS, 200 if role == "judge operator" else 403)


def test_the_page_of_costs_takes_as_many_queries_for_many_runs(submission: Submission) -> None:
    run, browser, counts = JudgeRun.objects.get(), signed_in("judge operator"), []
    for days in (1, 100):
        for day in range(days):
            spent(run, day=dt.date(2020, 1, 1) + dt.timedelta(days=days * 200 + day))
        with CaptureQueriesContext(connection) as queries:
            text(browser, COSTS)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


# ------------------------------------------------------------------ progress
def test_how_far_a_round_is_stands_with_the_run_and_with_the_submission(settings: Any) -> None:
    changed(
        settings, BUDGET={"submission_usd": 5.0, "submission_tokens": 900, "day_usd": 0.0, "day_tokens": 0}
    )
    made = submit(import_set(tree_files()), {"brume": lake_answer(212, 14, "brume")})
    browser = signed_in("judge operator")
    assert "not begun" in text(browser, page_of(made))
    run_jobs(made, slices=1)
    run = JudgeRun.objects.get()
    for row in (run, made):
        shown = words(text(browser, page_of(row)))
        for part in (
            "answers done 0 of 2", "answers begun 0", "checks decided 0", "about time left not known",
            "calls in flight 0, at the endpoint in all 0", "Look again",
            "spent on this submission $0.00 of $5.00, 0 of 900 tokens",
        ):  # fmt: skip
            assert part in shown
        assert "spent today" not in shown
    run_jobs(made)
    shown = words(text(browser, page_of(run)))
    assert "answers done 2 of 2" in shown
    assert "Look again" not in shown


def test_what_is_left_is_told_in_minutes(submission: Submission) -> None:
    run = JudgeRun.objects.get()
    other = submit(run.submission.task_set, {"brume": lake_answer(212, 14, "brume")})
    run_jobs(other, slices=2)
    second = JudgeRun.objects.latest("pk")
    browser = signed_in("judge operator")
    started = timezone.now() - dt.timedelta(minutes=5)
    JudgeRun.objects.filter(pk=second.pk).update(started_at=started)
    assert "about time left below a minute" in words(text(browser, page_of(second)))
    Verdict.objects.filter(run=second).exclude(pk=Verdict.objects.filter(run=second).latest("pk").pk).delete()
    shown = words(text(browser, page_of(second)))
    assert "checks decided 1 of about 3" in shown
    assert "about time left 10 minutes" in shown


def test_a_pause_is_told_with_its_reason(submission: Submission) -> None:
    JudgeRun.objects.update(finished_at=None)
    Submission.objects.update(state="paused", state_reason="quota")
    assert "paused quota" in words(text(signed_in("judge operator"), page_of(JudgeRun.objects.get())))


def test_progress_is_not_for_those_who_may_not_see_runs(submission: Submission) -> None:
    for role in ("viewer", "set owner"):
        assert "answers done" not in text(signed_in(role), page_of(submission))


def test_a_cost_that_is_not_known_is_not_nought(submission: Submission) -> None:
    run = JudgeRun.objects.get()
    browser = signed_in("judge operator")
    assert "Cost: $0 " in words(text(browser, page_of(run)))
    JudgeRun.objects.update(cost_usd=None)
    assert "no price known" in text(browser, page_of(run))
    JudgeRun.objects.update(finished_at=None)
    shown = text(browser, page_of(run))
    assert "not known yet" in shown
    assert EVIL not in shown


# ------------------------------------------------------------------ over a wire
def opened(browser: Client, address: str) -> tuple[int, bytes]:
    """Status and body of a real request with the cookies of a browser."""
    cookies = "; ".join(f"{name}={cookie.value}" for name, cookie in browser.cookies.items())
    request = Request(address, headers={"Cookie": cookies})
    try:
        with urlopen(request) as response:
            return response.status, response.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def test_staff_read_records_costs_and_exports_over_http_and_others_do_not(
    submission: Submission, live_server: Any
) -> None:
    run = JudgeRun.objects.get()
    verdict = Verdict.objects.exclude(evidence=[]).earliest("pk")
    addresses = [
        tree_page(submission, "brume"),
        reverse("admin:judging_verdict_page", args=[verdict.pk, 1]),
        export_address(run),
        COSTS,
        page_of(run),
    ]
    hidden = b"metres deep"
    for role, status in (("judge operator", 200), ("viewer", 403)):
        found = [opened(signed_in(role), f"{live_server.url}{address}") for address in addresses]
        assert [code for code, _ in found] == [status] * len(addresses)
        assert [hidden in body for _, body in found] == [status == 200] * 3 + [False] * 2
    team_mate = Client()
    team_mate.force_login(make_user())
    for browser in (Client(), team_mate):
        for address in addresses:
            status, body = opened(browser, f"{live_server.url}{address}")
            assert b"Log in" in body  # led to the way in
            assert hidden not in body
