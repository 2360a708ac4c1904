"""Rubrics out of the database."""

from __future__ import annotations

import pytest

from judging.loading import read_rubric
from judging.models import Rubric
from judging.rubric import InvalidRubric, parse_rubric
from tests.judging_factories import import_set, tree_files

pytestmark = pytest.mark.django_db

PROTOCOL = "rubric_tree"


def stored() -> Rubric:
    """The first rubric of a set that was just imported."""
    import_set(tree_files())
    return Rubric.objects.earliest("pk")


def test_an_imported_rubric_is_ready() -> None:
    rubric = stored()
    ready = rubric.ready
    assert read_rubric(rubric, PROTOCOL) == parse_rubric(rubric.source, PROTOCOL)
    rubric.refresh_from_db()
    assert rubric.ready == ready


def test_a_rubric_that_older_rules_checked_is_checked_once_more_and_kept() -> None:
    rubric = stored()
    ready, rubric.ready = rubric.ready, {}
    rubric.save()
    assert read_rubric(rubric, PROTOCOL) == parse_rubric(rubric.source, PROTOCOL)
    rubric.refresh_from_db()
    assert rubric.ready == ready


def test_a_rubric_changed_by_hand_must_stand_up_to_the_rules() -> None:
    rubric = stored()
    rubric.source = {"tree": {"claim": "{{ open"}}
    with pytest.raises(InvalidRubric):
        read_rubric(rubric, PROTOCOL)
