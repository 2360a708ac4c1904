"""The file of a judge's profile among the system checks: ``manage.py check`` names what is wrong with it, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from judging.profile_files import InvalidProfile, ProfileFile
from judging.profiles import load_profile

__all__ = ["profile_messages"]

VARIABLE = "EVALSERVICE_JUDGE_PROFILE"


def profile_messages(config: Mapping[str, Any], queue: Mapping[str, Any]) -> Iterator[CheckMessage]:
    """What is to be said of the configured file; ``config`` and ``queue`` are the service's settings and the queue's."""
    if not config["JUDGE_PROFILE"]:
        return
    if config["JUDGE"] != "openai":
        yield Warning(f"{VARIABLE} is not used: set EVALSERVICE_JUDGE=openai.", id="evalservice.W001")
        return
    try:
        profile = load_profile(Path(config["JUDGE_PROFILE"]))
    except InvalidProfile as invalid:
        hint = "manage.py profile FILE says what a file means."
        yield from (Error(f"{VARIABLE}: {one}", hint=hint, id="evalservice.E011") for one in invalid.faults)
        return
    yield from (Warning(f"{VARIABLE}: {one}", id="evalservice.W002") for one in profile.warnings)
    if config["JUDGE_MODEL"]:
        yield Warning(
            f"EVALSERVICE_JUDGE_MODEL is not used: {VARIABLE} names the models.", id="evalservice.W003"
        )
    yield from _too_patient(profile, config, queue)


def _too_patient(
    profile: ProfileFile, config: Mapping[str, Any], queue: Mapping[str, Any]
) -> Iterator[CheckMessage]:
    """A call must end within the queue's own limit, as with EVALSERVICE_MODEL_TIMEOUT."""
    longest = queue["timeout"] - config["SLICE_SECONDS"] - config["CLOSING_SECONDS"] - 1
    if profile.limits.get("timeout_s", 0) > longest:
        why = f"limits.timeout_s: must be at most {longest} beside the length of a slice"
        yield Error(f"{VARIABLE}: {why}", id="evalservice.E012")
