"""Answers become trees; every part knows what it cites."""

from __future__ import annotations

import pytest

from judging.citations.budget import MAX_STRUCTURE
from judging.judges.lexical.document import Citations, Element, Kind, Readings, page_markdown, read_document


def shape(element: Element) -> list[object]:
    return [element.kind.value, element.head, *(shape(child) for child in element.children)]


def test_sections_nest_by_level_and_hold_what_follows() -> None:
    tree = shape(read_document("# A\n\nx\n\n### B\n\ny\n\n## C\n\nz\n"))
    assert tree == [
        "document", "",
        ["section", "A", ["paragraph", "x"], ["section", "B", ["paragraph", "y"]], ["section", "C", ["paragraph", "z"]]],
    ]  # fmt: skip


def test_a_bold_line_is_a_heading_below_all_others() -> None:
    tree = shape(read_document("**One**\n\nx\n\n**Two**:\n\ny\n\n# Three\n"))
    assert tree[2:] == [
        ["section", "**One**", ["paragraph", "x"]],
        ["section", "**Two**:", ["paragraph", "y"]],
        ["section", "Three"],
    ]


def test_items_hold_their_paragraphs_lists_and_headings() -> None:
    tree = shape(read_document("- a\n\n  b\n\n  - c\n- # d\n\n  e\n\nf\n"))
    assert tree[2:] == [
        [
            "list", "",
            ["item", "a", ["paragraph", "b"], ["list", "", ["item", "c"]]],
            ["item", "", ["section", "d", ["paragraph", "e"]]],
        ],
        ["paragraph", "f"],
    ]  # fmt: skip


def test_rows_know_their_columns() -> None:
    (table,) = read_document("| A | B |\n|---|---|\n| x | 3 |\n").children
    (row,) = table.children
    assert (row.kind, row.head, row.columns, row.cells) == (Kind.ROW, "x | 3", ("A", "B"), ("x", "3"))


def test_code_is_kept_apart() -> None:
    tree = shape(read_document("```\nx: 1\n```\n\n<div>y</div>\n"))
    assert [child[0] for child in tree[2:] if isinstance(child, list)] == ["code", "code"]


def test_the_text_of_a_part_is_everything_in_it() -> None:
    assert read_document("# A\n\nx\n\n- y\n").text() == "A\nx\ny"


def test_a_piece_cites_what_it_links_or_labels() -> None:
    citations = Citations(
        "See [1] and [2].\n\n[1]: https://x.example/1\n\n## Sources\n\n2. https://x.example/2\n"
    )
    assert citations.of("as [1] says, [here](https://y.example/) and [1]") == (
        "https://x.example/1",
        "https://y.example/",
    )
    assert citations.of("as [2] says") == ("https://x.example/2",)
    assert citations.of("plain") == ()


@pytest.mark.parametrize("answer", ["|a|\n|-|\n" + "x\n" * 120_000, "x\n\n" * 80_000, "- x: 1\n" * 40_000])
def test_structure_beyond_the_budget_is_read_as_paragraphs(answer: str) -> None:
    parts = list(read_document(answer).walk())
    assert len(parts) <= MAX_STRUCTURE + len(answer) // 1_000
    assert {part.kind for part in parts[-3:]} == {Kind.PARAGRAPH}
    assert sum(part.head.count("x") for part in parts) == answer.count("x")


def test_a_page_becomes_markdown() -> None:
    page = "A | B\nx | 3\n• one\n\nT\t5\nplain"
    assert page_markdown(page) == "| A | B |\n|---|---|\n| x | 3 |\n- one\n\n| T | 5 |\n|---|---|\nplain"


def test_only_the_answers_read_last_are_remembered() -> None:
    readings = Readings(count=2)
    first = readings.get("a")
    assert readings.get("a") is first
    readings.get("b")
    readings.get("c")
    assert readings.get("a") is not first
