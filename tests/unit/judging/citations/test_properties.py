"""What holds for every answer, however odd."""

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from judging.citations import blocks, cited_urls

_PIECES = st.sampled_from(
    [
        "https://x.org/a",
        "http://y.org/b_(c)",
        "www.z.org",
        "z.org/p",
        "&amp;",
        "&noteId=",
        "&copy;",
        "[t](",
        "](",
        ")",
        "(",
        "[",
        "]",
        "[1]",
        "[1]: ",
        "[^2]",
        "<",
        ">",
        '<a href="',
        '">',
        "</a>",
        "<!--",
        "-->",
        "<div>",
        "`",
        "```",
        "*",
        "**",
        "_",
        "~~",
        "!",
        "![",
        "\\",
        "\\_",
        '"',
        "'",
        ",",
        ";",
        ".",
        "…",
        "（",
        "）",
        "北京",
        "见",
        "\u200b",
        "\t",
        "%20",
        "#:~:text=",
        "- ",
        "1. ",
        "> ",
        "# ",
        "\n",
        "\n\n",
        "    ",
        " ",
        "\x00",
        "�",
        "\u202e",
        "::",
        "//",
        "?",
        "=",
        "&",
        "{",
        "}",
        "~",
        "---",
        "utm_source=x",
        "mailto:",
        "ftp://",
        "@",
        ":80",
        "|",
        "|-|-|",
    ]
)
_ANSWERS = st.lists(_PIECES | st.text(max_size=5), max_size=40).map("".join)


def _squashed(text: str) -> str:
    return re.sub(r"[\s\\\u200b\x00\ufffd]|%20", "", html.unescape(html.unescape(text)))


@given(_ANSWERS)
def test_no_url_is_invented(answer: str) -> None:
    written = _squashed(answer)
    for url in cited_urls(answer):
        # What stands in front is the scheme we add to "www.x.org" and "//x.org".
        assert any(
            _squashed(spelling) in written
            for spelling in (url, url.removeprefix("https:"), url.removeprefix("https://"))
        )


@given(_ANSWERS)
def test_every_url_of_a_block_is_cited_and_every_cited_url_is_http(answer: str) -> None:
    cited = cited_urls(answer)
    assert len(cited) == len(set(cited))
    assert {url for block in blocks(answer) for url in block.urls} <= set(cited)
    assert all(re.match(r"https?://\S+\Z", url, re.IGNORECASE) for url in cited)


_WORDS = st.sampled_from(
    [
        "text",
        "and",
        "**bold",
        "text**",
        "_it_",
        "https://x.org/a.",
        "(https://x.org/b_(c))",
        "[t](https://x.org/d)",
        "[two",
        "words](https://x.org/e)",
        "www.x.org,",
        "[1]",
        "[2],",
        "[3]",
        "x.org/f",
        "<https://x.org/g>",
        "`https://x.org/h`",
        "![i](https://x.org/i.png)",
        "https://x.org/j[4]",
        "北京。",
        "https://x.org/_k_/l",
        "[u](https://x.org/m#:~:text=a",
        "b)",
        "a\\_b",
        "&amp;",
    ]
)


@given(st.lists(_WORDS, min_size=1, max_size=25), st.data())
def test_rewrapping_a_paragraph_changes_no_citation(words: list[str], data: st.DataObject) -> None:
    sources = "\n\n[1]: https://s.org/1\n\n[2] Two, https://s.org/2"
    blanks = data.draw(st.lists(st.sampled_from([" ", "\n"]), min_size=len(words), max_size=len(words)))
    wrapped = "Text" + "".join(blank + word for blank, word in zip(blanks, words, strict=True)) + sources
    straight = " ".join(["Text", *words]) + sources
    assert cited_urls(wrapped) == cited_urls(straight)
    assert [block.urls for block in blocks(wrapped)] == [block.urls for block in blocks(straight)]


@given(_ANSWERS)
def test_the_limit_cuts_the_list_and_nothing_else(answer: str) -> None:
    assert cited_urls(answer, limit=2) == cited_urls(answer)[:2]
