"""Which judge decides: a versioned row, made once, and the judge it describes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from judging.appointing import make_judge
from judging.judges.base import Usage
from judging.judges.lexical import LexicalJudge
from judging.judges.openai import OpenAIJudge
from judging.models import JudgeProfile
from judging.profile_files import InvalidProfile
from judging.profiles import configured, current_profile, model_limits
from tests.integration.judging.asking import Remembered
from tests.integration.judging.modelled import judged_by

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
    assert (priced.pk, priced.prices) == (first.pk, {"judge-1": {"prompt": 1.0, "completion": 4.0}})
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


# ------------------------------------------------------------------ a profile in a file
def test_a_file_describes_the_judge_and_gives_it_its_name(settings: Any, tmp_path: Path) -> None:
    openai(settings, JUDGE_MODEL="")
    judged_by(settings, tmp_path, name="careful", models={"extract": "r", "verify": ["a", "b", "c"]})
    profile = current_profile(now=NOW)
    assert (str(profile), profile.judge, profile.model) == ("careful/1", "openai", "a, b, c; extraction: r")
    judge = make_judge(profile, Remembered(), budget_s=1, pinned='{"b":"b-0601","r":"r-1"}')
    assert isinstance(judge, OpenAIJudge)
    assert [(seat.model, seat.pinned) for seat in judge.panel] == [("a", ""), ("b", "b-0601"), ("c", "")]
    assert (judge.model, judge.pinned, judge.votes(1)) == ("r", "r-1", 3)
    again = make_judge(profile, Remembered(), budget_s=1)
    assert isinstance(again, OpenAIJudge)
    for one, other in zip(judge.panel, again.panel, strict=True):
        assert (one.ladder is other.ladder, one.breaker is other.breaker) == (True, True)
    assert (
        len({id(seat.ladder) for seat in judge.panel}) == len({id(seat.breaker) for seat in judge.panel}) == 3
    )


def test_a_file_that_says_what_the_environment_says_is_the_same_judge(settings: Any, tmp_path: Path) -> None:
    openai(settings)
    alone = current_profile(now=NOW)
    judged_by(settings, tmp_path, name="other", sampling={"temperature": 0.0}, passage_tokens=6000)
    assert current_profile(now=NOW) == alone
    assert str(alone) == "openai/1"


@pytest.mark.parametrize(
    "change",
    [
        {"votes": 3, "sampling": {"seed": 2}},
        {"sampling": {"temperature": 0.2}},
        {"sampling": {"top_p": 0.5}},
        {"passage_tokens": 5000},
        {"models": {"extract": "judge-2", "verify": ["judge-1"]}},
        {"models": {"extract": "judge-1", "verify": ["judge-1", "judge-2", "judge-3"]}},
    ],
)
def test_whatever_changes_verdicts_makes_another_judge(
    settings: Any, tmp_path: Path, change: dict[str, Any]
) -> None:
    openai(settings)
    judged_by(settings, tmp_path)
    first = current_profile(now=NOW)
    judged_by(settings, tmp_path, **change)
    assert str(current_profile(now=NOW)) == "file/2"
    judged_by(settings, tmp_path)
    assert current_profile(now=NOW) == first


def test_the_order_of_seats_is_part_of_a_panel(settings: Any, tmp_path: Path) -> None:
    openai(settings)
    profiles = set()
    for seats in ("abc", "acb"):
        judged_by(settings, tmp_path, models={"extract": "a", "verify": list(seats)})
        profiles.add(str(current_profile(now=NOW)))
    assert profiles == {"file/1", "file/2"}


def test_prices_and_limits_of_a_file_make_no_other_judge(settings: Any, tmp_path: Path) -> None:
    openai(settings, JUDGE_PRICES={"judge-1": {"prompt": 9.0, "completion": 9.0}})
    judged_by(settings, tmp_path)
    first = current_profile(now=NOW)
    assert first.prices == {"judge-1": {"prompt": 9.0, "completion": 9.0}}
    assert model_limits() == settings.EVALSERVICE["MODEL"]
    judged_by(
        settings, tmp_path,
        prices={"judge-1": {"prompt": 1, "completion": 2}, "other": {"prompt": 1, "completion": 1}},
        limits={"in_flight": 3, "attempts": 2, "timeout_s": 9, "tokens_per_minute": 70},
    )  # fmt: skip
    second = current_profile(now=NOW)
    assert (second.pk, second.prices) == (first.pk, {"judge-1": {"prompt": 1, "completion": 2}})
    judge = make_judge(second, Remembered(), budget_s=1)
    assert isinstance(judge, OpenAIJudge)
    assert (judge.limits.in_flight, judge.limits.attempts, judge.limits.timeout_s) == (3, 2, 9)
    assert model_limits()["tokens_per_minute"] == 70
    assert model_limits()["budget_s"] == settings.EVALSERVICE["MODEL"]["budget_s"]


def test_a_file_is_not_asked_about_an_offline_judge(settings: Any, tmp_path: Path) -> None:
    judged_by(settings, tmp_path)
    assert current_profile(now=NOW).judge == "lexical"


def test_a_file_that_describes_no_judge_is_refused(settings: Any, tmp_path: Path) -> None:
    openai(settings)
    judged_by(settings, tmp_path, votes=2)
    with pytest.raises(InvalidProfile, match="votes: must be 1, 3 or 5 votes"):
        current_profile(now=NOW)


def test_a_row_from_before_panels_and_tokens_still_judges(settings: Any) -> None:
    openai(settings)
    old = JudgeProfile.objects.create(
        name="openai", version=1, judge="openai", model="judge-0", base_url="http://127.0.0.1:9/v1", created_at=NOW,
        content_hash="0" * 64, parameters={"votes": 1, "temperature": 0, "prompts": "x"},
        prices={"prompt": 1.0, "completion": 1.0},
    )  # fmt: skip
    judge = make_judge(old, Remembered(), budget_s=1, pinned="judge-0-0601")
    assert isinstance(judge, OpenAIJudge)
    assert (judge.model, judge.pinned, judge.sampling) == ("judge-0", "judge-0-0601", {"temperature": 0})
    assert judge.prices.cost("judge-0", [Usage(prompt=1_000_000)]) == 1.0
