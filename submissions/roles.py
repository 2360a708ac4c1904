"""What staff may do, as data: one table, applied to Django's groups after every migration.

Nobody but a superuser holds a permission by name; people are put into roles. No role can change a submission, an
answer, a verdict or a key's hash: those have no form at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import AppConfig, apps
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

_LOOK = (
    "submissions.view_organisation", "submissions.view_team", "submissions.view_system", "submissions.view_taskset",
    "submissions.view_submission", "leaderboard.view_board", "leaderboard.view_entry",
)  # fmt: skip
_READ_TASKS = ("submissions.view_task", "judging.view_rubric")

ROLES: Mapping[str, tuple[str, ...]] = {
    # Sees who takes part and how submissions stand; no prompt, rubric, answer or reason.
    "viewer": _LOOK,
    # Imports tasks and rubrics, which needs the right to add both; sees no submission's answers or verdicts.
    "task author": ("submissions.view_taskset", *_READ_TASKS, "submissions.add_task", "judging.add_rubric"),
    # Reads tasks and rubrics of others, and how answers are judged by them.
    "validator": ("submissions.view_taskset", *_READ_TASKS, "submissions.view_answer", "judging.view_verdict",
                  "judging.view_labelstudy", "judging.add_labelstudy", "judging.add_adjudication"),
    # Says of checks what is so, without seeing what the judge said; so no answers' scores and no verdicts.
    "labeller": (*_READ_TASKS, "judging.add_label", "judging.view_labelstudy"),
    # Keeps the judge running: sees what it did, and the accounts it did it for.
    "judge operator": (
        *_LOOK, *_READ_TASKS, "submissions.view_answer", "submissions.view_job", "submissions.view_submissionevent",
        "judging.view_page", "judging.view_pagesnapshot", "judging.view_judgeprofile", "judging.view_judgerun",
        "judging.add_judgerun", "judging.view_verdict", "judging.view_extraction", "judging.view_modelcall",
        "judging.view_calibration", "judging.view_labelstudy", "judging.add_labelstudy",
        "judging.view_searchreply",
    ),
    # Runs a set: accounts, keys and what teams hand in.
    "set owner": (
        *_LOOK, *_READ_TASKS, "submissions.view_answer", "submissions.view_submissionevent",
        "submissions.add_organisation", "submissions.change_organisation",
        "submissions.view_organisationdomain", "submissions.add_organisationdomain",
        "submissions.change_organisationdomain", "submissions.delete_organisationdomain",
        "submissions.add_team", "submissions.change_team",
        "submissions.view_membership", "submissions.add_membership", "submissions.change_membership",
        "submissions.delete_membership",
        "submissions.view_apikey", "submissions.add_apikey", "submissions.change_apikey",
        "submissions.change_system", "submissions.change_taskset",
    ),
}  # fmt: skip


def _granted(role: str, app_label: str) -> set[str]:
    prefix = f"{app_label}."
    return {name.removeprefix(prefix) for name in ROLES[role] if name.startswith(prefix)}


def apply_roles(app_config: AppConfig, *, using: str) -> None:
    """Give every role exactly the table's permissions on one app's models; others are taken away."""
    of_app = Permission.objects.using(using).filter(content_type__app_label=app_config.label)
    for role in ROLES:
        group, _ = Group.objects.using(using).get_or_create(name=role)
        held = group.permissions.filter(content_type__app_label=app_config.label)
        wanted = of_app.filter(codename__in=_granted(role, app_config.label))
        group.permissions.remove(*held.exclude(pk__in=wanted))
        group.permissions.add(*wanted)


def after_migration(sender: AppConfig, *, using: str = "default", **kwargs: Any) -> None:
    """``post_migrate``: a data migration would run before the permissions exist."""
    migrated: Apps = kwargs.get("apps", apps)
    has_groups = "auth" in migrated.app_configs  # not while everything is migrated backwards
    if has_groups and any(_granted(role, sender.label) for role in ROLES):
        create_permissions(sender, using=using, verbosity=0, apps=migrated)
        apply_roles(sender, using=using)
