"""Calibrations as rows: which profile is meant, and what a report makes of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from judging.canonical import plain
from judging.models import Calibration, JudgeProfile
from judging.profiles import current_profile

__all__ = ["UnknownProfile", "named_profile", "store"]

CURRENT = "current"


class UnknownProfile(Exception):
    """No profile has this name, or not this version of it."""


def named_profile(name: str, *, now: dt.datetime) -> JudgeProfile:
    """The profile of a name (its newest version), of ``name/version``, or the configured one: ``current``.

    :raises UnknownProfile: there is none.
    :raises judging.profile_files.InvalidProfile: the configured one describes no judge.
    """
    if name == CURRENT:
        return current_profile(now=now)
    head, _, version = name.rpartition("/")
    found = JudgeProfile.objects.filter(name=name).order_by("-version").first()
    if found is None and version.isdecimal() and len(version) < 9:
        found = JudgeProfile.objects.filter(name=head, version=int(version)).first()
    if found is None:
        raise UnknownProfile(name)
    return found


@transaction.atomic
def store(*, profile: JudgeProfile, report: Mapping[str, Any], actor: str, now: dt.datetime) -> Calibration:
    """Keep a report; the last one says whether its profile is calibrated."""
    JudgeProfile.objects.filter(pk=profile.pk).update(calibrated=report["passed"])
    return Calibration.objects.create(
        profile=profile,
        protocol=report["protocol"],
        labels_sha256=report["labels_sha256"],
        labels=report["labels"],
        passed=report["passed"],
        report=plain(report),
        actor=actor,
        created_at=now,
    )
