"""Which URLs belong to which part of an answer."""

import pytest

from judging.citations import Block, BlockKind, blocks

ANSWER = """\
# Findings [1]

Alpha is first [1][2], said
nobody [7].

1. **Beta** (see [page](https://x.org/beta))
   - nested https://x.org/nested

   still beta [^n]
2. Gamma

| name | source |
|---|---|
| Delta | [2] |

> Quoted https://x.org/quoted

```
https://x.org/code
```

[1]: https://x.org/1
[2]: https://x.org/2
[^n]: A note, https://x.org/note
"""


def test_every_block_carries_its_own_urls() -> None:
    assert blocks(ANSWER) == [
        Block("Findings 1", ("https://x.org/1",), BlockKind.HEADING, 1),
        Block("Alpha is first 1, said\nnobody [7].", ("https://x.org/1", "https://x.org/2")),
        Block(
            "Beta (see page)\nstill beta [^n]",
            ("https://x.org/beta", "https://x.org/note"),
            BlockKind.ITEM,
            1,
        ),
        Block("nested https://x.org/nested", ("https://x.org/nested",), BlockKind.ITEM, 2),
        Block("Gamma", (), BlockKind.ITEM, 1),
        Block("name | source", (), BlockKind.ROW),
        Block("Delta | 2", ("https://x.org/2",), BlockKind.ROW),
        Block("Quoted https://x.org/quoted", ("https://x.org/quoted",)),
        Block("https://x.org/code", ("https://x.org/code",), BlockKind.CODE),
        Block("[^n]: A note, https://x.org/note", ("https://x.org/note",)),
    ]


SOURCE_LISTS = {
    "labels with colons in one paragraph": "[1]: A, https://x.org/1\n[2]: B, https://x.org/2",
    "labels without colons": "[1] A, https://x.org/1\n[2] B, https://x.org/2",
    "labels on one line": "[1] A, https://x.org/1 [2] B, https://x.org/2",
    "labels under a word": "Sources:\n[1] https://x.org/1\n[2] [B](https://x.org/2)",
    "labels in items": "- [1] A, https://x.org/1\n- [2] B, <https://x.org/2>",
    "labels in a table": "|n|url|\n|-|-|\n|[1]|https://x.org/1|\n|[2]|[B](https://x.org/2)|",
    "full-width labels": "【1】https://x.org/1\n【2】https://x.org/2",
    "numbered under a heading": "## References\n1. A, https://x.org/1\n2. [B](https://x.org/2)",
    "numbered under bold words": "**Sources:**\n\n1. A, https://x.org/1\n2. [B](https://x.org/2)",
    "numbered in another language": "## 参考文献\n1. A, https://x.org/1\n2. [B](https://x.org/2)",
    "Markdown definitions": "[1]: https://x.org/1\n[2]: https://x.org/2",
}


@pytest.mark.parametrize("layout", SOURCE_LISTS)
@pytest.mark.parametrize(
    "claim", ["A [1], B [2].", "A [1, 2].", "A [1-2].", "A [1–2].", "A [1; 2].", "A 【1】【2】."]
)
def test_labels_are_resolved_in_any_layout_of_the_sources(layout: str, claim: str) -> None:
    first, *_ = blocks(f"{claim}\n\n{SOURCE_LISTS[layout]}")
    assert first.urls == ("https://x.org/1", "https://x.org/2")


@pytest.mark.parametrize(
    "answer",
    [
        "A [7].\n\n## Steps\n7. B, https://x.org/7",
        "A [7].\n\n## Sources of error\n\nText.\n\n7. B, https://x.org/7",
        "A [7].\n\nB https://x.org/7",
        "A [7].\n\n## Sources\n- B, https://x.org/7",
        "A [7].\n\n## Sources\n1. C\n   7. B, https://x.org/7",
        "A [1-99].\n\n[98]: https://x.org/98",
        "A [9-8].\n\n[8]: https://x.org/8",
        "A [7](#note).\n\n[7]: https://x.org/7",
    ],
)
def test_what_no_list_of_sources_defines_stays_dangling(answer: str) -> None:
    assert blocks(answer)[0].urls == ()


def test_the_first_definition_of_a_label_holds() -> None:
    answer = "A [1].\n\n[1] words https://x.org/listed\n\n[1]: https://x.org/defined"
    assert blocks(answer)[0].urls == ("https://x.org/defined",)


def test_html_is_shown_without_its_tags() -> None:
    assert blocks("<div>\n<b>A</b> &amp; <a href='https://x.org/a'>b</a></div>") == [
        Block("A & b", ("https://x.org/a",), BlockKind.HTML)
    ]


def test_an_address_that_markdown_takes_for_emphasis_is_shown_whole() -> None:
    assert blocks("https://x.org/__init__.py")[0].text == "https://x.org/__init__.py"


def test_a_block_without_text_that_cites_is_kept() -> None:
    assert blocks("[](https://x.org/a)\n\n<!-- nothing -->") == [Block("", ("https://x.org/a",))]
