"""Calibrations as rows: which profile is meant, and what a report makes of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, QuerySet

from judging.canonical import plain
from judging.models import Calibration, JudgeProfile
from judging.profiles import current_profile

__all__ = ["ABOUT", "UnknownProfile", "calibrated_for", "last_passed", "named_profile", "store"]

CURRENT = "current"
# By the protocol of a task set: what labels may be about that say something of its judging.
ABOUT: Mapping[str, tuple[str, ...]] = {"rubric_tree": ("claims", "rubric_tree"), "cascade": ("cascade",)}


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


def calibrated_for(profile: JudgeProfile, protocol: str) -> bool:
    """Whether the last calibration by labels about this protocol was passed; without one it was not."""
    return bool(last_passed(profile.pk, protocol).first())


def last_passed(profile: int | OuterRef, protocol: str) -> QuerySet[Calibration, bool]:
    """Whether calibrations of a profile by labels about this protocol were passed, the last one first."""
    about = Calibration.objects.filter(profile=profile, protocol__in=ABOUT.get(protocol, ()))
    return about.order_by("-id").values_list("passed", flat=True)


@transaction.atomic
def store(*, profile: JudgeProfile, report: Mapping[str, Any], actor: str, now: dt.datetime) -> Calibration:
    """Keep a report; the last one about a protocol says whether its profile is calibrated for that."""
    kept = Calibration.objects.create(
        profile=profile,
        protocol=report["protocol"],
        labels_sha256=report["labels_sha256"],
        labels=report["labels"],
        passed=report["passed"],
        report=plain(report),
        actor=actor,
        created_at=now,
    )
    calibrated = any(calibrated_for(profile, protocol) for protocol in ABOUT)
    JudgeProfile.objects.filter(pk=profile.pk).update(calibrated=calibrated)
    return kept
