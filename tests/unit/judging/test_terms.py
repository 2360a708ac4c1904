"""What a profile says of asking, as it is stored and read again."""

from __future__ import annotations

from typing import Any

import pytest

from judging.terms import PASSAGE_TOKENS, Terms, same_every_time

PANEL = Terms(
    extract="d",
    verify=("a", "b", "c"),
    sampling={"temperature": 0.0, "top_p": 0.9},
    passage_tokens={"a": 900, "b": 700, "c": 800, "d": 500},
)


@pytest.mark.parametrize("terms", [PANEL, Terms.alone("m"), Terms(extract="m", verify=("m",), votes=3)])
def test_what_is_stored_is_read_again(terms: Terms) -> None:
    assert Terms.read(terms.as_parameters(), model="") == terms


def test_a_number_is_written_in_one_way() -> None:
    assert str(PANEL.as_parameters()["sampling"]) == "{'temperature': 0, 'top_p': 0.9}"


def test_a_profile_from_before_panels_has_one_model_and_counts_characters() -> None:
    terms = Terms.read({"votes": 3, "temperature": 0.5, "prompts": "x"}, model="m")
    assert (terms.extract, terms.verify, terms.votes, terms.sampling) == (
        "m",
        ("m",),
        3,
        {"temperature": 0.5},
    )
    assert (terms.shown, terms.read_out) == (None, None)


def test_an_offline_judge_has_no_models_and_counts_characters() -> None:
    terms = Terms.read({"version": "1"}, model="")
    assert (terms.models, terms.votes, terms.shown, terms.read_out) == (("",), 1, None, None)


def test_all_seats_of_a_panel_are_shown_what_the_smallest_of_them_may_see() -> None:
    assert (PANEL.shown, PANEL.read_out) == (700, 500)
    assert (Terms.alone("m").shown, Terms.alone("m").read_out) == (PASSAGE_TOKENS, PASSAGE_TOKENS)


@pytest.mark.parametrize(
    ("sampling", "same"),
    [({"temperature": 0}, True), ({"temperature": 0.0, "top_p": 1}, True), ({"temperature": 0.1}, False),
     ({"temperature": 0, "seed": 0}, False), ({}, False)],
)  # fmt: skip
def test_only_without_chance_and_without_a_seed_the_same_question_gets_the_same_answer(
    sampling: dict[str, float], same: bool
) -> None:
    assert same_every_time(sampling) is same
    alone = Terms(extract="m", verify=("m",), votes=3, sampling=sampling)
    assert (alone.repeats_itself, alone.most_votes) == (same, 1 if same else 3)


def test_the_seats_of_a_panel_are_its_votes() -> None:
    assert (PANEL.is_panel, PANEL.repeats_itself, PANEL.most_votes) == (True, False, 3)


@pytest.mark.parametrize(
    ("extract", "verify", "label"),
    [
        ("m", ("m",), "m"),
        ("r", ("m",), "m; extraction: r"),
        ("a", ("a", "b", "c"), "a, b, c"),
        ("a" * 100, ("b" * 100,), "b" * 100 + "; extraction: aaaaa…"),
    ],
)
def test_a_label_names_the_models_on_one_line(extract: str, verify: tuple[str, ...], label: str) -> None:
    assert Terms(extract=extract, verify=verify).label == label
    assert len(label) <= 120


@pytest.mark.parametrize(
    ("terms", "pins", "text"),
    [
        (Terms.alone("m"), {}, ""),
        (Terms.alone("m"), {"m": "m-0601"}, "m-0601"),
        (Terms.alone("{"), {"{": '{"a": 1}'}, '{"a": 1}'),
        (PANEL, {"b": "b-1", "a": "a"}, '{"a":"a","b":"b-1"}'),
        (PANEL, {"d": "ü"}, '{"d":"ü"}'),
    ],
)
def test_pins_are_the_name_of_one_model_or_json_of_several(
    terms: Terms, pins: dict[str, str], text: str
) -> None:
    assert terms.pins(text) == pins
    assert not pins or terms.as_pinned(pins) == text


def test_whatever_changes_verdicts_is_stored() -> None:
    changes: list[dict[str, Any]] = [
        {"extract": "a"}, {"verify": ("a", "c", "b")}, {"votes": 3}, {"sampling": {"temperature": 1}},
        {"passage_tokens": {}}, {"group_claims": 5}, {"picture_detail": "low"},
    ]  # fmt: skip
    kinds = [
        PANEL,
        *(Terms(**{**{f: getattr(PANEL, f) for f in Terms.__slots__}, **change}) for change in changes),
    ]
    stored = [str(terms.as_parameters()) for terms in kinds]
    assert len(set(stored)) == len(kinds) == len(Terms.__slots__) + 1
