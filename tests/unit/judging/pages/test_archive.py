"""Archives that come with task sets."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from judging.pages import archive, extract
from judging.pages.archive import INDEX, ArchiveReading, read_archive
from judging.pages.captures import Capture, PageVerdict
from judging.pages.extract import EXTRACTOR
from tests.pictures import jpeg, png, riff, vp8
from tests.unit.judging.pages.documents import pdf

HTML = b"<title>The lake</title><p>The lake was surveyed in 1871."
LINE: dict[str, Any] = {
    "url": "https://x.org/a",
    "file": "a.html",
    "verdict": "ok",
    "fetched_at": "2026-01-02T03:04:05Z",
}


def bundle(*lines: object, **files: bytes) -> dict[str, bytes]:
    """A bundle's files: the index and, by keyword with ``__`` for a dot, files of ``pages/``."""
    rows = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    named = {f"pages/{name.replace('__', '.')}": data for name, data in files.items()}
    return {"taskset.yaml": b"", INDEX: b"\n".join(rows), "pages/a.html": HTML} | named


def faults(*lines: object, **files: bytes) -> list[tuple[str, str]]:
    reading = read_archive(bundle(*lines, **files))
    assert reading.captures == ()
    assert all(fault.file == INDEX for fault in reading.faults)
    return [(fault.path, fault.reason) for fault in reading.faults]


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in LINE.items() if key != name}


def test_a_page_is_read_like_a_live_one() -> None:
    line = LINE | {
        "status": 200,
        "final_url": "https://x.org/b",
        "content_type": "text/html; charset=utf-8",
        "probe_ok": True,
        "chain": [[302, "https://x.org/a"]],
        "fetched_at": "2026-01-02T04:04:05+01:00",
    }
    assert read_archive(bundle(line)) == ArchiveReading(
        (
            Capture(
                url="https://x.org/a",
                verdict=PageVerdict.OK,
                fetched_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
                status=200,
                final_url="https://x.org/b",
                chain=((302, "https://x.org/a"),),
                content_type="text/html; charset=utf-8",
                title="The lake",
                text="The lake was surveyed in 1871.",
                raw=HTML,
                static_only=False,
                probe_ok=True,
                extractor=EXTRACTOR,
            ),
        ),
        (),
    )


@pytest.mark.parametrize("verdict", [verdict for verdict in PageVerdict if not verdict.readable])
def test_a_page_that_was_not_there_needs_no_file(verdict: PageVerdict) -> None:
    line = LINE | {"verdict": verdict.value, "file": None, "status": None, "probe_ok": None, "chain": None}
    (capture,) = read_archive(bundle(line)).captures
    assert (capture.verdict, capture.text, capture.raw, capture.probe_ok) == (verdict, "", None, None)


def test_the_text_of_a_wall_is_kept_and_its_verdict_stands() -> None:
    (capture,) = read_archive(bundle(LINE | {"verdict": "challenge", "status": 200})).captures
    assert (capture.verdict, capture.title) == (PageVerdict.CHALLENGE, "The lake")


def test_pdf_and_plain_text_are_read() -> None:
    lines = [LINE | {"file": "b.pdf"}, LINE | {"url": "https://x.org/c", "file": "sub/c.txt"}]
    files = bundle(*lines, b__pdf=pdf(["Depth"])) | {"pages/sub/c.txt": b"40 m"}
    assert [capture.text for capture in read_archive(files).captures] == ["Depth", "40 m"]


def test_a_document_that_was_cut_is_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "MAX_TEXT", 8)
    (capture,) = read_archive(bundle(LINE)).captures
    assert (capture.verdict, capture.ranges) == (PageVerdict.PARTIAL, ((0, 8),))
    (capture,) = read_archive(bundle(LINE | {"verdict": "challenge"})).captures
    assert capture.verdict is PageVerdict.CHALLENGE


def test_a_mark_blank_lines_and_carriage_returns_are_no_faults() -> None:
    other = LINE | {"url": "https://x.org/b"}
    files = bundle() | {
        INDEX: b"\xef\xbb\xbf" + json.dumps(LINE).encode() + b"\r\n\r\n" + json.dumps(other).encode() + b"\n"
    }
    assert len(read_archive(files).captures) == 2


def test_a_bundle_without_pages_has_no_archive() -> None:
    assert read_archive({"taskset.yaml": b"", "pages.txt": b""}) == ArchiveReading((), ())


def test_pages_without_an_index_are_refused() -> None:
    reading = read_archive({"pages/a.html": HTML})
    assert [str(fault) for fault in reading.faults] == [
        "pages/index.jsonl: (whole file): is missing: it says what the files in pages/ are"
    ]


def test_a_file_nobody_names_is_a_warning() -> None:
    reading = read_archive(bundle(LINE, b__html=HTML))
    assert len(reading.captures) == 1
    assert [str(warning) for warning in reading.warnings] == [
        "pages/b.html: (whole file): no line of the index names this file"
    ]


@pytest.mark.parametrize(
    ("line", "path", "reason"),
    [
        (b"\xff", "line 1", "is not UTF-8"),
        (b"{", "line 1", "is not JSON"),
        (b"[" * 100_000, "line 1", "is not JSON"),
        (b"[]", "line 1", "is not an object"),
        (b"null", "line 1", "is not an object"),
        (LINE | {"colour": 1}, "line 1.colour", "is not a field of the index"),
        (without("url"), "line 1.url", "is missing"),
        (without("verdict"), "line 1.verdict", "is missing"),
        (without("fetched_at"), "line 1.fetched_at", "is missing"),
        (LINE | {"url": None}, "line 1.url", "must be text"),
        (LINE | {"file": 1}, "line 1.file", "must be text or null"),
        (LINE | {"status": "200"}, "line 1.status", "must be a number or null"),
        (LINE | {"status": True}, "line 1.status", "must be a number or null"),
        (LINE | {"status": 200.0}, "line 1.status", "must be a number or null"),
        (LINE | {"probe_ok": 1}, "line 1.probe_ok", "must be true or false or null"),
        (LINE | {"chain": {}}, "line 1.chain", "must be a list or null"),
        (LINE | {"content_type": "a\x00"}, "line 1.content_type", "holds NUL or a lone surrogate"),
        (LINE | {"content_type": "\ud800"}, "line 1.content_type", "holds NUL or a lone surrogate"),
        (LINE | {"url": "ftp://x.org/"}, "line 1.url", "is no http(s) URL: scheme ftp:"),
        (LINE | {"url": "x"}, "line 1.url", "is no http(s) URL: not a URL"),
        (LINE | {"verdict": "fine"}, "line 1.verdict", "must be one of " + ", ".join(PageVerdict)),
        (without("file"), "line 1.file", "is missing: a page that is ok has content"),
        (LINE | {"file": ""}, "line 1.file", "is missing: a page that is ok has content"),
        (LINE | {"fetched_at": "yesterday"}, "line 1.fetched_at", "is no RFC 3339 time"),
        (LINE | {"fetched_at": "2026-01-02T03:04:05"}, "line 1.fetched_at", "has no time zone"),
        (LINE | {"status": 99}, "line 1.status", "is no HTTP status"),
        (LINE | {"status": 1000}, "line 1.status", "is no HTTP status"),
        (LINE | {"final_url": "nowhere"}, "line 1.final_url", "is no http(s) URL"),
        (LINE | {"chain": [[302, "https://x.org/"], [302]]}, "line 1.chain[1]", "must be [status, URL]"),
        (LINE | {"chain": [["302", "https://x.org/"]]}, "line 1.chain[0]", "must be [status, URL]"),
        (LINE | {"chain": [[302, "x"]]}, "line 1.chain[0]", "must be [status, URL]"),
        (LINE | {"chain": [[302, 1]]}, "line 1.chain[0]", "must be [status, URL]"),
        (LINE | {"chain": ["302"]}, "line 1.chain[0]", "must be [status, URL]"),
        (LINE | {"file": "gone.html"}, "line 1.file", "pages/gone.html is not in the bundle"),
    ],
)
def test_a_bad_line_is_refused_by_its_place(line: object, path: str, reason: str) -> None:
    found = faults(line)
    assert (path, reason) in found
    assert {place for place, _ in found} == {path}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../taskset.yaml",
            "..",
            "a/../../taskset.yaml",
            "/etc/passwd",
            "//etc/passwd",
            ".",
            "./a.html",
            "a//b.html",
        ),
        *("sub/../a.html", "..\\taskset.yaml", "C:\\a.html", "sub\\a.html", "a.html/", "a/."),
    ],
)
def test_no_path_leads_out_of_the_pages(name: str) -> None:
    assert faults(LINE | {"file": name}) == [("line 1.file", "must be a plain path below pages/")]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "is neither HTML, plain text nor PDF"),
        (b"<p hidden>a</p>", "shows no text"),
        (b"", "shows no text"),
        (b"%PDF-1.7", "cannot be read: "),
    ],
)
def test_a_page_that_is_ok_must_show_text(body: bytes, reason: str) -> None:
    ((path, told),) = faults(LINE | {"file": "b"}, b=body)
    assert path == "line 1.file"
    assert told.startswith(f"pages/b {reason}")


def test_a_file_is_held_to_the_hash_that_the_index_gives() -> None:
    right = hashlib.sha256(HTML).hexdigest()
    assert read_archive(bundle(LINE | {"sha256": right})).faults == ()
    assert read_archive(bundle(LINE | {"sha256": None})).faults == ()
    assert faults(LINE | {"sha256": right.upper()}) == [
        ("line 1.sha256", f"is not that of pages/a.html, {right}: the file was changed")
    ]


def test_a_page_twice_is_refused_whatever_its_spelling() -> None:
    again = LINE | {"url": "HTTPS://X.org:443/a#top"}
    assert faults(LINE, again) == [("line 2.url", "is the page of line 1 again")]


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILE", 10)
    assert faults(LINE) == [("line 1.file", "pages/a.html is over 10 bytes")]


def test_every_fault_of_every_line_is_told_at_once() -> None:
    found = faults(
        b"{",
        LINE | {"url": "x", "verdict": "y", "status": 1, "file": "../z"},
        without("url") | {"odd": 1},
        LINE,
    )
    assert [path for path, _ in found] == [
        "line 1",
        "line 2.url",
        "line 2.verdict",
        "line 2.status",
        "line 2.file",
        "line 3.odd",
        "line 3.url",
    ]


# ------------------------------------------------------------------ pictures beside a page
@pytest.mark.parametrize("name", ["a__png", "a__jpg", "a__webp"])
def test_a_picture_beside_a_page_is_its_own(name: str) -> None:
    data = {"a__png": png(), "a__jpg": jpeg(), "a__webp": riff(vp8(3, 2))}[name]
    reading = read_archive(bundle(LINE, **{name: data}))
    assert (reading.captures[0].shot, reading.faults, reading.warnings) == (data, (), ())


def test_a_page_without_one_has_none_and_one_without_a_page_is_a_warning() -> None:
    reading = read_archive(bundle(LINE, b__png=png()))
    assert reading.captures[0].shot is None
    assert [fault.file for fault in reading.warnings] == ["pages/b.png"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a__png": b"GIF89a"}, ["pages/a.png: (whole file): is neither PNG, JPEG nor WebP"]),
        ({"a__png": jpeg()}, ["pages/a.png: (whole file): is image/jpeg, not image/png"]),
        ({"a__webp": png()}, ["pages/a.webp: (whole file): is image/png, not image/webp"]),
        ({"a__png": png(9_000, 1)}, ["pages/a.png: (whole file): has 9,000 × 1 pixels; at most 8,000 a side and 32,000,000 in all"]),
        ({"a__png": png(), "a__jpg": jpeg()}, ["pages/a.jpg: (whole file): is a second picture beside pages/a.png"]),
    ],
)  # fmt: skip
def test_a_picture_that_is_none_is_refused_by_name(files: dict[str, bytes], told: list[str]) -> None:
    reading = read_archive(bundle(LINE, **files))
    assert ([str(fault) for fault in reading.faults], reading.captures) == (told, ())
