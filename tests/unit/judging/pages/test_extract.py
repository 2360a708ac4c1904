"""Title and visible text."""

from functools import partial

import pytest

from judging.pages import extract as module
from judging.pages.extract import MAX_MARKUP, MAX_TEXT, Document, extract
from judging.pages.sniff import Kind
from tests.growth import assert_cost
from tests.unit.judging.pages.documents import pdf


def html(body: str) -> Document:
    return extract(body.encode(), "text/html; charset=utf-8")


def test_a_page_gives_its_title_and_the_text_a_reader_sees() -> None:
    page = """<!doctype html><title> A &amp; \n B </title><style>p{}</style><nav>Menu</nav>
    <h1>Head</h1><p>One <b>two</b> three&nbsp;4</p><ul><li>a<li>b</ul><script>var hidden = 1</script>
    <table><tr><th>Name<th>Value<tr><td>x<td>1</table><noscript>Enable it</noscript><!-- note -->
    <pre>keep
  this</pre><footer>Foot</footer>"""
    document = html(page)
    assert document.title == "A & B"
    assert document.text.split() == (
        [
            "Menu",
            "Head",
            "One",
            "two",
            "three",
            "4",
            "•",
            "a",
            "•",
            "b",
            "Name",
            "Value",
            "x",
            "1",
            "keep",
            "this",
            "Foot",
        ]
    )
    assert "keep\n  this" in document.text
    assert (document.kind, document.is_cut, document.failure) == (Kind.HTML, False, "")


@pytest.mark.parametrize(
    "unseen",
    [
        "<p hidden>secret</p>",
        "<div hidden><p>secret</p></div>",
        "<p style='display:none'>secret</p>",
        "<p style='color: red; DISPLAY: None'>secret</p>",
        "<p style='font-size:0'>secret</p>",
        "<p style='position:absolute; left:-9999px'>secret</p>",
        "<p style='text-indent: -9999px'>secret</p>",
        "<template>secret</template>",
        "<dialog>secret</dialog>",
        "<svg><title>secret</title></svg>",
        "<script>secret</script>",
        "<style>secret</style>",
        "<noscript>secret</noscript>",
        "<!-- secret -->",
        "<img alt=secret>",
        "<a href=secret>a</a>",
        "<input value=secret>",
        "<title>secret</title>",
    ],
)
def test_what_no_reader_sees_is_left_out(unseen: str) -> None:
    assert "secret" not in html(f"<p>before {unseen} after").text


@pytest.mark.parametrize(
    "seen",
    [
        "<dialog open>shown</dialog>",
        "<details><summary>s</summary>shown</details>",
        "<p style='opacity:0'>shown</p>",
        "<p aria-hidden=true>shown</p>",
        "<aside>shown</aside>",
        "<div class='cookie banner'>shown</div>",
    ],
)
def test_what_a_reader_can_see_is_kept(seen: str) -> None:
    assert "shown" in html(f"<p>before {seen} after").text.split()


def test_the_text_is_tidy() -> None:
    assert html("<p>a</p><br><br><br><br><p>b  </p>").text == "a\n\nb"


def test_an_empty_page_has_no_text() -> None:
    assert html("<html></html>") == Document(Kind.HTML)
    assert html("") == Document(Kind.HTML)
    assert extract(b"", "") == Document(Kind.TEXT)


def test_a_page_of_frames_has_no_text() -> None:
    assert html("<frameset><frame src=a></frameset>").text == ""


def test_plain_text_is_kept_as_it_is() -> None:
    document = extract(b"  # Title\r\n\r\n<b>1 < 2</b>  \n", "text/plain")
    assert document == Document(Kind.TEXT, "", "# Title\n\n<b>1 < 2</b>")


def test_a_pdf_gives_its_title_and_text() -> None:
    document = extract(pdf(["Page one", "Page two (b)"], title="A title"), "text/html")
    assert document == Document(Kind.PDF, "A title", "Page one\n\nPage two (b)")


def test_a_broken_pdf_says_why() -> None:
    document = extract(b"%PDF-1.7 nothing", "")
    assert (document.kind, document.text) == (Kind.PDF, "")
    assert "Data format error" in document.failure


def test_other_types_are_not_read() -> None:
    assert extract(b"\x89PNG\r\n\x1a\n\x00", "text/html") == Document(Kind.OTHER)


def test_too_much_text_is_cut_and_marked() -> None:
    document = extract(b"word " * 500_000, "text/plain")
    assert (len(document.text), document.is_cut) == (MAX_TEXT, True)


def test_too_much_markup_is_cut_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_MARKUP == 5_000_000
    monkeypatch.setattr(module, "MAX_MARKUP", 40)
    document = html("<p>begin</p>" + "<i></i>" * 10 + "<p>end</p>")
    assert (document.text, document.is_cut) == ("begin", True)


def test_a_long_title_is_cut() -> None:
    assert html(f"<title>{'a' * 900}</title><p>b").title == "a" * 500


@pytest.mark.costs
@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 1_000_000 + "x",
        "<b><i><u><s>" * 100_000 + "x",
        "<table><tr><td>" * 50_000 + "x",
        "<ul><li>" * 100_000 + "x",
        "<div style='display:none'>" * 100_000 + "x",
        "<p " + "a=b " * 500_000 + ">x",
        "<a" * 1_000_000,
        "<details><summary>" * 50_000 + "x",
        "<p>x</p>" * 400_000,
        "&" * 1_000_000,
    ],
    ids=[
        "div",
        "inline",
        "tables",
        "lists",
        "hidden",
        "attributes",
        "open tags",
        "details",
        "paragraphs",
        "entities",
    ],
)
def test_hostile_markup_neither_crashes_nor_costs_much_more_than_words(markup: str) -> None:
    # At most 6 times as much.
    words = "<p>The lake is 40 m deep and very cold in winter.</p>\n" * 90_000
    assert_cost(partial(html, markup), at_most=40, of=partial(html, words))
