"""Texts are indexed once; the best windows of sentences are found by their rare words."""

from __future__ import annotations

from judging.judges.lexical.facts import terms_of
from judging.judges.lexical.passages import CANDIDATES, MAX_SECTION, Index, IndexCache

HUTS = """Kettlehorn Hut Club
# Sorrel Hut
It has 30 beds. It is cheap.
# Lantern Col Hut
It has 24 beds. It is open in summer.
[…]
It burnt down once.
"""
TABLE = "Peaks of the range in order of their height\nPeak | Height (m)\nTorhorn | 4,312\nZahn | 4,107\nA last line"


def words(text: str) -> frozenset[str]:
    return terms_of(text)


def test_a_sentence_stands_under_the_nearest_heading() -> None:
    index = Index(HUTS)
    number = next(n for n in range(len(index.spans)) if index.sentence(n) == "It has 24 beds.")
    assert index.sentence(index.above[number][0]) == "# Lantern Col Hut"
    assert words("Lantern Col") <= index.window(number, number).context


def test_the_first_line_and_the_title_say_what_the_text_is_about() -> None:
    index = Index(
        "Marrow Bridge\nIt is long and it crosses a river of the plain.", title="Bridges of Torvale"
    )
    assert words("Marrow Bridge Torvale") <= index.topic


def test_what_has_a_section_or_a_row_of_its_own_is_not_what_the_text_is_about() -> None:
    index = Index(
        "Sorrel Hut and Lantern Hut\n# Sorrel\nIt has 30 beds here.\n# Lantern\nIt has 24 beds here."
    )
    assert not words("Sorrel Lantern") & index.topic
    assert not words("Torhorn") & Index(f"Torhorn and others\n{TABLE}").topic


def test_a_lone_bar_makes_no_table() -> None:
    assert Index("Report 2023 | Brightwell\nRevenue rose.").rows == [False, False]
    assert Index(TABLE).rows == [False, True, True, True, False]


def test_a_row_is_read_with_its_columns_and_units() -> None:
    index = Index(TABLE)
    assert index.reading(2) == "Peak Torhorn; Height 4,312 m"
    assert index.reading(1) == "Peak | Height (m)"


def test_a_unit_goes_with_bare_numbers_only() -> None:
    index = Index("Peak | Height in m | Note\nTorhorn | about 4312 | none\n")
    assert index.reading(1) == "Peak Torhorn; Height about 4312; Note none"


def test_tabs_separate_cells_as_well() -> None:
    assert Index("Peak\tHeight\nTorhorn\t4,312\n").reading(1) == "Peak Torhorn; Height 4,312"


def test_rows_are_never_read_together_and_gaps_never_bridged() -> None:
    for text in (TABLE, HUTS):
        index = Index(text)
        windows = [index.text[slice(*w.span)] for w in index.windows(index.places)]
        assert not any("4,312" in w and "4,107" in w for w in windows)
        assert not any("summer" in w and "burnt" in w for w in windows)


def test_every_window_is_a_part_of_the_text() -> None:
    index = Index(HUTS)
    assert all(index.text[w.span.start : w.span.end].strip() for w in index.windows(words("beds open")))


def test_candidates_are_bounded_and_best_first() -> None:
    index = Index(
        "\n".join(f"Line {n} has a bell." for n in range(100)) + "\nOnly this has a gong and a bell."
    )
    found = index.candidates(words("bell gong"))
    assert len(found) == CANDIDATES
    assert found[0] == 100


def test_a_word_in_every_sentence_is_not_rare() -> None:
    index = Index("A bell. A bell. A bell. A gong.")
    assert index.rarity("bell") < index.rarity("gong") < index.rarity("drum") == 1.0


def test_a_section_is_read_as_a_whole() -> None:
    (window,) = Index(HUTS).sections(words("24"))
    assert "# Lantern Col Hut" in HUTS[slice(*window.span)]
    assert "Sorrel" not in HUTS[slice(*window.span)]


def test_a_very_long_section_is_cut() -> None:
    index = Index("# Top\n" + "A bell rings. " * 500)
    (window,) = index.sections(words("bell"))
    assert len(window.sentences) == MAX_SECTION + 1


def test_an_answered_question_counts_as_its_answer() -> None:
    index = Index("Are dogs allowed? No, never.")
    assert index.window(0, 0).facts.negated == index.window(0, 0).facts.stems


def test_an_empty_text_has_nothing() -> None:
    index = Index("")
    assert (index.spans, index.topic, list(index.windows(words("bell")))) == ([], frozenset(), [])


def test_an_index_is_made_once_and_forgotten_when_room_is_short() -> None:
    cache = IndexCache(characters=30)
    first = cache.get("a bell rings")
    assert cache.get("a bell rings") is first
    assert cache.get("a bell rings", "title") is not first
    cache.get("x" * 40)
    assert cache.get("a bell rings") is not first
