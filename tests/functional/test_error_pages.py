"""Pages that say no: in the frame of all others, with a sentence and without a trace."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_user

pytestmark = pytest.mark.django_db


def shown(client: Client, address: str, status: int) -> str:
    response = client.get(address)
    assert response.status_code == status
    assert response["Content-Security-Policy"]
    page = response.content.decode()
    assert "<style" not in page
    assert "board.css" in page
    return page


def test_what_cannot_be_understood() -> None:
    assert "This request cannot be understood" in shown(Client(), "/?q=%00", 400)
    assert "This request cannot be understood" in shown(Client(headers={"host": "elsewhere"}), "/", 400)


def test_what_is_not_for_this_account() -> None:
    browser = Client()
    browser.force_login(make_user(staff=True))
    address = reverse("admin:submissions_submission_changelist")
    assert "This is not for this account" in shown(browser, address, 403)


def test_what_is_nowhere() -> None:
    assert "There is nothing here" in shown(Client(), "/none/", 404)


def test_a_form_that_has_grown_old() -> None:
    browser = Client(enforce_csrf_checks=True)
    response = browser.post(reverse("admin:login"), {"username": "x", "password": "y"})
    assert response.status_code == 403
    assert "The form was not sent" in response.content.decode()
    assert "<style" not in response.content.decode()
