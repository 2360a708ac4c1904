"""What a body is, whatever it says it is."""

import pytest

from judging.pages.sniff import Kind, kind_of
from tests.unit.judging.pages.documents import pdf

BODIES = [
    (b"<!DOCTYPE html><p>a", "", Kind.HTML),
    (b"\xef\xbb\xbf\n  <!doctype HTML>", "", Kind.HTML),
    (b"<html lang=en>", "text/plain", Kind.HTML),
    (b"<!-- a --><p>", "application/octet-stream", Kind.HTML),
    (b"<TITLE>a</TITLE>", "application/pdf", Kind.HTML),
    (b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="x">', "", Kind.HTML),
    ("<html>".encode("utf-16"), "", Kind.HTML),
    (b"plain words", "text/html; charset=utf-8", Kind.HTML),
    (b"plain words", "application/xhtml+xml", Kind.HTML),
    (b"plain words", "", Kind.TEXT),
    (b"plain words", "application/pdf", Kind.TEXT),
    (b"plain words", "image/png", Kind.TEXT),
    (b'{"a": 1}', "application/json", Kind.TEXT),
    (b'<?xml version="1.0"?><rss><item>', "text/xml", Kind.TEXT),
    (b"a < b and <abbr>", "", Kind.TEXT),
    ("words".encode("utf-16"), "text/plain", Kind.TEXT),
    ("日本語".encode("shift_jis"), "text/plain", Kind.TEXT),
    (b"tab\tline\r\nform\x0cfeed \x1b[0m", "", Kind.TEXT),
    (b"", "", Kind.TEXT),
    (pdf(["a"]), "text/html", Kind.PDF),
    (b"\n" + pdf(["a"]), "", Kind.PDF),
    (b"\x00" * 500 + pdf(["a"]), "application/pdf", Kind.PDF),
    (b"\x00" * 500 + pdf(["a"]), "text/html", Kind.OTHER),
    (b"\x00" * 1024 + pdf(["a"]), "application/pdf", Kind.OTHER),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "text/html", Kind.OTHER),
    (b"PK\x03\x04\x14\x00", "text/html", Kind.OTHER),
    (b"\x1f\x8b\x08\x00", "", Kind.OTHER),
    (b"GIF89a\x01\x00", "", Kind.OTHER),
    (b"{\\rtf1 words}", "", Kind.OTHER),
    (b"%!PS-Adobe", "text/plain", Kind.OTHER),
    (b"<html>\x00", "text/html", Kind.OTHER),
]


@pytest.mark.parametrize(("body", "content_type", "kind"), BODIES)
def test_the_first_bytes_decide(body: bytes, content_type: str, kind: Kind) -> None:
    assert kind_of(body, content_type) is kind
