"""Which provider is asked, and for which sets: by the settings, as they are when a round begins."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from judging.loading import rubric_at
from judging.search.interface import ProviderName
from submissions.models import TaskSet

__all__ = ["allowed", "appointed", "names_search"]


def appointed(task_set: TaskSet, *, at: dt.datetime) -> ProviderName:
    """The provider for a round that begins ``at``: ``off`` where the set's rubrics of then name no search."""
    provider = allowed(task_set.split)
    if provider is ProviderName.OFF or task_set.protocol != TaskSet.Protocol.CASCADE:
        return ProviderName.OFF
    tasks = task_set.tasks.order_by("pk").prefetch_related("rubrics")
    rubrics = (rubric_at(list(task.rubrics.all()), at) for task in tasks)
    return provider if any(names_search(rubric.source) for rubric in rubrics) else ProviderName.OFF


def allowed(split: str) -> ProviderName:
    """The provider that may be asked for a set of this split: on test sets none unless that is switched on."""
    config: Mapping[str, Any] = settings.EVALSERVICE["SEARCH"]
    is_open = split != TaskSet.Split.TEST or config["test_sets"]
    return ProviderName(config["provider"]) if is_open else ProviderName.OFF


def names_search(rubric: Mapping[str, Any]) -> bool:
    """Whether a claim is to be searched for, by the rubric of a task as it is stored."""
    facts = (one for subtask in rubric.get("subtasks", ()) for one in subtask.get("factuality", ()))
    return any("search" in one.get("evidence", ()) and one.get("claims", "auto") == "auto" for one in facts)
