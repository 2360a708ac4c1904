"""What every test over HTTP needs: no counts of other tests, static files that nobody has collected; and what several look at."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from judging.models import ModelCall
from submissions.models import Submission
from tests.judging_factories import import_set, judged, lake_answer, tree_files


@pytest.fixture(autouse=True)
def _no_counts_of_other_tests() -> None:
    """Throttles count in the cache, which outlives a test's transaction."""
    cache.clear()


@pytest.fixture
def _no_rates(settings: Any) -> None:
    """For tests that ask more often than a team may."""
    rates = dict.fromkeys(settings.EVALSERVICE["PER_MINUTE"], 1_000_000)
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PER_MINUTE": rates}


@pytest.fixture(autouse=True)
def _static_files_as_they_lie(settings: Any) -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}


@pytest.fixture
def submission() -> Submission:
    """A judged submission, and a row of every model."""
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
    ModelCall.objects.create(
        key="k" * 64, content="reply", model_served="m", finish_reason="stop", created_at=timezone.now()
    )
    return made
