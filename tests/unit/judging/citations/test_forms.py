"""Every way an answer can hold a URL, with the exact list that must come out."""

import pytest

from judging.citations import MAX_CITED_URLS, cited_urls

FORMS: dict[str, tuple[str, list[str]]] = {
    # links
    "link": ("[a](https://x.org/a)", ["https://x.org/a"]),
    "link with title": ('[a](https://x.org/a "T")', ["https://x.org/a"]),
    "link whose text is its URL": ("[https://x.org/a](https://x.org/a)", ["https://x.org/a"]),
    "link whose text is another URL": ("[https://short.org](https://x.org/long)", ["https://x.org/long"]),
    "link with brackets in the path": ("[a](https://en.x.org/wiki/A_(b))", ["https://en.x.org/wiki/A_(b)"]),
    "link in angle brackets": ("[a](<https://x.org/a b>)", ["https://x.org/a%20b"]),
    "link with raw spaces": ("[a](https://x.org/a b.pdf) then", ["https://x.org/a%20b.pdf"]),
    "link with raw spaces and title": ('[a](https://x.org/a b "T u") then', ["https://x.org/a%20b"]),
    "link with a text fragment": (
        "[a](https://x.org/a#:~:text=two words, (three) four) then",
        ["https://x.org/a#:~:text=two%20words,%20(three)%20four"],
    ),
    "two links with raw spaces": (
        "[a](https://x.org/a b), [c](https://y.org/c d)",
        ["https://x.org/a%20b", "https://y.org/c%20d"],
    ),
    "link that never closes": ("[a](https://x.org/a and more (so) ends", ["https://x.org/a"]),
    "link in a link's query": ("[a](https://x.org/?u=https://y.org/b)", ["https://x.org/?u=https://y.org/b"]),
    "link in a link's destination": ("[a]([b](https://x.org/b))", ["https://x.org/b"]),
    "link without scheme": ("[a](www.x.org/a) [b](x.org)", ["https://www.x.org/a", "https://x.org"]),
    "link relative to a scheme": ("[a](//x.org/a)", ["https://x.org/a"]),
    "link to nowhere, URL as text": (
        "[https://x.org/a]() [www.y.org](#top)",
        ["https://x.org/a", "https://www.y.org"],
    ),
    "link to other schemes": ("[a](mailto:a@x.org) [b](ftp://x.org/b) [c](javascript:alert(1)) [d](/e)", []),
    "link to a file": ("[readme](README.md) [page](index.html)", []),
    "link around emphasis": ("[**a** *b*](https://x.org/a)", ["https://x.org/a"]),
    "link with an escaped character": (r"[a](https://x.org/a\_b\))", ["https://x.org/a_b)"]),
    "link over 4,096 characters": (f"[a](https://x.org/{'a' * 4096})", []),
    "text and destination swapped": ("(a)[https://x.org/a]", ["https://x.org/a"]),
    "blank between text and destination": ("[a] (https://x.org/a)", ["https://x.org/a"]),
    # images
    "image": ("![a](https://x.org/a.png)", []),
    "image whose text is a URL": ("![https://x.org](https://x.org/a.png)", []),
    "image in a link": ("[![a](https://x.org/a.png)](https://x.org/page)", ["https://x.org/page"]),
    "image by reference": ("![a][i] text\n\n[i]: https://x.org/defined", ["https://x.org/defined"]),
    # references
    "reference": ("a [1]\n\n[1]: https://x.org/a", ["https://x.org/a"]),
    "full reference": ("[text][r]\n\n[r]: <https://x.org/a> 'T'", ["https://x.org/a"]),
    "references side by side": (
        "a [1][2]\n\n[1]: https://x.org/1\n[2]: https://x.org/2",
        ["https://x.org/1", "https://x.org/2"],
    ),
    "reference used with a text of its own": ("[A][a]\n\n[A]: https://x.org/a", ["https://x.org/a"]),
    "order of first use": (
        "[2] [1]\n\n[1]: https://x.org/1\n[2]: https://x.org/2",
        ["https://x.org/2", "https://x.org/1"],
    ),
    "unused definition": ("a\n\n[1]: https://x.org/a", ["https://x.org/a"]),
    "label defined twice": (
        "[1]\n\n[1]: https://x.org/a\n[1]: https://x.org/b",
        ["https://x.org/a", "https://x.org/b"],
    ),
    "definition with trailing words": ("[1]: https://x.org/a - A title", ["https://x.org/a"]),
    "definition of no address": ("[1]: /relative\n\n[text][1]", []),
    "side by side with one of no address": (
        "[1][2]\n\n[1]: /relative\n[2]: https://x.org/b",
        ["https://x.org/b"],
    ),
    "footnote": ("a[^1]\n\n[^1]: https://x.org/a", ["https://x.org/a"]),
    "footnote with words": ("a[^n]\n\n[^n]: Smith, “T”, https://x.org/a.", ["https://x.org/a"]),
    "dangling labels": ("a [7], b[^2], c [x], d 【3†source】", []),
    # bare and automatic
    "autolink": ("<https://x.org/a>", ["https://x.org/a"]),
    "autolink with a character reference": ("<https://x.org/?a=1&amp;b=2>", ["https://x.org/?a=1&b=2"]),
    "bare": ("see https://x.org/a for", ["https://x.org/a"]),
    "capital scheme": ("HTTPS://X.org/A", ["HTTPS://X.org/A"]),
    "bare with full stop": ("see https://x.org/a.", ["https://x.org/a"]),
    "bare with other marks": (
        "https://x.org/1, https://x.org/2; https://x.org/3: https://x.org/4! https://x.org/5? https://x.org/6…",
        [f"https://x.org/{n}" for n in range(1, 7)],
    ),
    "bare in brackets": (
        "(https://x.org/a) [https://x.org/b] {https://x.org/c}",
        ["https://x.org/a", "https://x.org/b", "https://x.org/c"],
    ),
    "bare with brackets inside brackets": ("(see https://x.org/a_(b).)", ["https://x.org/a_(b)"]),
    "bare followed by a bracket": ("https://x.org/a(which never closes", ["https://x.org/a"]),
    "bare with brackets in the query": ("https://x.org/?f[a]=1&g[1]=2", ["https://x.org/?f[a]=1&g[1]=2"]),
    "bare followed by a note": (
        "https://x.org/a[1]. https://x.org/b[^2], text",
        ["https://x.org/a", "https://x.org/b"],
    ),
    "bare with dots inside": ("https://x.org/a..b/v1.2", ["https://x.org/a..b/v1.2"]),
    "bare with commas inside": ("https://x.org/a,b;c", ["https://x.org/a,b;c"]),
    "bare with tilde and apostrophe": ("https://x.org/~a/b's", ["https://x.org/~a/b's"]),
    "bare with a link in the query": (
        "https://x.org/?u=https://y.org/b&c=d",
        ["https://x.org/?u=https://y.org/b&c=d"],
    ),
    "archived page": (
        "https://web.x.org/web/2020/https://y.org/b",
        ["https://web.x.org/web/2020/https://y.org/b"],
    ),
    "bare with port and address": (
        "http://192.0.2.1:8080/a http://[2001:db8::1]/b",
        ["http://192.0.2.1:8080/a", "http://[2001:db8::1]/b"],
    ),
    "userinfo": ("https://user:pw@x.org/a", ["https://user:pw@x.org/a"]),
    "scheme without host": ("https:// http://) https://... https:///a", []),
    "other schemes": ("ftp://x.org/a file:///etc/passwd", []),
    # emphasis
    "bold": ("**https://x.org/a**", ["https://x.org/a"]),
    "italic": ("_https://x.org/a_ *https://x.org/b*.", ["https://x.org/a", "https://x.org/b"]),
    "struck out": ("~~https://x.org/a~~ https://x.org/b~~", ["https://x.org/a", "https://x.org/b"]),
    "underscores in the path": (
        "https://x.org/__init__.py and https://x.org/_a_/b_",
        ["https://x.org/__init__.py", "https://x.org/_a_/b_"],
    ),
    "stars in the path": ("https://x.org/*a*/b", ["https://x.org/*a*/b"]),
    "bold beside": ("**Source:**https://x.org/a", ["https://x.org/a"]),
    "escaped underscore": (r"https://x.org/a\_b", ["https://x.org/a_b"]),
    # names without scheme
    "www": ("www.x.org/a_(b), www.y.org.", ["https://www.x.org/a_(b)", "https://www.y.org"]),
    "name with path": ("x.org/a and en.y.co.uk/b?c=d.", ["https://x.org/a", "https://en.y.co.uk/b?c=d"]),
    "names in a list": ("www.x.org,www.y.org", ["https://www.x.org", "https://www.y.org"]),
    "names that are no addresses": (
        "node.js, gol.gg, e.g./i.e., U.S./UK, v1.2/3, src/main.py/x, a.zip/b, www., www.x",
        [],
    ),
    "mail addresses": ("me@www.x.org, me@x.org/a", []),
    # joined, quoted, coded
    "joined by comma": ("a,https://x.org/1,https://x.org/2", ["https://x.org/1", "https://x.org/2"]),
    "joined by semicolon and bar": (
        "https://x.org/1;https://x.org/2|https://x.org/3",
        [f"https://x.org/{n}" for n in (1, 2, 3)],
    ),
    "JSON": ('`{"u":"https://x.org/1","v":["https://x.org/2"]}`', ["https://x.org/1", "https://x.org/2"]),
    "Python": ("{'u':'https://x.org/1','v':['https://x.org/2']}", ["https://x.org/1", "https://x.org/2"]),
    "code span": ("`https://x.org/a`", ["https://x.org/a"]),
    "code span with markup": (
        "`[a](https://x.org/a)` `**https://x.org/b_c**`",
        ["https://x.org/a", "https://x.org/b_c"],
    ),
    "fence": ("```\nhttps://x.org/a\n```", ["https://x.org/a"]),
    "fence of XML": ("```\n<loc>https://x.org/?a=1&amp;b=2</loc>\n```", ["https://x.org/?a=1&b=2"]),
    "indented code": ("    https://x.org/a", ["https://x.org/a"]),
    "label in code": ("`a[1]` b\n\n[1]: https://x.org/a", ["https://x.org/a"]),
    # character references
    "&amp; in text": ("https://x.org/?a=1&amp;b=2", ["https://x.org/?a=1&b=2"]),
    "&amp; in a link": ("[a](https://x.org/?a=1&amp;b=2)", ["https://x.org/?a=1&b=2"]),
    "&noteId in text": ("https://x.org/?a=1&noteId=2&copy=3", ["https://x.org/?a=1&noteId=2&copy=3"]),
    "&noteId in a link": ("[a](https://x.org/?a=1&noteId=2)", ["https://x.org/?a=1&noteId=2"]),
    # other scripts
    "full-width brackets": (
        "（https://x.org/a）【https://x.org/b】「https://x.org/c」",
        [f"https://x.org/{c}" for c in "abc"],
    ),
    "full-width marks": (
        "见https://x.org/a，又见：https://x.org/b。",
        ["https://x.org/a", "https://x.org/b"],
    ),
    "IRI": ("https://zh.x.org/wiki/北京_(消歧义)", ["https://zh.x.org/wiki/北京_(消歧义)"]),
    "IRI in a link": ("[a](https://zh.x.org/wiki/北京（城市）)", ["https://zh.x.org/wiki/北京（城市）"]),
    "IRI host": ("https://例え.jp/ページ", ["https://例え.jp/ページ"]),
    "IRI beside the next": ("https://x.org/北京https://y.org/b", ["https://x.org/北京", "https://y.org/b"]),
    "typographic quotes and dash": (
        "“https://x.org/a” https://x.org/b—which",
        ["https://x.org/a", "https://x.org/b"],
    ),
    "right to left": ("راجع https://x.org/صفحة، ثم", ["https://x.org/صفحة"]),
    "hidden characters": (
        "https://x.org/a\u200bb \u202ehttps://x.org/c\u202c",
        ["https://x.org/a", "https://x.org/c"],
    ),
    # blocks
    "table cells": (
        "|a|b|\n|-|-|\n|[x](https://x.org/1)|https://x.org/2|",
        ["https://x.org/1", "https://x.org/2"],
    ),
    "table without header": ("| https://x.org/1 | https://x.org/2|", ["https://x.org/1", "https://x.org/2"]),
    "heading": ("# https://x.org/a", ["https://x.org/a"]),
    "quote in a list": ("- > https://x.org/a", ["https://x.org/a"]),
    "twenty-four quotes deep": ("> " * 24 + "https://x.org/a", ["https://x.org/a"]),
    # HTML
    "HTML link": ('<a href="https://x.org/?a=1&noteId=2&amp;c=3">t</a>', ["https://x.org/?a=1&noteId=2&c=3"]),
    "HTML link in other quotes": (
        "t <a class=k href='https://x.org/1'>t</a> <A HREF=https://x.org/2>t</A>",
        ["https://x.org/1", "https://x.org/2"],
    ),
    "HTML link's shortened text": (
        't <a href="https://x.org/long">https://x.org/lo…</a> https://x.org/b',
        ["https://x.org/long", "https://x.org/b"],
    ),
    "HTML link that never closes": (
        't <a href="https://x.org/a"> https://x.org/b',
        ["https://x.org/a", "https://x.org/b"],
    ),
    "HTML anchor without address": (
        't <a name="n">https://x.org/a</a> <a href="#n">https://x.org/b</a>',
        ["https://x.org/a", "https://x.org/b"],
    ),
    "HTML image": ('t <img src="https://x.org/a.png">', []),
    "HTML comment": ("t <!-- https://x.org/a -->\n\n<!-- https://x.org/b -->", []),
    "HTML block": (
        "<div>\n<a href='https://x.org/1'>t</a> https://x.org/2 <img src=https://x.org/3>\n"
        "<script>https://x.org/4</script><!-- https://x.org/5 --> 1 < 2 https://x.org/6?a&amp;b</div>",
        ["https://x.org/1", "https://x.org/2", "https://x.org/6?a&b"],
    ),
    "HTML block, comment never closed": (
        "<div>https://x.org/1 <!-- https://x.org/2\nhttps://x.org/3",
        ["https://x.org/1"],
    ),
    "HTML block, script never closed": (
        "<div>https://x.org/1 <script>\nhttps://x.org/3",
        ["https://x.org/1"],
    ),
    "HTML line break": ("https://x.org/a<br>https://x.org/b", ["https://x.org/a", "https://x.org/b"]),
    # nothing
    "empty": ("", []),
    "no URL": ("Nothing is cited here.", []),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_gives_exactly_its_urls(form: str) -> None:
    markdown, expected = FORMS[form]
    assert cited_urls(markdown) == expected


def test_a_url_cited_twice_is_listed_once_where_it_came_first() -> None:
    assert cited_urls("https://x.org/b https://x.org/a [t](https://x.org/b)") == [
        "https://x.org/b",
        "https://x.org/a",
    ]


def test_urls_that_differ_in_case_are_two_citations() -> None:
    assert cited_urls("https://x.org/A https://x.org/a") == ["https://x.org/A", "https://x.org/a"]


def test_no_more_urls_than_the_limit_are_given() -> None:
    answer = " ".join(f"https://x.org/{n}" for n in range(MAX_CITED_URLS + 5))
    assert cited_urls(answer) == [f"https://x.org/{n}" for n in range(MAX_CITED_URLS)]
    assert cited_urls(answer, limit=2) == ["https://x.org/0", "https://x.org/1"]


def test_a_word_of_2048_characters_is_read_and_a_longer_one_is_not() -> None:
    longest = "https://x.org/" + "a" * (2048 - len("https://x.org/"))
    assert cited_urls(f"t {longest} t") == [longest]
    assert cited_urls(f"t {longest}a t https://x.org/b") == ["https://x.org/b"]
