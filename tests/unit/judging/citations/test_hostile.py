"""Answers made to hang or to crash their reader."""

from functools import partial

import pytest

from judging.citations import blocks, cited_urls
from judging.citations.budget import MAX_STRUCTURE, divided, paragraphs
from tests.growth import assert_cost

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


PLAIN = "The lake is 40 m deep and very cold in winter.\n"


@pytest.mark.costs
@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_answer_costs_little_more_than_words(attack: str) -> None:
    # At most 7 times as much; read without care, the worst of these take minutes to hours.
    assert_cost(partial(cited_urls, HOSTILE[attack]), at_most=40, of=partial(cited_urls, _filled(PLAIN)))
    assert len(cited_urls(HOSTILE[attack])) <= 200


@pytest.mark.parametrize("piece", ["> ", "- ", "1. ", "[", "![", "*a **b ", "<b>", "(", "- > 1. "])
def test_deep_nesting_exhausts_no_stack(piece: str) -> None:
    assert isinstance(blocks(piece * 5_000 + "https://x.org/a"), list)


def test_brackets_too_deep_to_parse_are_read_as_words() -> None:
    answer = "[" * 30 + "t](https://x.org/a) &amp; https://x.org/?b&amp;c"
    assert cited_urls(answer) == ["https://x.org/a", "https://x.org/?b&c"]
    assert blocks(answer)[0].text == "[" * 30 + "t](https://x.org/a) & https://x.org/?b&c"


MEGABYTE = 1_000_000
SHORT = {
    "items": "- x\n",
    "named items": "- Name: x\n",
    "numbered items": "1. a\n",
    "items within items": "- - - a\n",
    "indented items": "- a\n  - b\n    - c\n",
    "headings": "# a\n",
    "underlined headings": "a\n=\n",
    "quotes": "> a\n",
    "quotes apart": "> a\n\n",
    "quoted items": "> - a\n",
    "fences": "```\na\n",
    "rules": "***\n",
    "paragraphs": "a\n\n",
    "lines": "a\n",
    "carriage returns": "- a\r",
    "stars": "*a_",
    "underscores": "_a ",
    "strikes": "~~a ",
    "backticks": "`a",
    "links": "[a](b) ",
    "tags": "<b>",
}


@pytest.mark.costs
@pytest.mark.parametrize("piece", [*SHORT.values(), "table"], ids=[*SHORT, "rows"])
def test_structure_costs_little_more_than_words(piece: str) -> None:
    text = "a|b\n-|-\n" + _filled("x|y\n", MEGABYTE) if piece == "table" else _filled(piece, MEGABYTE)
    words = _filled(PLAIN, MEGABYTE)
    assert_cost(partial(cited_urls, text), at_most=20, of=partial(cited_urls, words))


def test_addresses_are_found_beyond_the_structure_that_is_read() -> None:
    long = _filled("- x\n", 4 * MAX_STRUCTURE)
    answer = (
        f"{long}- [a](https://x.org/a_(b)) and **https://x.org/c**\n- see [2], `https://x.org/d`\n\n"
        "## Sources\n\n[2]: https://x.org/e\n"
    )
    found = cited_urls(answer)
    assert found == ["https://x.org/a_(b)", "https://x.org/c", "https://x.org/e", "https://x.org/d"]
    assert blocks(answer)[-1].urls == tuple(found)


def test_marks_beyond_the_budget_are_words() -> None:
    answer = _filled("*a* ", 60_000) + "\n\n**[a](https://x.org/a)** &amp; https://x.org/?b&amp;c"
    assert cited_urls(answer) == ["https://x.org/a", "https://x.org/?b&c"]
    assert blocks(answer)[-1].text == "**[a](https://x.org/a)** & https://x.org/?b&c"


@pytest.mark.parametrize(
    "line", ["- x\n", "x|y|z\n", "> - 1. x\r\n", "x\r", "          - x\n", "\n", "- " * 99]
)
def test_an_answer_is_divided_between_lines_and_nothing_is_lost(line: str) -> None:
    answer = line * (MAX_STRUCTURE + 1)
    head, rest = divided(answer)
    assert head + rest == answer
    assert len(head) % len(line) == 0
    assert rest
    assert divided(line * 50) == (line * 50, "")
    assert "".join("".join(paragraphs(rest)).split()) == "".join(rest.split())


def test_words_are_cut_at_blank_lines_else_at_line_ends_else_not() -> None:
    assert [len(p) for p in paragraphs("a" * 3_000 + "\n\n" + "b\n" * 1_000)] == [3_000, 1_999]
    assert [len(p) for p in paragraphs("a" * 3_000 + "\n" + "b" * 3_000)] == [3_000, 3_000]
    assert [len(p) for p in paragraphs("a" * 9_000 + "\nb")] == [9_000, 1]
    assert [len(p) for p in paragraphs("a" * 9_000)] == [9_000]
    assert list(paragraphs(" \n \n")) == []
