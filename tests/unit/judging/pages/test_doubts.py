"""What is told of an archive although it is taken."""

from __future__ import annotations

import datetime as dt

import pytest

from judging.pages.captures import Capture, PageVerdict
from judging.pages.doubts import doubts
from judging.rubric import Severity

HTML = b"<title>The lake</title><p>The lake was surveyed in 1871 by the county's own engineers."
WALL = "Please sign in to continue reading this article of ours about the lake"
LOST = "The page you are looking for does not exist any more, we are sorry"


def capture(
    name: str = "a", *, verdict: PageVerdict = PageVerdict.OK, text: str = "", **more: object
) -> Capture:
    body = f"<p>{text or name}".encode() if verdict.readable else None
    fields = {
        "url": f"https://x.example/{name}",
        "status": 200,
        "raw": body,
        "text": text or HTML.decode(),
    } | more
    return Capture(verdict=verdict, fetched_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC), **fields)  # type: ignore[arg-type]


def told(*captures: Capture) -> list[tuple[str, str]]:
    found = list(doubts(captures))
    assert all((one.file, one.severity) == ("pages/index.jsonl", Severity.WARNING) for one in found)
    return [(one.path, one.reason) for one in found]


@pytest.mark.parametrize(
    "right",
    [
        capture(),
        capture(status=None),
        capture(verdict=PageVerdict.PARTIAL),
        capture(verdict=PageVerdict.NOT_FOUND, status=404),
        capture(verdict=PageVerdict.NOT_FOUND, status=None),
        capture(verdict=PageVerdict.SOFT_404),
        capture(verdict=PageVerdict.LOGIN_WALL, text=WALL),
        capture(text=WALL, raw=WALL.encode(), content_type="text/plain"),
        capture(text="short"),
        capture(raw=None),
    ],
)
def test_a_page_that_is_what_it_says_raises_no_doubt(right: Capture) -> None:
    assert told(right) == []


@pytest.mark.parametrize(
    ("doubtful", "reason"),
    [
        (capture(status=404), "is ok in the index, but its status 404 means not_found"),
        (
            capture(verdict=PageVerdict.PARTIAL, status=403),
            "is partial in the index, but its status 403 means blocked_status",
        ),
        (capture(verdict=PageVerdict.NOT_FOUND), "is not_found in the index, but its status is 200"),
        (capture(text=WALL), "is ok in the index, but reads like login_wall; as it stands it is evidence"),
        (
            capture(text=LOST, status=None),
            "is ok in the index, but reads like soft_404; as it stands it is evidence",
        ),
    ],
)
def test_a_page_that_is_belied_is_told(doubtful: Capture, reason: str) -> None:
    assert told(doubtful) == [("https://x.example/a", reason)]


def test_one_page_under_two_addresses_is_told_unless_a_redirect_explains_it() -> None:
    first = capture("a", raw=HTML)
    assert told(first, capture("b", raw=HTML)) == [
        (
            "https://x.example/b",
            "holds the same as https://x.example/a, byte by byte: was one page saved under two addresses?",
        )
    ]
    assert told(first, capture("b", raw=HTML, final_url="https://x.example/a#top")) == []
    lost = capture("c", raw=HTML, verdict=PageVerdict.SOFT_404)
    assert told(lost, capture("b", raw=HTML)) == []
