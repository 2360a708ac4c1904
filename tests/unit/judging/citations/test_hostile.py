"""Answers made to hang or to crash their reader."""

import time

import pytest

from judging.citations import blocks, cited_urls

SIZE = 280_000


def _filled(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece))


HOSTILE = {
    "one word": _filled("a"),
    "one URL": "https://" + _filled("a"),
    "schemes": _filled("https://"),
    "schemes in words": _filled("http://(" * 200 + " "),
    "dots after a URL": _filled("https://x.org/" + "." * 2000 + "x "),
    "notes after a URL": _filled("https://x.org/" + "[1]" * 600 + " "),
    "names": _filled("a." * 1000 + " "),
    "broken destinations": _filled("](https:// "),
    "brackets in broken destinations": _filled("](https://" + "(" * 100),
    "100,000 brackets": "[" * 100_000,
    "brackets opened for links": _filled("[x]("),
    "image brackets": _filled("!["),
    "images in links": _filled("![[]("),
    "brackets eight deep": _filled("[" * 8 + "]" * 8),
    "labels": _filled("[a]"),
    "label ranges": _filled("[1-50]"),
    "labels with URLs": _filled("[1] https://x.org/a "),
    "definitions": "".join(f"[a{n}]: https://x.org/{n}\n" for n in range(SIZE // 24)),
    "stars": _filled("*a_"),
    "emphasis in a URL": "https://x.org/" + _filled("_a_ *b*"),
    "backticks": _filled("`a"),
    "tags": _filled("<a href='"),
    "comments": "<div>\n" + _filled("<!--"),
    "scripts": "<div>\n" + _filled("<script"),
    "entities": _filled("&amp;"),
    "quotes inside quotes": _filled("> "),
    "lists inside lists": _filled("- "),
    "wide table": _filled("|a", 60_000) + "\n" + _filled("|-", 60_000) + "\n" + _filled("|x\n", 60_000),
    "long table": "a|b\n-|-\n" + _filled("x|y\n", 60_000),
    "headings of sources": "# " + _filled("sources "),
    "full stops": _filled("."),
    "spaced full stops": _filled(". "),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_answer_is_read_in_seconds(attack: str) -> None:
    # At most 3 s on an idle machine; read without care, the worst of these take minutes to hours.
    began = time.process_time()
    assert len(cited_urls(HOSTILE[attack])) <= 200
    assert time.process_time() - began < 30


@pytest.mark.parametrize("piece", ["> ", "- ", "1. ", "[", "![", "*a **b ", "<b>", "(", "- > 1. "])
def test_deep_nesting_exhausts_no_stack(piece: str) -> None:
    assert isinstance(blocks(piece * 5_000 + "https://x.org/a"), list)


def test_brackets_too_deep_to_parse_are_read_as_words() -> None:
    answer = "[" * 30 + "t](https://x.org/a) &amp; https://x.org/?b&amp;c"
    assert cited_urls(answer) == ["https://x.org/a", "https://x.org/?b&c"]
    assert blocks(answer)[0].text == "[" * 30 + "t](https://x.org/a) & https://x.org/?b&c"
