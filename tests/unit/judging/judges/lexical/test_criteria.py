"""Criteria about the answer: met where its words, numbers and the details asked for stand together."""

from __future__ import annotations

import pytest

from judging.cascade import Finding
from judging.judges.base import AnswerState

from .asking import verify

ANSWER = """# Huts on the ridge

## Lantern Col Hut

Lantern Col Hut has 24 beds and opens on 12 June 2027 ([club](https://huts.example/lantern)). Nine of ten guests,
or 90 %, come by foot. Dogs are not allowed.

## Prices

- Sorrel Hut: 44 marks
- Lantern Col Hut: 52 marks
- Grey Heron Hut: 58 marks

## Sauna

I could not find out whether any hut has a sauna.

## Why so full

The smallest hut fills first. Therefore the club advises booking in March, because weekends sell out.
"""


def met(criterion: str, answer: str = ANSWER, *, rational: bool = False) -> bool:
    reply = verify(criterion, kind="rationality" if rational else "criterion", answer=answer)
    assert reply.finding in (Finding.SUPPORTED, Finding.REFUTED)
    return reply.finding is Finding.SUPPORTED


@pytest.mark.parametrize(
    "criterion",
    [
        "States that Lantern Col Hut has 24 beds",
        "Says how many beds Lantern Col Hut has",
        "Says when Lantern Col Hut opens",
        "Gives the opening date of Lantern Col Hut",
        "Gives the share of guests who come by foot in per cent",
        "Cites a source for the beds of Lantern Col Hut",
        "Names three huts with their prices",
        "Names the prices of Sorrel Hut, Lantern Col Hut and Grey Heron Hut",
        "Says that dogs are not allowed",
        "Does not recommend Kettle Lip Hut",
        "Contains no prices in euros for a bus",
    ],
)
def test_what_the_answer_gives_is_met(criterion: str) -> None:
    assert met(criterion)


@pytest.mark.parametrize(
    "criterion",
    [
        "States that Lantern Col Hut has 26 beds",
        "Says how many showers Lantern Col Hut has",
        "Says how many guests the ridge has in winter",
        "Says when Grey Heron Hut closes",
        "Gives the price of Sorrel Hut in per cent",
        "Names five huts with their prices",
        "States that dogs are allowed",
        "Names the warden Odo Finnick",
        "States that Lantern Col Hut near Vell has 24 beds and opens for guests on 12 June 2027",
        "Says whether a hut has a sauna",
        "Does not say that the smallest hut fills first",
        "Explains the geology of the island",
    ],
)
def test_what_the_answer_lacks_or_contradicts_is_not_met(criterion: str) -> None:
    assert not met(criterion)


def test_rationality_wants_the_reason_as_a_reason() -> None:
    assert met("Concludes that one should book in March because weekends sell out", rational=True)
    assert not met("Concludes that Lantern Col Hut has 24 beds", rational=True)
    assert not met("Concludes that one should not book in March because weekends sell out", rational=True)


@pytest.mark.parametrize(
    "region", ["It has been full since 2016.", "So far the hut is full.", "It is so-called full."]
)
def test_words_that_only_look_like_connectives_give_no_reason(region: str) -> None:
    assert not met("Explains that the hut is full", region, rational=True)


@pytest.mark.parametrize(
    ("criterion", "state"),
    [
        ("States that Lantern Col Hut has 24 beds", AnswerState.GIVES),
        ("Says whether a hut has a sauna", AnswerState.SAYS_NOT_FOUND),
        ("Explains the geology of the island", AnswerState.OMITS),
        ("Does not recommend Kettle Lip Hut", None),
    ],
)
def test_the_reply_says_what_the_answer_does_about_it(criterion: str, state: AnswerState | None) -> None:
    assert verify(criterion, kind="criterion", answer=ANSWER).answer_state == state


def test_a_list_in_sections_is_counted_too() -> None:
    answer = "# Trees\n\n## 1. Oak tree\n\nBig.\n\n## 2. Elm tree\n\nTall.\n\n## 3. Ash tree\n\nThin.\n"
    assert met("Lists at least three trees", answer)
    assert not met("Lists at least four trees", answer)


def test_a_time_of_day_answers_when() -> None:
    assert met("Says when the boat leaves", "The boat leaves at 17:30.")
    assert met("Says when the boat leaves", "The boat leaves in September.")
    assert not met("Says when the boat leaves", "The boat leaves in time.")


def test_the_quote_is_a_part_of_the_answer() -> None:
    reply = verify("States that Lantern Col Hut has 24 beds", kind="criterion", answer=ANSWER)
    assert reply.quote
    assert reply.quote in ANSWER


def test_a_criterion_without_words_is_decided_all_the_same() -> None:
    assert not met("")
    assert not met("Names", "")
