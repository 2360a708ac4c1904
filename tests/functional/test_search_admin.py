"""What searches found, in the admin: who reads it, that nobody writes it, and that it stays text."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import SearchReply
from judging.search.interface import Hit
from judging.search.results import snapshot_text
from submissions import blobs
from submissions.roles import ROLES
from tests.factories import NOW
from tests.functional.staff import EVIL, listing, page_of, signed_in, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def row() -> SearchReply:
    """A reply with a hostile title to a query that holds an answer's words."""
    found = snapshot_text([Hit(EVIL, "https://found.example/", "sentinel-hit")])
    return SearchReply.objects.create(
        provider="searxng", key="0" * 64, day=NOW.date(), query=f"sentinel-query {EVIL}", asked_at=NOW, hits=1,
        text_sha256=blobs.put(found.encode()),
    )  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_who_reads_what_was_found_is_the_judge_operator(row: SearchReply, role: str) -> None:
    browser = signed_in(role)
    expected = 200 if role == "judge operator" else 403
    for address in (listing("searchreply"), page_of(row)):
        assert browser.get(address).status_code == expected
        assert Client().get(address).status_code == 302


def test_a_page_shows_query_and_text_escaped_and_a_list_neither(row: SearchReply) -> None:
    browser = signed_in("judge operator")
    shown = text(browser, page_of(row))
    assert "sentinel-query" in shown
    assert "sentinel-hit" in shown
    assert EVIL not in shown
    listed = text(browser, listing("searchreply"))
    assert "searxng" in listed
    assert "sentinel" not in listed


def test_a_text_that_is_lost_is_said_to_be(row: SearchReply) -> None:
    SearchReply.objects.update(text_sha256="1" * 64)
    assert "not in the blob store" in text(signed_in("judge operator"), page_of(row))


def test_nobody_adds_changes_or_deletes_one(row: SearchReply) -> None:
    browser = signed_in(superuser=True)
    assert browser.get(reverse("admin:judging_searchreply_add")).status_code == 403
    assert browser.post(page_of(row), {"query": "another"}).status_code == 403
    assert browser.get(reverse("admin:judging_searchreply_delete", args=[row.pk])).status_code == 403
