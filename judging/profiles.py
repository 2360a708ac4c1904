"""Which judge decides, as a versioned row: what changes it is a new version, and every run names its own."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

from django.conf import settings
from django.db.models import Max

from judging.canonical import digest
from judging.judges.base import Judge, ReplyCache
from judging.judges.lexical import LexicalJudge
from judging.judges.openai import Ladder, Limits, OpenAIJudge
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
        return {"judge": "lexical", "model": "", "base_url": "", "parameters": {"version": "lexical/1"}}
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
    found = JudgeProfile.objects.filter(content_hash=content_hash).first()
    if found:
        return found
    last = JudgeProfile.objects.filter(name=content["judge"]).aggregate(last=Max("version"))["last"] or 0
    profile, _ = JudgeProfile.objects.get_or_create(
        content_hash=content_hash,
        defaults={"name": content["judge"], "version": last + 1, "created_at": now, **content},
    )
    return profile


def make_judge(profile: JudgeProfile, replies: ReplyCache, *, budget_s: float) -> Judge:
    """The judge of a profile, for one event loop; ``budget_s`` bounds one question with all its attempts."""
    if profile.judge == "lexical":
        return LexicalJudge()
    config = settings.EVALSERVICE
    model = config["MODEL"]
    return OpenAIJudge(
        base_url=profile.base_url,
        api_key=config["OPENAI_API_KEY"],
        model=profile.model,
        fence_key=bytes.fromhex(config["FENCE_KEY"]),
        sampling={"temperature": profile.parameters["temperature"]},
        cache=replies,
        limits=Limits(
            in_flight=model["in_flight"],
            attempts=model["attempts"],
            timeout_s=model["timeout_s"],
            budget_s=budget_s,
        ),
        ladder=_ladder(profile.base_url, profile.model),
    )


@cache
def _ladder(base_url: str, model: str) -> Ladder:
    """Shared by all judges of one endpoint and model in this process: a refused parameter is refused once."""
    return Ladder()
