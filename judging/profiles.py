"""Which judge decides, as a versioned row: what changes it is a new version, and every run names its own."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db.models import Max

from judging.canonical import digest
from judging.judges.lexical import VERSION
from judging.models import JudgeProfile
from judging.prompts.templates import (
    CLAIM_BY_PAGE,
    CLAIM_BY_TASK,
    CLAIMS,
    CRITERION,
    EXTRACT,
    RATIONALITY,
)

# Judged with other words is judged by another judge.
PROMPTS = digest(
    [one.hash for one in (CLAIM_BY_PAGE, CLAIM_BY_TASK, CLAIMS, CRITERION, EXTRACT, RATIONALITY)]
)
OPENAI = "https://api.openai.com/v1"  # where no other endpoint is named


def configured() -> dict[str, Any]:
    """The profile the settings describe, as plain data."""
    config = settings.EVALSERVICE
    if config["JUDGE"] == "lexical":
        return {"judge": "lexical", "model": "", "base_url": "", "parameters": {"version": VERSION}}
    return {
        "judge": "openai",
        "model": config["JUDGE_MODEL"],
        "base_url": config["OPENAI_BASE_URL"] or OPENAI,
        "parameters": {"votes": 1, "temperature": 0, "prompts": PROMPTS},
    }


def current_profile(*, now: dt.datetime) -> JudgeProfile:
    """The row of the configured profile, made if new."""
    content = configured()
    content_hash = digest(content)
    prices = settings.EVALSERVICE["JUDGE_PRICES"].get(content["model"], {})
    found = JudgeProfile.objects.filter(content_hash=content_hash).first()
    if found:
        return _priced(found, prices)
    last = JudgeProfile.objects.filter(name=content["judge"]).aggregate(last=Max("version"))["last"] or 0
    profile, _ = JudgeProfile.objects.get_or_create(
        content_hash=content_hash,
        defaults={
            "name": content["judge"],
            "version": last + 1,
            "created_at": now,
            "prices": prices,
            **content,
        },
    )
    return profile


def _priced(profile: JudgeProfile, prices: dict[str, float]) -> JudgeProfile:
    """A price is no part of what a profile is: another one makes no other judge of it."""
    if profile.prices != prices:
        profile.prices = prices
        profile.save(update_fields=["prices"])
    return profile
