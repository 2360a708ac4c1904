"""Which judge decides: a versioned row, made once, and the judge it describes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from django.utils import timezone

from judging.appointing import make_judge
from judging.judges.base import Usage
from judging.judges.lexical import LexicalJudge
from judging.judges.openai import OpenAIJudge
from judging.models import JudgeProfile
from judging.profiles import configured, current_profile
from tests.integration.judging.asking import Remembered

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def openai(settings: Any, **values: Any) -> None:
    settings.EVALSERVICE = {
        **settings.EVALSERVICE,
        "JUDGE": "openai",
        "JUDGE_MODEL": "judge-1",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": "key",
        **values,
    }


def test_the_offline_judge_is_the_default() -> None:
    profile = current_profile(now=NOW)
    assert (str(profile), profile.judge, profile.model, profile.calibrated) == (
        "lexical/1",
        "lexical",
        "",
        False,
    )
    assert isinstance(make_judge(profile, Remembered(), budget_s=10), LexicalJudge)
    assert current_profile(now=NOW) == profile


def test_whatever_changes_the_judge_is_a_new_version(settings: Any) -> None:
    openai(settings)
    first = current_profile(now=NOW)
    assert current_profile(now=NOW) == first
    openai(settings, JUDGE_MODEL="judge-2")
    second = current_profile(now=NOW)
    openai(settings, OPENAI_BASE_URL="http://127.0.0.1:10/v1")
    third = current_profile(now=NOW)
    assert [str(profile) for profile in (first, second, third)] == ["openai/1", "openai/2", "openai/3"]
    openai(settings)
    assert current_profile(now=NOW) == first
    assert JudgeProfile.objects.count() == 3


def test_other_words_in_the_prompts_are_another_judge(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    openai(settings)
    before = configured()
    monkeypatch.setattr("judging.profiles.PROMPTS", "f" * 64)
    assert configured() != before


def test_a_judge_is_made_as_its_profile_says(settings: Any) -> None:
    openai(settings)
    replies = Remembered()
    judge = make_judge(current_profile(now=NOW), replies, budget_s=12.5)
    assert isinstance(judge, OpenAIJudge)
    assert (judge.model, judge.base_url, judge.api_key, judge.cache) == (
        "judge-1", "http://127.0.0.1:9/v1", "key", replies,
    )  # fmt: skip
    assert judge.limits.budget_s == 12.5
    assert judge.limits.in_flight == settings.EVALSERVICE["MODEL"]["in_flight"]
    assert judge.sampling == {"temperature": 0}
    assert len(judge.fence_key) == 32


def test_a_price_is_known_to_the_judge_and_makes_no_other_judge(settings: Any) -> None:
    openai(settings)
    first = current_profile(now=NOW)
    assert first.prices == {}
    openai(settings, JUDGE_PRICES={"judge-1": {"prompt": 1.0, "completion": 4.0}, "other": {}})
    priced = current_profile(now=NOW)
    assert (priced.pk, priced.prices) == (first.pk, {"prompt": 1.0, "completion": 4.0})
    priced.refresh_from_db()
    judge = make_judge(priced, Remembered(), budget_s=1)
    assert isinstance(judge, OpenAIJudge)
    assert judge.prices.cost("judge-1", [Usage(prompt=1_000_000, completion=500_000)]) == 3.0
    assert len(judge.prices.version) == 12


def test_judges_of_one_endpoint_and_model_share_what_it_refuses(settings: Any) -> None:
    openai(settings)
    first, second = (make_judge(current_profile(now=NOW), Remembered(), budget_s=1) for _ in range(2))
    openai(settings, JUDGE_MODEL="judge-2")
    other = make_judge(current_profile(now=NOW), Remembered(), budget_s=1)
    assert isinstance(first, OpenAIJudge)
    assert isinstance(second, OpenAIJudge)
    assert isinstance(other, OpenAIJudge)
    assert first.ladder is second.ladder
    assert first.ladder is not other.ladder


def test_without_an_endpoint_it_is_openais_own(settings: Any) -> None:
    openai(settings, OPENAI_BASE_URL="")
    assert current_profile(now=NOW).base_url == "https://api.openai.com/v1"


def test_a_key_is_no_part_of_a_profile(settings: Any) -> None:
    openai(settings, OPENAI_API_KEY="sk-secret")
    profile = current_profile(now=NOW)
    assert "sk-secret" not in str([getattr(profile, field.name) for field in JudgeProfile._meta.fields])


def test_a_process_that_judges_nothing_loads_no_models_client() -> None:
    code = (
        "import django, sys; django.setup(); print('openai' in sys.modules, 'judging.admin' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "evalservice.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
