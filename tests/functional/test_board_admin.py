"""Staff read boards and publish them anew; nobody edits one."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from leaderboard.models import Board, Entry
from leaderboard.services import publish
from submissions.models import TaskSet
from tests.factories import make_task_set, make_user
from tests.integration.leaderboard.results import HOUR, T0, cascade_set, scored

pytestmark = pytest.mark.django_db
BOARDS = reverse("admin:leaderboard_board_changelist")
ADD = reverse("admin:leaderboard_board_add")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def viewer() -> User:
    user = make_user(staff=True)
    names = ("view_board", "view_entry")
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))
    return user


def published() -> Board:
    task_set = cascade_set(title="<b>Set</b>")
    scored(task_set, [4, 3, 2])
    return publish(task_set=task_set, now=T0 + HOUR)


def test_staff_read_boards_and_entries() -> None:
    board = published()
    client = client_of(viewer())
    assert board.public_id in client.get(BOARDS).content.decode()
    page = client.get(reverse("admin:leaderboard_board_change", args=[board.pk])).content.decode()
    assert board.inputs_hash in page
    assert "<b>Set</b>" not in page
    entry = Entry.objects.get()
    entries = client.get(reverse("admin:leaderboard_entry_changelist")).content.decode()
    assert entry.public_id in entries
    assert client.get(reverse("admin:leaderboard_entry_change", args=[entry.pk])).status_code == 200


def test_nobody_edits_or_deletes_a_board_or_an_entry() -> None:
    board = published()
    entry = Entry.objects.get()
    client = client_of(make_user(superuser=True))
    for model, row in (("board", board), ("entry", entry)):
        change = reverse(f"admin:leaderboard_{model}_change", args=[row.pk])
        assert client.post(change, {"position": 9, "number": 9}).status_code == 403
        assert client.post(reverse(f"admin:leaderboard_{model}_delete", args=[row.pk])).status_code == 403
    assert client.get(reverse("admin:leaderboard_entry_add")).status_code == 403
    board.refresh_from_db()
    assert board.number == 1


def test_adding_a_board_publishes_the_set() -> None:
    task_set = cascade_set()
    scored(task_set, [4, 3, 2])
    client = client_of(make_user(superuser=True))
    assert client.post(ADD, {"task_set": task_set.pk}).status_code == 302
    assert Board.objects.get().task_set == task_set
    assert client.post(ADD, {"task_set": task_set.pk}).status_code == 302
    assert Board.objects.count() == 1


def test_test_sets_and_drafts_are_not_offered() -> None:
    hidden = [make_task_set(split="test"), make_task_set(state=TaskSet.State.DRAFT)]
    client = client_of(make_user(superuser=True))
    page = client.get(ADD).content.decode()
    for task_set in hidden:
        assert task_set.slug not in page
        assert client.post(ADD, {"task_set": task_set.pk}).status_code == 200  # the form again
    assert not Board.objects.exists()


def test_the_action_publishes_every_chosen_set_once() -> None:
    board = published()
    scored(board.task_set, [1, 1, 1])
    client = client_of(make_user(superuser=True))
    data = {"action": "publish_now", "_selected_action": [board.pk]}
    page = client.post(BOARDS, data, follow=True).content.decode()
    assert "board no. 2 stands" in page
    assert Board.objects.current().get().number == 2


def test_the_action_says_why_a_test_set_cannot_be_published() -> None:
    board = published()
    TaskSet.objects.filter(pk=board.task_set_id).update(split="test", delivery_reason="for this test")
    client = client_of(make_user(superuser=True))
    page = client.post(BOARDS, {"action": "publish_now", "_selected_action": [board.pk]}, follow=True)
    assert "release gate" in page.content.decode()
    assert Board.objects.count() == 1


def test_who_may_only_look_cannot_publish() -> None:
    board = published()
    client = client_of(viewer())
    assert client.get(ADD).status_code == 403
    assert "publish_now" not in client.get(BOARDS).content.decode()
    client.post(BOARDS, {"action": "publish_now", "_selected_action": [board.pk]})
    assert Board.objects.count() == 1
