"""Patterns are matched as Python does, in linear time."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.patterns import find_pattern, matches, pattern_problem
from judging.regular import Regular, Unsupported
from tests.growth import assert_proportional


def by_python(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text)
    if match is None:
        return None
    return match[1] if match.re.groups and match[1] is not None else match[0]


ATOMS = st.sampled_from(
    ["a", "b", "1", ".", " ", r"\w", r"\d", r"\s", r"\S", "[ab]", "[^a]", "[a-c1]", r"\.", r"[\]\\]", r"\n"]
)
PLACES = st.sampled_from([r"\b", r"\B", "^", "$", r"\A", r"\Z"])


def _bigger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(parts, parts).map("".join),
        st.tuples(parts, parts).map("(?:{0[0]}|{0[1]})".format),
        parts.map("({})".format),
        parts.map("(?P<n>{})".format).filter(lambda p: p.count("?P<n>") == 1),
        parts.map("(?i:{})".format),
        st.tuples(PLACES, parts).map("".join),
    )


# What is repeated always reads something: repeats of nothing are where even matchers of one kind differ.
SOLID = st.recursive(ATOMS, _bigger, max_leaves=5).filter(lambda p: p.count("?P<n>") <= 1)
REPEATED = st.tuples(
    SOLID,
    st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{1,}", "{,2}", "*?", "+?", "??", "{1,2}?"]),
)
PATTERNS = st.lists(
    st.one_of(SOLID, REPEATED.map("(?:{0[0]}){0[1]}".format)), min_size=1, max_size=4
).map("".join).filter(lambda p: p.count("?P<n>") <= 1)  # fmt: skip
TEXTS = st.text(alphabet="abcA1 .\n]\\", max_size=14)


@settings(max_examples=600, deadline=None)
@given(PATTERNS, TEXTS)
def test_it_finds_what_python_finds(pattern: str, text: str) -> None:
    assert Regular(pattern).find(text) == by_python(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?i)price[:\s]+([\d.,]+)", "The PRICE: 12.5 €"), (r"(\d{1,3}(?:,\d{3})*)\s*€", "for 12,345 €"),
        (r"[A-Z]\w+(?: [A-Z]\w+)*", "by Ida Kelmer of Harn"), (r"awarded to ([A-Z]\w+ [A-Z]\w+)", "awarded to Patient Otter"),
        ("(?m)^b$", "a\nb\nc"), ("(?s)a.b", "a\nb"), ("(?im)^B", "a\nb"), ("a|b|c", "xc"), ("(a)|b", "b"), ("", "x"), ("x{2,}?", "xxxx"),
        ("a{", "a{"), ("a{x}", "a{x}"), (r"\$\d", "$5"), ("[]a]+", "]a"), ("[^]a]+", "]ab"), ("(?i:A)b", "ab"), ("€+", "5 €€"),
        (r"\d+\t", "1\t"), ("a$", "a\n"), ("(?m)a$", "a\nb"), (r"a\Z", "a\n"), ("日+", "今日日"),
    ],
)  # fmt: skip
def test_what_authors_write_works(pattern: str, text: str) -> None:
    assert pattern_problem(pattern) == ""
    assert matches(pattern, text) == (by_python(pattern, text) is not None)
    assert find_pattern(pattern, text) == by_python(pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1", "(?=a)b", "(?!a)b", "(?<=a)b", "a++", "a{1,2}+", "(?>a)", r"\u0041", r"\x41", r"(?P<n>a)(?P=n)", "(?x) a",
        "(a", "a)", "[a", "*a", "(?P<1>a)", "a**", "x" * 501, "(?:a{500}){500}", "(?:a{0,90}){0,90}", "(" * 60 + "a" + ")" * 60,
        r"\ca"[:2] + "Q", "(?:a{2000}b{2000})", "(?i", "(?i-s:a)",
    ],
)  # fmt: skip
def test_what_is_not_regular_or_too_large_finds_nothing(pattern: str) -> None:
    assert pattern_problem(pattern).startswith("it ")
    assert not matches(pattern, "a" * 50)
    assert find_pattern(pattern, "a" * 50) is None


def test_an_unsupported_pattern_says_so() -> None:
    with pytest.raises(Unsupported):
        Regular(r"(a)\1")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+$", ".*.*.*.*.*.*x", "(?:a?){50}a{50}$", r"(\w+\s?)*:"]
)
def test_no_text_makes_it_explode(pattern: str) -> None:
    assert_proportional(partial(find_pattern, pattern), lambda size: "a" * size + "!", 20, 10_000)


def test_a_text_that_is_too_long_to_be_searched_does_not_match() -> None:
    assert matches("a", "a" * 60_000)
    assert not matches("a", "a" * 60_001)
    assert not matches("(?:a?){500}b?", "a" * 10_000)
