"""A version moves by its table, and only from where it is."""

from __future__ import annotations

from itertools import product

import pytest

from submissions.models import TaskSet
from submissions.models.tasksets import IllegalTaskSetMove
from tests.factories import make_task_set, now

pytestmark = pytest.mark.django_db

STATES = TaskSet.State.values


def test_the_table_names_every_state_and_no_other() -> None:
    assert list(TaskSet.TRANSITIONS) == STATES
    assert set().union(*TaskSet.TRANSITIONS.values()) <= set(STATES)


@pytest.mark.parametrize(("here", "there"), list(product(STATES, STATES)))
def test_a_version_goes_where_the_table_lets_it(here: str, there: str) -> None:
    task_set = make_task_set(state=here)
    if there in TaskSet.TRANSITIONS[here]:
        task_set.move(there)
    else:
        with pytest.raises(IllegalTaskSetMove, match=f"{task_set} cannot become {there}"):
            task_set.move(there)
        there = here
    assert (task_set.state, TaskSet.objects.get(pk=task_set.pk).state) == (there, there)


def test_what_changes_with_the_state_changes_in_the_same_step() -> None:
    task_set, moment = make_task_set(state="active"), now()
    task_set.move("retired", closes_at=moment)
    assert (task_set.state, task_set.closes_at) == ("retired", moment)


def test_who_comes_second_is_told() -> None:
    task_set = make_task_set(state="active")
    late = TaskSet.objects.get(pk=task_set.pk)
    task_set.move("retired")
    with pytest.raises(IllegalTaskSetMove) as told:
        late.move("retired")
    assert (told.value.task_set, told.value.wanted) == (str(late), "retired")
