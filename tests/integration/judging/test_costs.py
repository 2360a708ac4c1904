"""What judging cost: by run, set and month, and never nought for what is not known."""

from __future__ import annotations

import datetime as dt
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.costs import GROUPINGS, NO_RUN, costs, costs_by_month_and_set, total_of
from judging.models import JudgeProfile, JudgeRun, Spending
from submissions.models import TaskSet
from tests.factories import make_submission, make_task_set

pytestmark = pytest.mark.django_db
APRIL, MAY, JUNE = dt.date(2026, 4, 30), dt.date(2026, 5, 1), dt.date(2026, 6, 30)


def run_on(task_set: TaskSet) -> JudgeRun:
    """A run of a new submission."""
    profile, _ = JudgeProfile.objects.get_or_create(
        content_hash="p" * 64, defaults={"name": "panel", "judge": "openai", "created_at": timezone.now()}
    )
    submission = make_submission("judged", task_set=task_set)
    return JudgeRun.objects.create(
        submission=submission, round=1, profile=profile, short_circuit=True, started_at=timezone.now()
    )


def spend(
    run: JudgeRun | None, day: dt.date, *, calls: int = 10, unpriced: int = 0, usd: float = 1.0
) -> None:
    """What was counted on a day."""
    Spending.objects.create(
        run=run, day=day, calls=calls, unpriced_calls=unpriced, prompt_tokens=1_000, cached_tokens=400,
        completion_tokens=50, reasoning_tokens=20, cost_usd=usd,
    )  # fmt: skip


@pytest.fixture
def lakes() -> TaskSet:
    return make_task_set(slug="lakes", version="1")


@pytest.fixture
def spent(lakes: TaskSet) -> list[JudgeRun]:
    """Two runs on one set, one on another; April, May and June."""
    runs = [run_on(lakes), run_on(lakes), run_on(make_task_set(slug="rivers", version="2"))]
    spend(runs[0], APRIL)
    spend(runs[0], MAY, usd=0.5)
    spend(runs[1], MAY, unpriced=4)
    spend(runs[2], JUNE, unpriced=10, usd=0.0)
    return runs


def test_months_are_those_of_utc_days_and_sum_up(spent: list[JudgeRun]) -> None:
    rows = costs(by="month")
    assert [(row.group["month"], row.calls, row.cost_usd) for row in rows] == [
        (dt.date(2026, 6, 1), 10, None), (MAY, 20, 1.5), (dt.date(2026, 4, 1), 10, 1.0),
    ]  # fmt: skip
    total = total_of(rows)
    assert (total.calls, total.unpriced_calls, total.prompt_tokens, total.cost_usd) == (40, 14, 4_000, 2.5)
    assert (total.cached_tokens, total.completion_tokens, total.reasoning_tokens) == (1_600, 200, 80)


def test_sets_and_runs_sum_up_to_the_same(spent: list[JudgeRun]) -> None:
    by_set = costs(by="set")
    assert [(row.group["slug"], row.calls) for row in by_set] == [("lakes", 30), ("rivers", 10)]
    by_run = costs(by="run")
    assert [row.group["run_number"] for row in by_run] == [run.pk for run in reversed(spent)]
    assert by_run[0].group["submission"] == spent[2].submission.public_id
    assert len({total_of(costs(by=by)) == total_of(by_set) for by in GROUPINGS}) == 1


def test_a_month_has_a_row_for_each_set(spent: list[JudgeRun]) -> None:
    rows = costs_by_month_and_set()
    assert [(f"{row.group['month']:%Y-%m}", row.group["slug"]) for row in rows] == [
        ("2026-06", "rivers"), ("2026-05", "lakes"), ("2026-04", "lakes"),
    ]  # fmt: skip


def test_what_was_spent_before_may_be_left_out(spent: list[JudgeRun]) -> None:
    assert [row.calls for row in costs(by="set", since=MAY)] == [20, 10]
    assert costs(by="set", since=dt.date(2027, 1, 1)) == []


def test_a_cost_is_told_as_far_as_it_is_known(spent: list[JudgeRun]) -> None:
    assert [row.price for row in costs(by="month")] == [
        "no price known", "$1.50 and 4 calls without a price", "$1.00",
    ]  # fmt: skip
    assert total_of([]).price == "$0"


def test_what_commands_cost_stands_last_in_a_group_of_its_own(spent: list[JudgeRun]) -> None:
    spend(None, MAY)
    spend(None, JUNE)
    assert [row.task_set for row in costs(by="set")] == ["lakes/1", "rivers/2", NO_RUN]
    assert [row.group["run_number"] for row in costs(by="run")][-2:] == [spent[0].pk, None]
    assert [row.task_set for row in costs_by_month_and_set()] == [
        "rivers/2", NO_RUN, "lakes/1", NO_RUN, "lakes/1",
    ]  # fmt: skip
    assert len({total_of(costs(by=by)).calls for by in GROUPINGS}) == 1


@pytest.mark.parametrize("by", ["set", "run"])
def test_the_command_names_what_commands_cost(spent: list[JudgeRun], by: str) -> None:
    spend(None, MAY)
    printed = told("--by", by)
    assert printed.splitlines()[-2].startswith(f"{NO_RUN}  ")
    assert "None" not in printed
    row = json.loads(told("--by", by, "--json"))["rows"][-1]
    assert (row["slug"], row["version"], row["calls"]) == (None, None, 10)


def test_the_database_sums(lakes: TaskSet) -> None:
    run = run_on(lakes)
    for day in range(200):
        spend(run, APRIL + dt.timedelta(days=day))
    for by in GROUPINGS:
        with CaptureQueriesContext(connection) as queries:
            costs(by=by)
        assert len(queries) == 1


# ------------------------------------------------------------------ the command
def told(*arguments: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("costs", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_a_table_with_its_sum(spent: list[JudgeRun]) -> None:
    lines = told().splitlines()
    assert lines[0].split()[:2] == ["month", "calls"]
    assert [line.split()[0] for line in lines[1:]] == ["2026-06", "2026-05", "2026-04", "all"]
    assert lines[1].endswith("no price known")
    assert "  40  " in lines[-1]
    assert "lakes/1" in told("--by", "set")
    assert f"{spent[0].pk} ({spent[0].submission.public_id}/1, lakes/1, panel/1)" in told("--by", "run")


def test_the_command_prints_json_where_an_unknown_cost_is_null(spent: list[JudgeRun]) -> None:
    data = json.loads(told("--json", "--from", "2026-05"))
    assert [(row["month"], row["cost_usd"]) for row in data["rows"]] == [("2026-06", None), ("2026-05", 1.5)]
    assert data["total"]["calls"] == 30
    assert json.loads(told("--json", "--from", "2030-01"))["rows"] == []


@pytest.mark.parametrize("month", ["2026", "2026-13", "May", "2026-05-01"])
def test_a_month_that_is_none_is_refused(month: str) -> None:
    with pytest.raises(CommandError, match="must be a month"):
        told("--from", month)


def test_groupings_are_named(spent: list[JudgeRun]) -> None:
    assert set(GROUPINGS) == {"run", "set", "month"}
    figures: tuple[Any, ...] = costs(by="set")[0].figures
    assert figures[:2] == ("30", "3,000")
