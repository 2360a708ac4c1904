"""The offline judge against labelled claims: right far more often than counting shared words."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from judging.judges.lexical import LexicalJudge

from . import blind_pairs, labelled_pairs, more_pairs, second_blind_pairs
from .asking import verify
from .labelled_pairs import Pair

ALL = (*labelled_pairs.PAIRS, *more_pairs.PAIRS, *blind_pairs.PAIRS, *second_blind_pairs.PAIRS)


def naive(claim: str, page: str) -> str:
    """What plain token overlap says, with the thresholds that serve it best on these pairs."""
    words, there = (set(re.findall(r"\w+", text.lower())) for text in (claim, page))
    share = len(words & there) / len(words)
    return "supported" if share > 0.8 else "undecided" if share < 0.4 else "refuted"


def accuracy(pairs: tuple[Pair, ...]) -> float:
    judge = LexicalJudge()
    return sum(verify(p.claim, p.page, judge=judge).finding == p.label for p in pairs) / len(pairs)


def test_there_are_enough_pairs_of_every_kind() -> None:
    kinds = Counter(p.kind for p in ALL)
    assert len(ALL) >= 200
    assert min(kinds.values()) >= 3
    assert len({p.label for p in ALL}) == 3


def test_it_is_right_on_nearly_all_labelled_claims() -> None:
    assert accuracy(labelled_pairs.PAIRS) >= 0.93
    assert accuracy(more_pairs.PAIRS) >= 0.93
    assert accuracy(blind_pairs.PAIRS) >= 0.93
    assert accuracy(second_blind_pairs.PAIRS) >= 0.88


def test_it_is_clearly_better_than_counting_shared_words() -> None:
    baseline = sum(naive(p.claim, p.page) == p.label for p in ALL) / len(ALL)
    assert baseline < 0.6
    assert accuracy(ALL) > baseline + 0.3


@pytest.mark.parametrize("kind", sorted({p.kind for p in ALL}))
def test_no_kind_of_claim_is_its_blind_spot(kind: str) -> None:
    assert accuracy(tuple(p for p in ALL if p.kind == kind)) >= 0.75


def test_it_supports_nothing_that_a_page_denies_or_leaves_out() -> None:
    judge = LexicalJudge()
    wrongly = [
        p.claim
        for p in ALL
        if p.label != "supported" and verify(p.claim, p.page, judge=judge).finding == "supported"
    ]
    assert wrongly == []


def test_every_quote_stands_in_its_page() -> None:
    judge = LexicalJudge()
    quotes = [(p.page, verify(p.claim, p.page, judge=judge).quote) for p in ALL]
    assert all(quote in page for page, quote in quotes)
    assert sum(bool(quote) for _, quote in quotes) > len(ALL) * 0.8
