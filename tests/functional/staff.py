"""Staff in the admin: who is signed in, and what a page says."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from submissions.models import Submission
from tests.factories import make_user

EVIL = "<script>alert(1)</script>"
MODELS = (
    "rubric", "page", "pagesnapshot", "judgeprofile", "judgerun", "verdict", "extraction", "modelcall",
)  # fmt: skip


def signed_in(*roles: str, superuser: bool = False) -> Client:
    """A browser of a member of staff."""
    user = make_user(staff=True, superuser=superuser)
    user.groups.set(Group.objects.filter(name__in=roles))
    assert user.groups.count() == len(roles)
    browser = Client()
    browser.force_login(user)
    return browser


def listing(model: str, app: str = "judging") -> str:
    """The address of the list of a model."""
    return reverse(f"admin:{app}_{model}_changelist")


def page_of(row: Any) -> str:
    """The address of a row."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def tree_page(submission: Submission, key: str) -> str:
    """The address of the verdicts on the answer to a task."""
    run = submission.judge_runs.latest("round")
    return reverse("admin:judging_judgerun_answer", args=[run.pk, submission.answers.get(task__key=key).pk])


def text(browser: Client, address: str, status: int = 200) -> str:
    """A page that answers with this status."""
    response = browser.get(address)
    assert response.status_code == status, address
    return response.content.decode()


def words(page: str) -> str:
    """What is to be read on a page, without the elements around it."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def act(browser: Client, action: str, *rows: Any) -> str:
    """The page after an action on rows of a list."""
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    address = reverse(f"admin:submissions_{rows[0]._meta.model_name}_changelist")
    return str(browser.post(address, data, follow=True).content.decode())
