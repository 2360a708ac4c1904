"""Replies of providers, honest and hostile."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.search.hits import (
    MAX_DATE,
    MAX_HITS,
    MAX_SNIPPET,
    MAX_TITLE,
    MAX_URL,
    read_searxng,
    read_serper,
)
from judging.search.interface import Fault, Hit, Results, SearchFailed
from judging.search.results import blocks_of, snapshot_text

ENTRY = {"title": "Lake Brume", "url": "https://a.example/brume", "content": "212 metres deep."}


def found(*entries: Any, limit: int = 5, **more: Any) -> Results:
    """What is read of a reply of SearXNG."""
    return read_searxng(json.dumps({"results": list(entries), **more}).encode(), limit=limit)


def test_both_protocols_give_the_same_hits() -> None:
    hit = Hit("Lake Brume", "https://a.example/brume", "212 metres deep.", "2026-05-01")
    assert found({**ENTRY, "publishedDate": "2026-05-01"}).hits == (hit,)
    entry = {
        "title": hit.title,
        "link": hit.url,
        "snippet": hit.snippet,
        "date": "2026-05-01",
        "position": 1,
    }
    boxed = {"organic": [entry], "answerBox": {"answer": "400 metres"}, "credits": 1}
    assert read_serper(json.dumps(boxed).encode(), limit=5).hits == (hit,)


def test_of_an_address_the_first_hit_counts_and_no_more_are_read_than_asked_for() -> None:
    urls = [f"https://a.example/{n}" for n in range(30)]
    many = [{**ENTRY, "url": url} for url in (urls[0], *urls)]
    assert [hit.url for hit in found(*many, limit=3).hits] == urls[:3]
    assert len(found(*many, limit=99).hits) == MAX_HITS


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b"null", b"{}", b'{"results": {}}', b'{"results": "x"}', b"\xff\xfe\x00",
        b'{"results": [' + b"[" * 100_000, b'{"results": ' + b"9" * 10_000 + b"}",
    ],
)  # fmt: skip
def test_what_is_no_reply_has_no_result(body: bytes) -> None:
    for read in (read_searxng, read_serper):
        with pytest.raises(SearchFailed) as failed:
            read(body, limit=5)
        assert failed.value.fault is Fault.MALFORMED


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "file:///etc/passwd", "ftp://a.example/", "//a.example", "a.example", "", "http://",
        "https://user:pass@a.example/", "https://me@a.example/", "data:text/html,x", 7, None, ["https://a.example"],
        "https://a.example/" + "x" * MAX_URL, "https://a.example/" + "é" * 300, "https://[::1",
    ],
)  # fmt: skip
def test_what_is_no_address_of_the_web_is_no_hit(url: Any) -> None:
    assert found({**ENTRY, "url": url}).hits == ()


def test_entries_of_odd_types_are_left_out_or_empty() -> None:
    assert found(None, 7, "x", [], {}, {"title": "no address"}).hits == ()
    odd = {"title": ["x"], "url": "https://a.example", "content": {"a": 1}, "publishedDate": 2026}
    assert found(odd).hits == (Hit("", "https://a.example/", "", ""),)


def test_texts_are_bounded_and_stand_on_one_line() -> None:
    sly = "a\nURL: https://evil.example\r\n\x0b\x85\u2028\u2029b\x00\ud800\x1b[2J" + "x" * 50_000
    (hit,) = found({"title": sly, "url": "https://a.example/ b\n", "content": sly, "publishedDate": sly}).hits
    assert (len(hit.title), len(hit.snippet), len(hit.date)) == (MAX_TITLE, MAX_SNIPPET, MAX_DATE)
    assert hit.title.startswith("a URL: https://evil.example b\ufffd\ufffd [2J")
    assert hit.url == "https://a.example/%20b"
    for text in (hit.title, hit.snippet, hit.date):
        assert text.splitlines() == [text]
        text.encode()


def test_nothing_found_is_a_result_unless_no_engine_answered() -> None:
    assert found() == Results()
    assert found(ENTRY, unresponsive_engines=[["google", "timeout"]]).hits
    assert found(unresponsive_engines=[]) == Results()
    assert found(unresponsive_engines="google") == Results()
    with pytest.raises(SearchFailed, match="no_engine"):
        found(unresponsive_engines=[["google", "timeout"]])


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
SLY = st.text(alphabet=st.sampled_from("ab:\n\r\u2028\x00\ud800URLTitle")) | ANYTHING


@given(
    st.lists(
        st.fixed_dictionaries({"title": SLY, "url": SLY | st.just("http://a.b/"), "content": SLY}) | ANYTHING
    )
)
def test_whatever_a_provider_sends_its_hits_can_be_kept_and_taken_apart_again(entries: list[Any]) -> None:
    hits = found(*entries).hits
    text = snapshot_text(hits)
    assert "\x00" not in text
    text.encode()
    assert tuple(block.hit for block in blocks_of(text)) == hits
