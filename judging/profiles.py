"""Which judge decides, as a versioned row: what changes it is a new version, and every run names its own.

It is described by a file (``EVALSERVICE_JUDGE_PROFILE``), or by the environment alone where one model does everything.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Max

from judging.canonical import digest
from judging.judges.lexical import VERSION
from judging.models import JudgeProfile
from judging.profile_files import InvalidProfile, ProfileFile, read_profile
from judging.prompts.templates import (
    CLAIM_BY_PAGE,
    CLAIM_BY_TASK,
    CLAIMS,
    CRITERION,
    EXTRACT,
    RATIONALITY,
)
from judging.rubric.faults import Fault
from judging.terms import Terms

# Judged with other words is judged by another judge.
PROMPTS = digest(
    [one.hash for one in (CLAIM_BY_PAGE, CLAIM_BY_TASK, CLAIMS, CRITERION, EXTRACT, RATIONALITY)]
)
OPENAI = "https://api.openai.com/v1"  # where no other endpoint is named

Prices = Mapping[str, Mapping[str, float]]


def load_profile(path: Path) -> ProfileFile:
    """The profile in a file.

    :raises InvalidProfile: there is no such file, or it describes no judge.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InvalidProfile([Fault(path.name, "", f"cannot be read: {error.strerror}")]) from error
    return read_profile(raw, file=path.name)


@cache
def _loaded(path: str) -> ProfileFile:
    """As it was when this process first needed it, like all settings."""
    return load_profile(Path(path))


def configured_file() -> ProfileFile | None:
    """The file that describes the judge; None where the environment does.

    :raises InvalidProfile: it describes no judge.
    """
    config = settings.EVALSERVICE
    named = config["JUDGE"] == "openai" and config["JUDGE_PROFILE"]
    return _loaded(config["JUDGE_PROFILE"]) if named else None


def content_of(terms: Terms) -> dict[str, Any]:
    """What a profile of these terms is, as plain data; prices and limits are no part of it."""
    return {
        "judge": "openai",
        "model": terms.label,
        "base_url": settings.EVALSERVICE["OPENAI_BASE_URL"] or OPENAI,
        "parameters": {**terms.as_parameters(), "prompts": PROMPTS},
    }


def configured() -> dict[str, Any]:
    """The profile the settings describe, as plain data."""
    config = settings.EVALSERVICE
    if config["JUDGE"] == "lexical":
        return {"judge": "lexical", "model": "", "base_url": "", "parameters": {"version": VERSION}}
    file = configured_file()
    return content_of(file.terms if file else Terms.alone(config["JUDGE_MODEL"]))


def model_limits() -> dict[str, int]:
    """The limits of the endpoint (``in_flight``, ``tokens_per_minute``, ``attempts``, ``timeout_s``, ``budget_s``): the
    file's where it names them, else those of the environment."""
    file = configured_file()
    return {**settings.EVALSERVICE["MODEL"], **(file.limits if file else {})}


def terms_of(profile: JudgeProfile) -> Terms:
    """How the judge of a row is asked."""
    return Terms.read(profile.parameters, model=profile.model)


def current_profile(*, now: dt.datetime) -> JudgeProfile:
    """The row of the configured profile, made if new. One that was there keeps its name."""
    content = configured()
    content_hash = digest(content)
    prices = _prices(content)
    found = JudgeProfile.objects.filter(content_hash=content_hash).first()
    if found:
        return _priced(found, prices)
    file = configured_file()
    name = file.name if file else content["judge"]
    last = JudgeProfile.objects.filter(name=name).aggregate(last=Max("version"))["last"] or 0
    profile, _ = JudgeProfile.objects.get_or_create(
        content_hash=content_hash,
        defaults={"name": name, "version": last + 1, "created_at": now, "prices": prices, **content},
    )
    return profile


def _prices(content: Mapping[str, Any]) -> Prices:
    """The prices of its models, as far as they are known: the file's table, or that of the environment."""
    file = configured_file()
    table: Prices = (
        settings.EVALSERVICE["JUDGE_PRICES"] if file is None or file.prices is None else file.prices
    )
    models = Terms.read(content["parameters"], model=content["model"]).models
    return {model: dict(table[model]) for model in models if model in table}


def _priced(profile: JudgeProfile, prices: Prices) -> JudgeProfile:
    """A price is no part of what a profile is: another one makes no other judge of it."""
    if profile.prices != prices:
        profile.prices = prices
        profile.save(update_fields=["prices"])
    return profile
