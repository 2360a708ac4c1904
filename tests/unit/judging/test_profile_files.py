"""A judge's profile in a file: what it may say, and every fault with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from judging.profile_files import InvalidProfile, ProfileFile, profile_schema, read_profile
from tests.programs import ROOT

ALONE = {"name": "alone", "models": {"extract": "m", "verify": ["m"]}}
PANEL = {"name": "panel", "models": {"extract": "d", "verify": ["a", "b", "c"]}}
PRICE = {"prompt": 1, "completion": 2.5}
EXAMPLES = sorted(ROOT.joinpath("examples/profiles").glob("*.yaml"))


def read(profile: Any = ALONE, **more: Any) -> ProfileFile:
    """The profile as it is read from YAML."""
    return read_profile(yaml.safe_dump({**profile, **more}, sort_keys=False).encode(), file="judge.yaml")


def faults(profile: Any = ALONE, **more: Any) -> list[str]:
    """``path: reason`` of each fault."""
    with pytest.raises(InvalidProfile) as refused:
        read(profile, **more)
    return [f"{fault.path}: {fault.reason}" for fault in refused.value.faults]


# ------------------------------------------------------------------ what is meant
def test_the_shortest_file_is_one_model_at_temperature_0() -> None:
    profile = read()
    assert (profile.name, profile.prices, profile.limits, profile.warnings) == ("alone", None, {}, ())
    assert profile.terms.as_parameters() == {
        "models": {"extract": "m", "verify": ["m"]},
        "votes": 1,
        "sampling": {"temperature": 0},
        "passage_tokens": {"m": 6000},
    }


def test_a_file_may_say_all_of_it() -> None:
    profile = read(
        PANEL,
        sampling={"seed": 4, "top_p": 0.5},
        passage_tokens={"a": 3000, "d": 700.0},
        prices=dict.fromkeys("abcd", PRICE),
        limits={"in_flight": 4, "tokens_per_minute": 0, "attempts": 2, "timeout_s": 30},
    )
    terms = profile.terms
    assert (terms.extract, terms.verify) == ("d", ("a", "b", "c"))
    assert terms.sampling == {"temperature": 0, "seed": 4, "top_p": 0.5}
    assert terms.passage_tokens == {"a": 3000, "b": 6000, "c": 6000, "d": 700}
    assert profile.prices == dict.fromkeys("abcd", PRICE)
    assert profile.limits == {"in_flight": 4, "tokens_per_minute": 0, "attempts": 2, "timeout_s": 30}
    assert profile.warnings == ()


def test_numbers_written_in_two_ways_are_one_judge() -> None:
    one = read(sampling={"temperature": 0.0, "top_p": 1.0}, passage_tokens=900, votes=1.0)
    other = read(sampling={"top_p": 1}, passage_tokens={"m": 900})
    assert str(one.terms.as_parameters()) == str(other.terms.as_parameters())


@pytest.mark.parametrize("file", EXAMPLES, ids=[file.name for file in EXAMPLES])
def test_the_examples_are_profiles_without_a_warning(file: Path) -> None:
    profile = read_profile(file.read_bytes(), file=file.name)
    assert profile.terms.is_panel or profile.terms.group_claims > 1
    assert profile.warnings == ()
    assert profile.prices is not None
    assert set(profile.prices) == set(profile.terms.models)


def test_checks_that_are_asked_alone_make_the_profile_there_was_before_groups() -> None:
    assert read(group_claims=1).terms == read().terms
    assert "group_claims" not in read(group_claims=1).terms.as_parameters()
    terms = read(group_claims=12.0).terms
    assert (terms.group_claims, terms.as_parameters()["group_claims"]) == (12, 12)


# ------------------------------------------------------------------ faults
FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"api_key": "sk-secret"}, ["api_key: unknown key; known are name, models, votes, sampling, passage_tokens, group_claims, picture_detail, prices, limits"]),
    ({"vote": 3}, ['vote: unknown key (did you mean "votes"?); known are name, models, votes, sampling, passage_tokens, group_claims, picture_detail, prices, limits']),
    ({"name": "My judge"}, ['name: "My judge" is not a name of lower-case letters, digits, dots and hyphens']),
    ({"name": 4}, ["name: must be text, is 4; write it in quotes"]),
    ({"models": {"verify": ["a"]}}, ["models.extract: is missing; give the name of a model as the endpoint knows it"]),
    ({"models": {"extract": "a", "verify": []}}, ["models.verify: is an empty list; leave the key out or give an entry"]),
    ({"models": {"extract": "a", "verify": "a"}}, ['models.verify: must be a list, is the text "a"']),
    ({"models": {"extract": "a", "verify": ["a", "b"]}}, ["models.verify: has 2 seats; an odd number of them has a majority, and one judges alone"]),
    ({"models": {"extract": "a", "verify": ["a", "b", "a"]}}, ['models.verify[2]: "a" has a seat already and is asked in the same way; more of one model are votes']),
    ({**PANEL, "votes": 3}, ["votes: the seats of a panel are its votes; leave this out, or let one model verify"]),
    ({"votes": 2}, ["votes: must be 1, 3 or 5 votes, is 2"]),
    ({"sampling": {"temperature": 3, "top_p": -1, "seed": 0.5}}, ["sampling.seed: must be a whole number, is 0.5", "sampling.temperature: must be at most 2, is 3", "sampling.top_p: must be at least 0, is -1"]),
    ({"sampling": {"temperature": "hot"}}, ['sampling.temperature: must be a number, is the text "hot"']),
    ({"passage_tokens": 3}, ["passage_tokens: must be a number of tokens from 500 to 128,000, or such a number for each model"]),
    ({"passage_tokens": {"n": 900}}, ["passage_tokens.n: is no model of this profile"]),
    ({**PANEL, "models": {"extract": "reader", "verify": ["a"]}, "passage_tokens": {"raeder": 900}}, ['passage_tokens.raeder: is no model of this profile (did you mean "reader"?)']),
    ({"prices": {"m": {"prompt": 1}}}, ["prices.m.completion: is missing; give US dollars for a million tokens"]),
    ({"prices": {"m": {**PRICE, "prompt": -1}}}, ["prices.m.prompt: must be at least 0, is -1"]),
    ({"group_claims": 21}, ["group_claims: must be at most 20, is 21"]),
    ({"group_claims": 0}, ["group_claims: must be at least 1, is 0"]),
    ({"group_claims": 2.5}, ["group_claims: must be a whole number, is 2.5"]),
    ({"group_claims": "many"}, ['group_claims: must be a whole number, is the text "many"']),
    ({"picture_detail": "fine"}, ['picture_detail: must be auto, low or high, is the text "fine"']),
    ({"limits": {"in_flight": 0, "budget": 1}}, ["limits.budget: unknown key; known are in_flight, tokens_per_minute, attempts, timeout_s", "limits.in_flight: must be at least 1, is 0"]),
]  # fmt: skip


@pytest.mark.parametrize(("more", "told"), FAULTS)
def test_every_fault_is_named_with_its_place(more: dict[str, Any], told: list[str]) -> None:
    assert sorted(faults(**more)) == told


def test_a_secret_in_the_file_is_refused_and_not_repeated() -> None:
    assert "sk-secret" not in str(faults(api_key="sk-secret"))


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "judge.yaml: (whole file): the file is empty"),
        (b"[]", "judge.yaml: (whole file): must be a mapping, is a list"),
        (b"name: a\nname: b", "judge.yaml: name: "),
        (b"name: {", "judge.yaml: (whole file): line "),
        (b"\xff", "judge.yaml: (whole file): line 1 is not UTF-8"),
        (
            b"name: x\nmodels: {extract: m, verify: [m]}\nsampling: {temperature: .nan}",
            "judge.yaml: sampling.temperature: ",
        ),
    ],
)
def test_what_is_no_mapping_in_yaml_is_refused(raw: bytes, told: str) -> None:
    with pytest.raises(InvalidProfile) as refused:
        read_profile(raw, file="judge.yaml")
    assert str(refused.value).startswith(told)


# ------------------------------------------------------------------ warnings
@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({"votes": 3}, ["votes"]),
        ({"votes": 3, "sampling": {"temperature": 0.5}}, []),
        ({"votes": 5, "sampling": {"seed": 1}}, []),
        ({"prices": {}}, []),
        ({"prices": {"m": PRICE}}, []),
        ({"prices": {"n": PRICE}}, ["prices"]),
        ({**PANEL, "prices": {"a": PRICE, "b": PRICE}}, ["prices", "prices"]),
    ],
)
def test_what_an_operator_should_know_is_a_warning(more: dict[str, Any], paths: list[str]) -> None:
    assert [warning.path for warning in read(**more).warnings] == paths


def test_votes_that_would_all_be_the_same_are_told_what_to_set() -> None:
    (warning,) = read(votes=3).warnings
    assert "one call is enough" in warning.reason
    assert "set sampling.temperature above 0 or sampling.seed, or leave votes out" in warning.reason


# ------------------------------------------------------------------ the schema
def test_the_published_schema_is_one_and_takes_what_is_read() -> None:
    schema = profile_schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid(ALONE)
    assert not validator.is_valid({**ALONE, "api_key": "x"})
    schema.clear()
    assert profile_schema()["required"] == ["name", "models"]
