"""Text is stored alike on every database, however it came."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.bundle import UndecodableText, clean_text
from submissions.bundle.text import raw_if_different

ANY_TEXT = st.text(alphabet=st.characters(codec=None))


@pytest.mark.parametrize(
    ("source", "text", "flags"),
    [
        (b"plain", "plain", ()),
        ("plain", "plain", ()),
        (b"", "", ()),
        (codecs.BOM_UTF8 + b"marked", "marked", ()),
        ("\ufeffmarked", "marked", ()),
        ("à 😀".encode("utf-16"), "à 😀", ()),
        (codecs.BOM_UTF16_BE + "à".encode("utf-16-be"), "à", ()),
        ("à".encode("utf-32"), "à", ()),
        (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n", ()),
        ("a\0b", "a\ufffdb", ("nul",)),
        (b"\0\0\0\0", "\ufffd" * 4, ("nul",)),
        (b"a\0b", "a\ufffdb", ("nul",)),
        ("a\ud800b", "a\ufffdb", ("surrogate",)),
        (b"a\xed\xa0\x80b", "a\ufffdb", ("surrogate",)),
        ("\0\ud800", "\ufffd\ufffd", ("nul", "surrogate")),
        (" \n\t", "", ("blank",)),
        ("مرحبا 你好 👩‍👧", "مرحبا 你好 👩‍👧", ()),
        ("\u202eevil", "\u202eevil", ()),
    ],
)
def test_text_comes_out_clean(source: bytes | str, text: str, flags: tuple[str, ...]) -> None:
    clean = clean_text(source)
    assert (clean.text, clean.flags) == (text, flags)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"caf\xe9", "byte 3"),
        (codecs.BOM_UTF8 + b"\xff", "byte 3"),
        (codecs.BOM_UTF16_LE + b"a", "byte 2"),
        ("plain english".encode("utf-16-le"), "byte order mark"),
        ("plain english".encode("utf-16-be"), "byte order mark"),
    ],
)
def test_bytes_in_another_encoding_are_refused(source: bytes, says: str) -> None:
    with pytest.raises(UndecodableText, match=says):
        clean_text(source)


@given(ANY_TEXT)
def test_whatever_comes_in_can_be_stored_and_is_stable(source: str) -> None:
    clean = clean_text(source)
    clean.text.encode()  # no lone surrogate is left
    assert "\0" not in clean.text
    assert "\r" not in clean.text
    again = clean_text(clean.text)
    assert again.text == clean.text
    assert again.flags == ()


@given(st.text())
def test_raw_bytes_are_kept_only_if_they_differ(source: str) -> None:
    text = clean_text(source).text
    raw = raw_if_different(source, text)
    assert (raw is None) == (source == text)
    if raw is not None:
        assert raw.decode() == source
