"""What a query string may ask, and that asking again gives the same."""

from __future__ import annotations

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.query import MAX_SEARCH, BoardQuery

SORTABLE = {"rank", "minutes"}


def read(**given: str) -> BoardQuery:
    return BoardQuery.read(given, sortable=SORTABLE)


def test_nothing_asked_is_the_boards_own_order() -> None:
    assert read() == BoardQuery()
    assert read().link() == "?"
    assert not read().is_filtered


def test_an_unknown_column_and_its_direction_are_left_out_of_account() -> None:
    assert read(sort="secret", dir="desc") == BoardQuery()
    assert read(sort="minutes", dir="sideways") == BoardQuery(sort="minutes")


def test_a_search_is_trimmed_and_cut() -> None:
    assert read(q="  a  ").search == "a"
    assert len(read(q="x" * 1_000).search) == MAX_SEARCH


words = st.text(max_size=20)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "q": words, "class": words, "org": words, "sort": st.sampled_from(["rank", "minutes", "no", ""]),
            "dir": st.sampled_from(["desc", "asc", ""]), "columns": st.sampled_from(["all", "few"]),
        },
    )
)  # fmt: skip
def test_a_link_asks_for_what_was_asked(given_query: dict[str, str]) -> None:
    query = BoardQuery.read(given_query, sortable=SORTABLE)
    again = dict(parse_qsl(query.link().removeprefix("?"), keep_blank_values=True))
    assert BoardQuery.read(again, sortable=SORTABLE) == query
