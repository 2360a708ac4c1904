"""Pages that come with a set, and addresses that nobody fetches: the same in both modes of pages."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging import collecting
from judging.models import CitedPage, PageSnapshot
from judging.pages.captures import PageVerdict
from submissions.models import Submission
from tests.integration.judging.web import URLS, Web, cites, lakes, many
from tests.judging_factories import (
    BRUME,
    archive,
    findings,
    import_set,
    judged,
    lake_answer,
    lake_task,
    scores_of,
    tree_files,
)
from tests.unit.submissions.egress.test_policy import DENIED

pytestmark = pytest.mark.django_db(transaction=True)


# ------------------------------------------------------------------ what the set brings
def chosen(submission: Submission, name: str) -> PageSnapshot:
    """The snapshot that a submission is judged against for a page of the lakes."""
    row = CitedPage.objects.select_related("snapshot").get(
        submission=submission, page__url=f"https://lakes.example/{name}"
    )
    assert row.snapshot is not None
    return row.snapshot


def test_a_page_that_came_with_the_set_is_not_fetched(web: Web) -> None:
    task_set = import_set(tree_files())
    submission = judged(task_set, {"brume": lake_answer(212, 14, "brume", URLS[0])})
    assert web.visits == [[URLS[0]]]
    assert chosen(submission, "brume").task_set == task_set
    assert scores_of(submission)["brume"] == 1.0


def test_the_page_that_was_vetted_counts_whatever_the_web_shows_by_now(web: Web) -> None:
    """Live, the page still says 212 metres; the organiser's says 48."""
    pages = archive({"brume": BRUME.replace("212", "48")})
    task_set = import_set(tree_files({"brume": lake_task()}, pages=pages))
    another = import_set(tree_files({"t0": lake_task()}, pages={}, slug="ponds"))
    elsewhere = judged(another, {"t0": lake_answer(212, 14, "brume")})
    assert (chosen(elsewhere, "brume").task_set, web.visits) == (None, [["https://lakes.example/brume"]])
    submission = judged(task_set, {"brume": lake_answer(212, 14, "brume")})
    assert len(web.visits) == 1
    assert (findings(elsewhere)["t0/depth"], findings(submission)["brume/depth"]) == ("supported", "refuted")


def test_what_the_archive_found_dead_or_walled_is_not_looked_at_again(web: Web) -> None:
    submission = judged(import_set(tree_files()), {"brume": lake_answer(212, 14, "gone", "blocked")})
    assert web.visits == []
    assert {chosen(submission, name).verdict for name in ("gone", "blocked")} == {
        "not_found",
        "blocked_status",
    }


def test_what_the_archive_could_not_get_is_fetched(web: Web) -> None:
    submission = judged(import_set(tree_files()), {"brume": lake_answer(212, 14, "unsure")})
    assert web.visits == [["https://lakes.example/unsure"]]
    assert (chosen(submission, "unsure").task_set, scores_of(submission)["brume"]) == (None, 1.0)


def test_the_archive_of_another_set_is_nobodys_evidence(web: Web) -> None:
    import_set(tree_files(slug="others"))
    judged(import_set(tree_files(pages={})), {"brume": lake_answer(212, 14, "brume")})
    assert web.visits == [["https://lakes.example/brume"]]


def test_pages_of_a_set_cost_no_statement_each(web: Web) -> None:
    counts = []
    for count in (4, 60):
        lease = many(count)
        submission = lease.job.submission
        collecting.begin(lease, submission)
        rows = collecting.missing(submission)
        with CaptureQueriesContext(connection) as queries:
            assert len(collecting.at_hand(rows, submission.task_set_id, timezone.now())) == count // 2
        counts.append(len(queries))
    assert counts == [2, 2]


# ------------------------------------------------------------------ what no mode would fetch
NEVER_FETCHED = [
    "http://user:pw@lakes.example.org/brume",
    "https://user@lakes.example.org/brume",
    "https://lakes.example.org:8443/brume",
    "http://127.0.0.1/brume",
    "http://0x7f.1/brume",
    "http://10.0.0.7/brume",
    "http://[::1]/brume",
    "http://169.254.169.254/latest",
    "http://[fd00:ec2::254]/latest",
    "http://localhost/brume",
    "http://printer.local/brume",
    "http://wiki/brume",
    "http://lakes.invalid/brume",
    "http://lakes.test/brume",
    "https://us.example.org/board",
    "https://us:pw@lakes.example/brume",
]


@pytest.mark.parametrize("mode", ["archive", "live"])
@pytest.mark.parametrize("url", NEVER_FETCHED)
def test_what_is_never_fetched_is_denied_in_either_mode_without_asking_anybody(
    url: str, mode: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    look_up = socket.getaddrinfo

    def noted(host: str, *more: Any, **how: Any) -> Any:
        asked.append(host)
        return look_up(host, *more, **how)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    own = {"PAGES": mode, "OWN_HOSTS": ["us.example.org"], "CONTACT": "us@eval.example"}
    settings.EVALSERVICE = {**settings.EVALSERVICE, **own}
    submission = judged(lakes(), cites(url))
    row = CitedPage.objects.select_related("snapshot").get()
    assert row.snapshot is not None
    assert row.snapshot.verdict == "denied"
    assert set(asked) <= {"127.0.0.1"}  # our own: the guard's port, the database
    assert (submission.state, scores_of(submission)) == ("judged", {"t0": 0.0})


@pytest.mark.parametrize("mode", ["archive", "live"])
@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://lakes.example.org/brume", "gopher://lakes.example.org/"]
)
def test_another_scheme_is_no_page_in_either_mode(url: str, mode: str, settings: Any) -> None:
    settings.EVALSERVICE = {**settings.EVALSERVICE, "PAGES": mode, "CONTACT": "us@eval.example"}
    submission = judged(lakes(), cites(url))
    assert not CitedPage.objects.exists()
    assert (submission.state, scores_of(submission)) == ("judged", {"t0": 0.0})


@pytest.mark.parametrize(
    "url", ["https://lakes.example.org/brume", "http://8.8.8.8/", "https://ponds.example/brume"]
)
def test_what_might_be_had_elsewhere_is_an_error_of_ours_in_archive_mode(url: str) -> None:
    submission = judged(lakes(), cites(url))
    assert submission.state == "incomplete"
    assert CitedPage.objects.select_related("snapshot").get().snapshot.verdict == "network"  # type: ignore[union-attr]  # it has one


@pytest.mark.parametrize("url", DENIED)
def test_the_policy_of_an_archive_is_that_of_the_web(url: str) -> None:
    capture = collecting.outside_archive(url, collecting.policy(), timezone.now())
    assert capture.verdict is PageVerdict.DENIED
