"""A judge's profile as its operator writes it: a YAML file, its published schema, and every fault with its place. Pure."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

from judging.rubric.conformance import note_violations
from judging.rubric.faults import Fault, FaultList, at, quoted, suggestion
from judging.rubric.source import read_yaml
from judging.terms import PASSAGE_TOKENS, Terms

__all__ = ["InvalidProfile", "ProfileFile", "profile_schema", "read_profile"]

Schema = dict[str, Any]

MOST_TOGETHER = 20  # checks in a call


class InvalidProfile(ValueError):
    """A file that describes no judge; ``faults`` is the complete list."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, faults)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFile:
    """What a file says. ``prices`` and ``limits`` make no other judge of it; None and {}: those of the environment.

    ``warnings`` are what its operator should know.
    """

    name: str
    terms: Terms
    prices: Mapping[str, Mapping[str, float]] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[Fault, ...] = ()


# ------------------------------------------------------------------ schema
def _strict(properties: Schema, required: tuple[str, ...] = (), **more: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def _number(kind: str, low: float, high: float, title: str = "", **more: Any) -> Schema:
    named = {"title": title} if title else {}
    return {"type": kind, "minimum": low, "maximum": high, **named, **more}


_MODEL = {
    "type": "string",
    "title": "the name of a model as the endpoint knows it",
    "pattern": r"^\S(?:[^\n\r]*\S)?$",
    "maxLength": 120,
}
_TOKENS = _number("integer", 500, 128_000)
_USD = _number("number", 0, 1_000_000, "US dollars for a million tokens")
_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "evalservice judge profile",
    "description": "Which models judge, how they are asked, and what they cost. Keys and endpoint: from the environment.",
    **_strict(
        {
            "name": {
                "type": "string",
                "title": "a name of lower-case letters, digits, dots and hyphens",
                "pattern": r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$",
                "maxLength": 60,
            },
            "models": _strict(
                {
                    "extract": _MODEL,
                    "verify": {
                        "type": "array",
                        "title": "a list of models: one judges alone, an odd number is a panel",
                        "items": _MODEL,
                        "minItems": 1,
                        "maxItems": 9,
                    },
                },
                ("extract", "verify"),
                title="the models that extract and verify",
            ),
            "votes": {
                "enum": [1, 3, 5],
                "title": "1, 3 or 5 votes",
                "description": "Of one model; the seats of a panel are its votes. A rubric may ask for others.",
            },
            "sampling": _strict(
                {
                    "temperature": _number("number", 0, 2),
                    "seed": _number("integer", 0, 2**31 - 10),
                    "top_p": _number("number", 0, 1),
                },
                description="Sent with every question; temperature is 0 unless it is given. Each vote adds 1 to the seed.",
            ),
            "passage_tokens": {
                "oneOf": [_TOKENS, {"type": "object", "additionalProperties": _TOKENS}],
                "title": "a number of tokens from 500 to 128,000, or such a number for each model",
                "description": f"Of a page in one prompt; {PASSAGE_TOKENS} where nothing is said.",
            },
            "group_claims": _number(
                "integer",
                1,
                MOST_TOGETHER,
                description="Checks about one page, or criteria of one kind about one answer. 1: each is asked alone.",
            ),
            "picture_detail": {
                "enum": ["auto", "low", "high"],
                "title": "auto, low or high",
                "description": "How closely pictures of pages are looked at, where a rubric asks for them.",
            },
            "prices": {
                "type": "object",
                "additionalProperties": _strict(
                    {"prompt": _USD, "completion": _USD, "cached": _USD}, ("prompt", "completion")
                ),
            },
            "limits": _strict(
                {
                    "in_flight": _number("integer", 1, 1_000),
                    "tokens_per_minute": _number("integer", 0, 10**9),
                    "attempts": _number("integer", 1, 20),
                    "timeout_s": _number("integer", 1, 1_800),
                },
                description="Of the endpoint, for all workers together; those of the environment where nothing is said.",
            ),
        },
        ("name", "models"),
    ),
}


def profile_schema() -> Schema:
    """The published JSON Schema (draft 2020-12) of a profile's file; what it cannot say is checked beside it."""
    return copy.deepcopy(_SCHEMA)


# ------------------------------------------------------------------ reading
def read_profile(raw: bytes, *, file: str) -> ProfileFile:
    """The profile in a file's bytes; ``file`` names it in faults.

    :raises InvalidProfile: it describes no judge.
    """
    faults = FaultList(file)
    data = read_yaml(raw, faults)
    if not faults.errors:
        note_violations(Draft202012Validator(_SCHEMA), data, faults)
    if not faults.errors:
        _check_meaning(data, faults)
    if faults.errors:
        raise InvalidProfile(list(faults.errors))
    terms = _terms(data)
    _warn(terms, data.get("prices"), faults)
    return ProfileFile(
        name=data["name"],
        terms=terms,
        prices=data.get("prices"),
        limits={name: int(value) for name, value in data.get("limits", {}).items()},
        warnings=tuple(faults.warnings),
    )


def _terms(data: Mapping[str, Any]) -> Terms:
    terms = Terms(
        extract=data["models"]["extract"],
        verify=tuple(data["models"]["verify"]),
        votes=int(data.get("votes", 1)),
        sampling={"temperature": 0, **data.get("sampling", {})},
        passage_tokens={model: _tokens(data.get("passage_tokens", {}), model) for model in _models(data)},
        group_claims=int(data.get("group_claims", 1)),
        picture_detail=data.get("picture_detail", "auto"),
    )
    # As a stored profile gives them back: what is compared and asked must not depend on where it was read.
    return Terms.read(terms.as_parameters(), model="")


def _models(data: Mapping[str, Any]) -> tuple[str, ...]:
    return (*data["models"]["verify"], data["models"]["extract"])


def _tokens(given: Any, model: str) -> int:
    return int(given.get(model, PASSAGE_TOKENS) if isinstance(given, dict) else given)


def _check_meaning(data: Mapping[str, Any], faults: FaultList) -> None:
    seats = data["models"]["verify"]
    if len(seats) % 2 == 0:
        faults.error(
            "models.verify",
            f"has {len(seats)} seats; an odd number of them has a majority, and one judges alone",
        )
    for seat, reason in _repeated(seats):
        faults.error(at("models.verify", seat), reason)
    if len(seats) > 1 and data.get("votes", 1) > 1:
        faults.error("votes", "the seats of a panel are its votes; leave this out, or let one model verify")
    given = data.get("passage_tokens")
    for model in given if isinstance(given, dict) else ():
        if model not in _models(data):
            known = _models(data)
            faults.error(
                at("passage_tokens", model), f"is no model of this profile{suggestion(model, known)}"
            )


def _repeated(seats: list[str]) -> Iterator[tuple[int, str]]:
    for number, model in enumerate(seats):
        if model in seats[:number]:
            yield (
                number,
                f"{quoted(model)} has a seat already and is asked in the same way; more of one model are votes",
            )


def _warn(terms: Terms, prices: Mapping[str, Any] | None, faults: FaultList) -> None:
    if terms.votes > 1 and terms.repeats_itself:
        reason = (
            "at temperature 0 and without a seed every vote would be the same, so one call is enough and one is made: "
            "set sampling.temperature above 0 or sampling.seed, or leave votes out"
        )
        faults.warn("votes", reason)
    for model in terms.models:
        if prices and model not in prices:
            faults.warn("prices", f"has none for {quoted(model)}: what judging costs will not be known")
