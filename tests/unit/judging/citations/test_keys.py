"""Two spellings of one page have one key; two pages never do."""

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judging.citations import MalformedUrl, host_of, url_key

SAME_PAGE = [
    ("https://x.org", "https://x.org/"),
    ("HTTPS://X.ORG/a", "https://x.org/a"),
    ("https://x.org:443/a", "https://x.org/a"),
    ("http://x.org:80/a", "http://x.org/a"),
    ("https://x.org./a", "https://x.org/a"),
    ("  https://x.org/a ", "https://x.org/a"),
    ("https://x.org/a/../b/./c", "https://x.org/b/c"),
    ("https://x.org/a b", "https://x.org/a%20b"),
    ("https://x.org/%7Eme/%61", "https://x.org/~me/a"),
    ("https://x.org/%e5%8c%97", "https://x.org/%E5%8C%97"),
    (
        "https://zh.x.org/wiki/北京_(消歧义)",
        "https://zh.x.org/wiki/%E5%8C%97%E4%BA%AC_(%E6%B6%88%E6%AD%A7%E4%B9%89)",
    ),
    ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
    ("https://x.org/a?utm_source=chatgpt.com", "https://x.org/a"),
    ("https://x.org/a?b=1&UTM_Medium=y&fbclid=2&c=3&gclid", "https://x.org/a?b=1&c=3"),
    ("https://x.org/a?%75tm_source=z", "https://x.org/a"),
    ("https://x.org/a#section-2", "https://x.org/a"),
    ("https://x.org/a#:~:text=some words", "https://x.org/a"),
    ("https://x.org/#/route:~:text=words", "https://x.org/#/route"),
    ("https://x.org/a?", "https://x.org/a"),
]

OTHER_PAGE = [
    ("http://x.org/a", "https://x.org/a"),
    ("https://www.x.org/a", "https://x.org/a"),
    ("https://x.org/A", "https://x.org/a"),
    ("https://x.org/a", "https://x.org/a/"),
    ("https://x.org/a", "https://x.org/a.html"),
    ("https://x.org/a%26b", "https://x.org/a&b"),
    ("https://x.org/a%2Fb", "https://x.org/a/b"),
    ("https://x.org/?q=a%26b=c", "https://x.org/?q=a&b=c"),
    ("https://x.org/?q=a%2Bb", "https://x.org/?q=a+b"),
    ("https://x.org/?q=a+b", "https://x.org/?q=a%20b"),
    ("https://x.org/?a=1&b=2", "https://x.org/?b=2&a=1"),
    ("https://x.org/?a=1&a=2", "https://x.org/?a=2"),
    ("https://x.org/?a=", "https://x.org/?a"),
    ("https://x.org/?a=1&&b=2", "https://x.org/?a=1&b=2"),
    ("https://x.org/?id=utm_source", "https://x.org/"),
    ("https://x.org/?my_utm_source=1", "https://x.org/"),
    ("https://x.org/?ref=1", "https://x.org/"),
    ("https://x.org/#/a", "https://x.org/#/b"),
    ("https://x.org/#!a", "https://x.org/#!b"),
    ("https://x.org/#/a", "https://x.org/"),
    ("https://x.org:8443/a", "https://x.org/a"),
    ("https://user@x.org/a", "https://x.org/a"),
    ("https://x.org/%2541", "https://x.org/%41"),
    ("https://x.org/%4%31", "https://x.org/%41"),
    ("https://x.org//a", "https://x.org/a"),
]

MALFORMED = [
    "",
    "x.org/a",
    "https://",
    "https://.",
    "https:///",
    "ftp://x.org/a",
    "mailto:a@x.org",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://x .org/",
    "https://x.org:99999/",
    "https://[::1/",
    "https://x.org\\a",
    "https:\\\\x.org/a",
    "https://x.org/a\tb",
    "https://x.org/a\nb",
    "https://x.org/\x00",
    "https://x.org/\x7f",
    "https://x.org/\ud800",
    "https://x.org/" + "a" * 4096,
]


@pytest.mark.parametrize(("one", "other"), SAME_PAGE)
def test_two_spellings_of_a_page_share_a_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(("one", "other"), OTHER_PAGE)
def test_two_pages_never_share_a_key(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize("url", MALFORMED)
def test_what_no_client_would_request_has_no_key(url: str) -> None:
    with pytest.raises(MalformedUrl):
        url_key(url)


def test_a_url_of_4096_characters_has_a_key() -> None:
    url = "https://x.org/" + "a" * (4096 - len("https://x.org/"))
    assert url_key(url) == url


_TAIL = st.text(string.ascii_letters + string.digits + "/?#&=%.!~:+_-;北 '()[]|^{}\"<>`@", max_size=40)


@given(_TAIL)
@example("/%4%31")
@example("/%2541")
@example("?%75tm_x=1&utm_y=%4&a")
@example("?utm_a&&")
@example("#/a:~:b:~:c")
@example("/..%2e/%2E%2e/a")
def test_a_key_is_its_own_key(tail: str) -> None:
    try:
        key = url_key(f"https://x.org{tail}")
    except MalformedUrl:
        return
    assert url_key(key) == key


@given(st.text(string.ascii_letters + string.digits, min_size=1, max_size=12))
def test_the_case_of_a_path_is_part_of_its_key(name: str) -> None:
    changed = name.swapcase()
    assert (url_key(f"https://x.org/{name}") == url_key(f"https://x.org/{changed}")) == (name == changed)


# Without the apostrophe: clients escape it in a query themselves, so both spellings are one request.
@given(st.sampled_from(":/?#[]@!$&()*+,;="), st.sampled_from(["/a{}b", "/?q=a{}b"]))
def test_an_escaped_reserved_character_is_another_page(character: str, shape: str) -> None:
    escaped = f"%{ord(character):02X}"
    assert url_key("https://x.org" + shape.format(escaped)) != url_key(
        "https://x.org" + shape.format(character)
    )


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (" HTTPS://WWW.X.org./a ", "www.x.org"),
        ("https://a[b@www.institute-of-ice.example/x", "www.institute-of-ice.example"),
        ("https://a℀b@x.org/", "x.org"),
        ("https://bücher.example:8080/", "xn--bcher-kva.example"),
        ("http://[::1]:80/", "[::1]"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("https://x℀y.org/", ""),
        ("https://[::1/", ""),
        ("https://x.org\\a", ""),
        ("https://\ud800.org/", ""),
        ("ftp://x.org/", ""),
        ("x.org", ""),
        ("https://", ""),
        ("", ""),
    ],
)
def test_the_host_is_the_one_a_browser_asks(url: str, host: str) -> None:
    assert host_of(url) == host


@given(st.text(max_size=40))
def test_every_text_has_a_host_or_none(tail: str) -> None:
    assert isinstance(host_of(f"https://{tail}"), str)
    assert isinstance(host_of(tail), str)
