"""From an answer to a capture."""

from datetime import UTC, datetime

import pytest

from judging.pages import extract
from judging.pages.captures import Capture, PageVerdict
from judging.pages.extract import EXTRACTOR
from judging.pages.reading import read
from tests.unit.judging.pages.documents import pdf

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PAGE = b"<title>The lake</title><p>The lake was surveyed in 1871 by a party of three surveyors."


def seen(status: int = 200, content_type: str | None = "text/html") -> Capture:
    return Capture(
        "https://x.org/a",
        PageVerdict.OK,
        NOW,
        status,
        "https://x.org/b",
        ((302, "https://x.org/a"),),
        content_type,
    )


def test_a_page_is_kept_with_all_that_is_known() -> None:
    assert read(seen(), PAGE) == Capture(
        url="https://x.org/a",
        verdict=PageVerdict.OK,
        fetched_at=NOW,
        status=200,
        final_url="https://x.org/b",
        chain=((302, "https://x.org/a"),),
        content_type="text/html",
        title="The lake",
        text="The lake was surveyed in 1871 by a party of three surveyors.",
        raw=PAGE,
        static_only=True,
        extractor=EXTRACTOR,
    )


@pytest.mark.parametrize(
    ("status", "body", "verdict"),
    [
        (200, PAGE, PageVerdict.OK),
        (200, b"", PageVerdict.EMPTY),
        (200, b"  \n ", PageVerdict.EMPTY),
        (200, b"<div id=root></div>", PageVerdict.EMPTY),
        (200, b"<title>Just a moment...</title><p>Checking your browser", PageVerdict.CHALLENGE),
        (200, b"\x89PNG\r\n\x1a\n\x00", PageVerdict.UNSUPPORTED_TYPE),
        (200, b"%PDF-1.7 broken", PageVerdict.PDF_FAILED),
        (200, pdf(["words"]), PageVerdict.OK),
        (200, pdf([""]), PageVerdict.EMPTY),
        (204, b"", PageVerdict.EMPTY),
        (404, PAGE, PageVerdict.NOT_FOUND),
        (404, b"", PageVerdict.NOT_FOUND),
        (404, b"\x89PNG\r\n\x1a\n\x00", PageVerdict.NOT_FOUND),
        (410, PAGE, PageVerdict.ERROR_STATUS),
        (403, PAGE, PageVerdict.BLOCKED_STATUS),
        (500, PAGE, PageVerdict.ERROR_STATUS),
    ],
)
def test_status_and_body_give_the_verdict(status: int, body: bytes, verdict: PageVerdict) -> None:
    assert read(seen(status), body).verdict is verdict


@pytest.mark.parametrize("body", [b"42", b"Just a moment... are you a robot?", b"page not found"])
def test_words_in_a_text_file_are_its_content(body: bytes) -> None:
    capture = read(seen(content_type="text/plain"), body)
    assert (capture.verdict, capture.static_only, capture.text) == (PageVerdict.OK, False, body.decode())


def test_a_cut_document_is_partial_with_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "MAX_TEXT", 50)
    capture = read(seen(), PAGE)
    assert (capture.verdict, capture.ranges, len(capture.text)) == (PageVerdict.PARTIAL, ((0, 50),), 50)


def test_a_wall_is_a_wall_however_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "MAX_TEXT", 50)
    assert read(seen(), b"<p>Are you a robot? " + b"a" * 100).verdict is PageVerdict.CHALLENGE


def test_the_text_of_a_missing_page_is_kept_for_reviewers() -> None:
    assert read(seen(404), PAGE).text.startswith("The lake")


def test_bytes_that_cannot_be_read_are_not_kept() -> None:
    assert read(seen(), b"\x89PNG\r\n\x1a\n\x00").raw is None


def test_a_broken_pdf_says_why() -> None:
    capture = read(seen(), b"%PDF-1.7 broken")
    assert "Data format error" in capture.detail
    assert capture.raw == b"%PDF-1.7 broken"


def test_only_pages_with_content_are_evidence() -> None:
    assert [verdict for verdict in PageVerdict if verdict.readable] == [PageVerdict.OK, PageVerdict.PARTIAL]
