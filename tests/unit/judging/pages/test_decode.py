"""Bytes to text, in the order browsers look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.pages.decode import decoded

CHINESE = "北京大学是中国的一所大学，位于北京市海淀区，创办于一八九八年。这是一段用来测试编码识别的中文文字。"

CASES = {
    "header": ("é".encode("latin-1"), "text/html; charset=iso-8859-1", "é"),
    "header in quotes": ("é".encode("cp1251", "replace") or b"", 'text/html; charset="utf-8"', "?"),
    "header in another case": ("я".encode("cp1251"), "text/html; Charset=Windows-1251", "я"),
    "header before meta": ("<meta charset=gbk>é".encode(), "text/html; charset=utf-8", "<meta charset=gbk>é"),
    "unknown header, then meta": (
        "<meta charset=cp1251>я".encode("cp1251"),
        "text/html; charset=x",
        "<meta charset=cp1251>я",
    ),
    "mark before header": (b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=iso-8859-1", "é"),
    "UTF-16 mark": ("é".encode("utf-16"), "", "é"),
    "UTF-16 BE mark": (b"\xfe\xff\x00\xe9", "", "é"),
    "meta": ("<meta charset='gb2312'>北".encode("gbk"), "text/html", "<meta charset='gb2312'>北"),
    "meta http-equiv": (
        '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">日'.encode("shift_jis"),
        "",
        '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">日',
    ),
    "XML declaration": (
        '<?xml version="1.0" encoding="iso-8859-1"?>é'.encode("latin-1"),
        "",
        '<?xml version="1.0" encoding="iso-8859-1"?>é',
    ),
    "meta that claims UTF-16": ("<meta charset=utf-16>é".encode(), "", "<meta charset=utf-16>é"),
    "meta of no encoding": (
        "<meta charset=unicode_escape>\\u0041é".encode(),
        "",
        "<meta charset=unicode_escape>\\u0041é",
    ),
    "late meta": (
        b"<!--" + b"x" * 1030 + "--><meta charset=latin1>é".encode(),
        "",
        "<!--" + "x" * 1030 + "--><meta charset=latin1>é",
    ),
    "UTF-8": (CHINESE.encode(), "", CHINESE),
    "a guess": (CHINESE.encode("gb18030"), "", CHINESE),
    "GB 18030 under its older name": ("€㐀".encode("gb18030"), "text/plain; charset=gb2312", "€㐀"),
    "Japanese vendor characters": ("①㈱".encode("cp932"), "text/plain; charset=shift_jis", "①㈱"),
    "broken UTF-8 that is declared": (b"a\xffb", "text/html; charset=utf-8", "a\ufffdb"),
    "NUL": (b"a\x00b", "text/html; charset=utf-8", "a\ufffdb"),
    "half a UTF-16 pair": (b"\xff\xfe\x00\xd8a\x00", "", "\ufffda"),
    "empty": (b"", "", ""),
}
del CASES["header in quotes"]


@pytest.mark.parametrize("case", CASES)
def test_a_body_is_read_as_a_browser_would(case: str) -> None:
    body, content_type, text = CASES[case]
    assert decoded(body, content_type, has_markup=True) == text


def test_a_header_in_quotes_counts() -> None:
    assert decoded("é".encode(), 'text/html; charset="utf-8"', has_markup=True) == "é"


def test_plain_text_has_no_meta() -> None:
    body = "<meta charset=gbk>é".encode()
    assert decoded(body, "text/plain", has_markup=False) == "<meta charset=gbk>é"


def test_what_nothing_explains_is_still_text() -> None:
    assert decoded(b"\x81\x8d\xff\xfe\xfd\x90", "", has_markup=False) != ""


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html; charset=gbk", "charset=utf-7", "charset=utf-16"]),
)
def test_any_bytes_become_text_every_database_stores(body: bytes, content_type: str) -> None:
    text = decoded(body, content_type, has_markup=True)
    assert "\x00" not in text
    text.encode("utf-8")
