"""What searches found, in the admin: who reads it, that nobody writes it, and that it stays text."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import SearchReply, Verdict
from judging.search.interface import Hit
from judging.search.results import snapshot_text
from submissions import blobs
from submissions.models import Submission
from submissions.roles import ROLES
from tests.factories import NOW
from tests.functional.staff import EVIL, listing, page_of, signed_in, text, tree_page

pytestmark = pytest.mark.django_db(transaction=True)


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


# ------------------------------------------------------------------ what the judge saw
@pytest.fixture
def verdict(row: SearchReply, submission: Submission) -> Verdict:
    """A verdict that rests on a search, of which the judge was shown the first line."""
    found = Verdict.objects.exclude(evidence=[]).earliest("pk")
    end = len(f"Result 1\nTitle: {EVIL}")
    searched = {
        "url": "search:sentinel-query", "source": "search", "standing": "readable", "snapshot": None, "verdict": "ok",
        "text_sha256": row.text_sha256, "finding": "supported", "relevance": None, "ranges": [[0, end]],
        "truncated": False, "marked": [],
    }  # fmt: skip
    Verdict.objects.filter(pk=found.pk).update(evidence=[searched], quote="")
    found.refresh_from_db()
    return found


def seen(verdict: Verdict) -> str:
    """Where it shows what the judge saw."""
    return reverse("admin:judging_verdict_page", args=[verdict.pk, 1])


def test_what_the_judge_saw_of_a_search_is_shown_in_its_place(row: SearchReply, verdict: Verdict) -> None:
    browser = signed_in("judge operator")
    assert seen(verdict) in text(browser, tree_page(verdict.answer.submission, "brume"))
    shown = text(browser, seen(verdict))
    assert "Text of the search results" in shown
    assert '<mark class="seen">Result 1\nTitle: &lt;' in shown
    assert "sentinel-hit" in shown
    assert EVIL not in shown
    (replies,) = [
        part.split('"')[0] for part in shown.split('href="') if row.text_sha256 in part.split('"')[0]
    ]
    assert page_of(row) in text(browser, replies)


@pytest.mark.parametrize("role", [role for role in ROLES if role != "judge operator"])
def test_what_the_judge_saw_of_a_search_is_for_the_judge_operator(verdict: Verdict, role: str) -> None:
    text(signed_in(role), seen(verdict), 403)


def test_a_search_whose_text_is_lost_is_said_to_be_and_one_without_hits_has_no_page(verdict: Verdict) -> None:
    browser = signed_in("judge operator")
    for sha256, status in (("1" * 64, 200), ("", 404), ("../../etc/passwd", 404)):
        searched = [{**verdict.evidence[0], "text_sha256": sha256}]
        Verdict.objects.filter(pk=verdict.pk).update(evidence=searched)
        shown = text(browser, seen(verdict), status)
        assert ("not in the blob store" in shown) == (status == 200)
