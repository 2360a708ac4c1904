"""What a round knows of searches."""

from judging.search.found import Found, query_hash

BRUME = "Lake Brume is 212 metres deep"


def test_every_query_of_a_claim_has_what_was_found_or_none() -> None:
    found = Found(2, {query_hash(BRUME): "a" * 64})
    assert found.of(f"{BRUME}.") == {BRUME: "a" * 64, "Lake Brume 212 metres deep": None}
    assert Found(1, {query_hash(BRUME): ""}).of(BRUME) == {BRUME: ""}
    assert found.of("...") == {}
