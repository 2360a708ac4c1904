"""Every row has a name that a log and an operator's list can show: one short line, without a query."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.db import models

from submissions.models import TaskSet

OURS = ["submissions", "judging", "leaderboard"]


@pytest.mark.parametrize("model", [m for app in OURS for m in apps.get_app_config(app).get_models()])
def test_a_row_names_itself(model: type[models.Model]) -> None:
    plain = models.Model.__str__(model(pk=7))
    fields: dict[str, Any] = {
        field.name: "n"
        for field in model._meta.fields
        if isinstance(field, models.CharField | models.TextField)
    }
    if any(field.name == "task_set" for field in model._meta.fields):
        fields["task_set"] = TaskSet(pk=3, slug="lakes", version="1", title="Lakes")
    name = str(model(pk=7, **fields))
    assert name != plain
    assert 0 < len(name) < 100
    assert "\n" not in name
