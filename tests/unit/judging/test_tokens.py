"""Counting tokens, and passages that keep to a budget of them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging import tokens
from judging.judges.base import Passage
from judging.passages import GAP, WINDOW, select

LATIN = "Visitors are welcome all year round and the kitchen serves warm meals until late in the evening.\n"
FACT = "The Zugspitze rises to 2,962 metres above sea level.\n"
SCRIPTS = {
    "latin": LATIN,
    "cjk": "慕尼黑是德国的一座城市，人口约为一百五十万。\n",
    "emoji": "👩‍👩‍👧🏔️🇩🇪 yes\n",
    "code": "    if (x[i] != 0x1F) { return fn(&y, -1); }\n",
    "hex": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c\n",
}
PIECES = st.one_of(
    st.sampled_from(sorted(SCRIPTS.values())),
    st.text(alphabet="0123456789abcdef", min_size=1, max_size=900),
    st.text(alphabet="慕尼黑中文。\n ", min_size=1, max_size=900),
    st.text(max_size=200),
)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 40)), max_size=8).map(
    lambda parts: "".join(piece * times for piece, times in parts)
)


def passage(text: str, query: str, budget: int) -> Passage:
    """What is shown of a page within so many tokens."""
    return select(text, query, tokens=budget, snapshot="s", url="https://a.example/", title="T")


# ------------------------------------------------------------------ counting
@pytest.mark.parametrize(
    ("text", "counted"),
    [("", 0), ("lake", 1), ("The lake is deep.", 5), ("<|endoftext|>", 7), ("\x00", 1), ("2962", 2)],
)
def test_tokens_are_those_of_the_tokenizer(text: str, counted: int) -> None:
    assert tokens.count(text) == counted


def test_a_lone_surrogate_counts_as_what_a_judge_is_shown_for_it() -> None:
    assert tokens.count("a\ud800b") == tokens.count("a\ufffdb")


def test_a_process_that_counts_nothing_loads_no_tokenizer() -> None:
    code = (
        "import django, sys; django.setup(); import evalservice.urls, judging.passages, judging.appointing; "
        "print('rs_bpe' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "evalservice.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]


# ------------------------------------------------------------------ passages
@settings(deadline=None)
@given(
    text=TEXTS,
    query=st.one_of(st.just("Zugspitze 2,962 慕尼黑 0x1F"), st.text(max_size=40)),
    budget=st.integers(0, 3000),
)
def test_a_passage_never_has_more_tokens_than_its_budget(text: str, query: str, budget: int) -> None:
    shown = passage(text, query, budget)
    assert tokens.count(shown.text) <= budget
    assert shown.text == f"\n{GAP}\n".join(text[start:end] for start, end in shown.ranges)
    assert list(shown.ranges) == sorted(shown.ranges)
    assert all(end < later for (_, end), (later, _) in zip(shown.ranges, shown.ranges[1:], strict=False))
    assert shown.truncated == (shown.text != text)
    assert not shown.truncated or tokens.count(text) > budget


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_budget_is_used_in_every_script(script: str) -> None:
    filler = SCRIPTS[script] * 400
    shown = passage(filler + FACT + filler, "How high is the Zugspitze?", 3000)
    assert FACT.strip() in shown.text
    window = tokens.count((SCRIPTS[script] * 400)[:WINDOW])
    assert 3000 - 2 * window < tokens.count(shown.text) <= 3000


def test_windows_that_have_more_tokens_together_than_apart_are_counted_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A tokenizer to which a text of many windows has more tokens than they have.
    monkeypatch.setattr(tokens, "count", lambda text: len(text) // 100 + 5 * (len(text) // 1000))
    text = "word " * 2000
    shown = passage(text, "nothing", 120)
    assert (
        tokens.count(text)
        > 120
        >= sum(tokens.count(text[at : at + WINDOW]) for at in range(0, 10_000, WINDOW))
    )
    assert 60 < tokens.count(shown.text) <= 120
    assert shown.truncated


@pytest.mark.parametrize(
    ("text", "budget"), [("慕尼黑" * 1000, 20), ("x" * 5000, 3), ("🏔" * 900, 1), ("ab " * 900, 0)]
)
def test_a_budget_below_any_window_shows_the_very_beginning(text: str, budget: int) -> None:
    shown = passage(text, "nothing", budget)
    assert text.startswith(shown.text)
    assert shown.ranges == ((0, len(shown.text)),)
    assert tokens.count(shown.text) <= budget
    assert shown.truncated


def test_a_page_is_counted_once_however_many_claims_ask_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"Hut {n} lies at {n * 7} metres and serves soup.\n" for n in range(3000))
    counted: list[int] = []
    real = tokens.count

    def counting(part: str) -> int:
        counted.append(len(part))
        return real(part)

    monkeypatch.setattr(tokens, "count", counting)
    passage(text, "Hut 7", 1000)
    assert sum(counted) < 3 * len(text)  # as a whole, and window by window
    counted.clear()
    for n in range(50):
        passage(text, f"Hut {n} lies at {n * 7} metres", 1000)
    assert sum(counted) < 50 * len(text) // 20  # what is shown, each time


def test_a_page_too_short_to_have_so_many_tokens_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "count", None)
    assert not passage(LATIN * 10, "kitchen", 6000).truncated
