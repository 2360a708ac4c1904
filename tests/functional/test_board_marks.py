"""What stands beside the numbers of a board: marks, reasons, bounds, columns."""

from __future__ import annotations

import pytest

from leaderboard.services import publish
from submissions.models import Submission
from tests.factories import make_system, make_task_set, make_team
from tests.functional.boards import LATER, PAGE, Tables, board_of, get, shown
from tests.integration.leaderboard.results import cascade_set, scored

pytestmark = pytest.mark.django_db


def test_all_columns_are_one_link_away() -> None:
    board_of({"A": [1, 1, 1]})
    few, every = get(PAGE), get(f"{PAGE}?columns=all")
    assert 'href="?columns=all"' in few
    assert "Licence</a>" not in few
    assert "Licence</a>" in every
    assert 'href="?"' in every


def test_systems_without_numbers_stand_below_with_the_reason() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [1, 1, 1], system=make_system(make_team(), name="Ranked"))
    scored(
        task_set,
        [4, 4, 4],
        state="incomplete",
        reasons=["coverage_low"],
        system=make_system(make_team(), name="Half"),
    )
    publish(task_set=task_set, now=LATER)
    ranked, below = Tables(get(PAGE)).tables
    assert [row[1][:6] for row in ranked[1:]] == ["Ranked"]
    assert below[1][0].startswith("Half")
    assert below[1][1:] == ["1", "too few checks could be assessed"]


def test_marks_that_hold_for_all_are_said_once_and_others_at_their_row() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [4, 4, 4], listing="flagged")
    scored(task_set, [1, 1, 1])
    publish(task_set=task_set, now=LATER)
    page = get(PAGE)
    assert page.count("offline judge, not for publication") == 1
    assert page.count("uncalibrated") == 1
    assert page.count("flagged: under review") == 1


def test_the_home_page_and_an_entry_carry_the_marks_of_the_board() -> None:
    board = board_of({"A": [4, 4, 4], "B": [1, 1, 1]})
    for address in ("/", f"/entries/{board.document['rows'][0]['id']}/"):
        page = get(address)
        assert page.count("offline judge, not for publication") == 1
        assert page.count("uncalibrated") == 1


def test_a_calibrated_model_leaves_no_mark_on_the_home_page() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [4, 4, 4], provenance={"offline": False, "calibrated": True})
    publish(task_set=task_set, now=LATER)
    assert 'class="flag"' not in get("/")


def test_all_columns_name_every_value_for_windows_that_stack_them() -> None:
    board_of({"A": [1, 1, 1]})
    found = Tables(get(f"{PAGE}?columns=all"))
    labels = [a["data-label"] for _, a in found.attributes if "data-label" in a]
    assert [heading.strip() for heading in found.tables[0][0][3:]] == labels[1:]
    assert {a.get("role") for tag, a in found.attributes if tag in {"td", "th"}} == {
        "cell", "rowheader", "columnheader",
    }  # fmt: skip
    few = Tables(get(PAGE)).attributes
    assert not [a for tag, a in few if tag in {"td", "th", "tr"} and ("role" in a or "data-label" in a)]


def test_a_lower_bound_is_shown_as_one() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    scored(task_set, [4, 4, 4], details={"in_full": False, "hallucinated": True})
    publish(task_set=task_set, now=LATER)
    assert "≥&#8239;</span>100.0" in get(PAGE)


def test_dimension_scores_come_with_the_number_of_tasks_behind_them() -> None:
    task_set = cascade_set(slug="briefings", version="1.0")
    submission = scored(task_set, [4, 4, 4])
    Submission.objects.filter(pk=submission.pk).update(
        summary={**(submission.summary or {}), "factuality_tasks": 2, "rationality_tasks": 1}
    )
    publish(task_set=task_set, now=LATER)
    assert shown()[0][4].endswith("2 tasks")
    assert shown()[0][5].endswith("1 task")


def test_tree_boards_show_success_and_passes() -> None:
    task_set = make_task_set(protocol="rubric_tree", tasks=2, runs=2, slug="briefings", version="1.0")
    scored(task_set, [1.0, 0.0, 0.5, 0.5], runs=2)
    publish(task_set=task_set, now=LATER)
    page = Tables(get(PAGE)).tables[0]
    assert [heading.split()[0] for heading in page[0][2:5]] == ["Partial", "Success", "Pass@2"]
    assert [cell.split()[0] for cell in page[1][2:5]] == ["50.0", "25.0", "50.0"]
