"""Staff roles are groups, kept at what the table says."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.apps.registry import Apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.test import RequestFactory

from judging.admin.tasksets import IMPORTERS
from submissions.roles import ROLES, after_migration
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def held(role: str) -> set[str]:
    """The permissions of a role."""
    rows = Group.objects.get(name=role).permissions.values_list("content_type__app_label", "codename")
    return {f"{label}.{codename}" for label, codename in rows}


@pytest.mark.parametrize("role", ROLES)
def test_a_migrated_database_has_the_roles(role: str) -> None:
    assert held(role) == set(ROLES[role])


def test_every_permission_of_the_table_exists() -> None:
    rows = Permission.objects.values_list("content_type__app_label", "codename")
    known = {f"{label}.{codename}" for label, codename in rows}
    assert {name for names in ROLES.values() for name in names} <= known


# Rights that open no form but a page or a button: the import of bundles, judging again and resuming, labelling.
BUTTONS = {
    *IMPORTERS,
    "judging.add_judgerun",
    "judging.add_labelstudy",
    "judging.add_label",
    "judging.add_adjudication",
}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_holds_no_right_that_opens_nothing(role: str) -> None:
    request = RequestFactory().get("/admin/")
    request.user = make_user(staff=True)
    request.user.groups.add(Group.objects.get(name=role))
    pages = dict(admin.site._registry)
    inlines = {
        inline.model: inline for page in pages.values() for inline in page.get_inline_instances(request)
    }
    for name in set(ROLES[role]) - BUTTONS:
        label, _, rest = name.partition(".")
        verb, _, model_name = rest.partition("_")
        model = apps.get_model(label, model_name)
        opened = pages.get(model) or inlines[model]
        assert getattr(opened, f"has_{verb}_permission")(request, *([None] if model in inlines else [])), name


def test_the_next_migration_puts_right_what_was_changed_by_hand() -> None:
    viewer = Group.objects.get(name="viewer")
    viewer.permissions.add(Permission.objects.get(codename="view_rubric"))
    viewer.permissions.remove(Permission.objects.get(codename="view_team"))
    Group.objects.get(name="set owner").delete()
    call_command("migrate", verbosity=0)
    assert held("viewer") == set(ROLES["viewer"])
    assert held("set owner") == set(ROLES["set owner"])


def test_permissions_of_other_apps_are_left_alone() -> None:
    extra = Permission.objects.get(codename="view_logentry")
    Group.objects.get(name="viewer").permissions.add(extra)
    call_command("migrate", verbosity=0)
    assert held("viewer") == {*ROLES["viewer"], "admin.view_logentry"}


def test_nothing_is_done_while_groups_do_not_exist() -> None:
    Group.objects.all().delete()
    after_migration(apps.get_app_config("submissions"), apps=Apps())
    assert not Group.objects.exists()


@pytest.mark.parametrize("role", ROLES)
def test_no_role_can_change_what_was_judged_or_handed_in(role: str) -> None:
    untouchable = (
        "submission",
        "answer",
        "verdict",
        "entry",
        "board",
        "submissionevent",
        "extraction",
        "modelcall",
    )
    for name in ROLES[role]:
        verb, _, model = name.partition(".")[2].partition("_")
        assert model not in untouchable or verb == "view", name


def test_viewers_see_no_hidden_text() -> None:
    hidden = {"task", "rubric", "answer", "verdict", "extraction", "modelcall", "page", "pagesnapshot"}
    assert not {name.rpartition("_")[2] for name in ROLES["viewer"]} & hidden
