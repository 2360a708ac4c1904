"""What an object means: verdicts by id, extracted data, claims. Pure; every doubt is *not assessed*."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from jsonschema.protocols import Validator

from judging.citations import MalformedUrl, cited_urls, url_key
from judging.judges.base import (
    AnswerState,
    ClaimsRequest,
    ExtractedClaim,
    Finding,
    Passage,
    Relevance,
    VerifyRequest,
)
from judging.judges.openai.faults import Fault
from judging.judges.openai.replies import Unusable
from judging.passages import GAP
from judging.prompts import Prompt, clean, inlined
from judging.quotes import occurs
from judging.validation import validator_of

__all__ = ["Reading", "is_empty", "is_long", "read_claims", "read_data", "read_verdicts", "shows"]

E = TypeVar("E", bound=StrEnum)

MAX_REASON = 1000
MAX_QUOTE = 2000
LONG_ANSWER = 200  # words: above it an empty extraction is asked again

# Codes of replies that are what the model meant; the others are failures, which nobody remembers.
_SETTLED = ("", "abstained", "unusable_page")
_DECIDED = (Finding.SUPPORTED, Finding.REFUTED)
_WORDS = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One verdict as read. ``code`` says why there is none."""

    finding: Finding
    code: str = ""
    reason: str = ""
    quote: str = ""
    answer_state: AnswerState | None = None
    relevance: Relevance | None = None
    seen_in: str = ""


def read_verdicts(
    data: Mapping[str, Any], prompt: Prompt, request: VerifyRequest
) -> tuple[dict[str, Reading], bool]:
    """One reading per id asked, and whether all of them are verdicts.

    An id that is missing, comes twice or carries no usable verdict spoils its own reading only; an id that
    was not asked for spoils nothing.

    :raises Unusable: no list of verdicts at all.
    """
    given = data.get("verdicts")
    if not isinstance(given, list):
        raise Unusable(Fault.SCHEMA_MISMATCH, "no list of verdicts")
    entries = [entry for entry in given if isinstance(entry, Mapping)]
    times = Counter(entry["id"] for entry in entries if isinstance(entry.get("id"), str))
    by_id = {entry["id"]: entry for entry in entries if isinstance(entry.get("id"), str)}
    readings = {
        ident: _reading(by_id[ident], prompt, request) if times[ident] == 1 else _not_one(times[ident])
        for ident in prompt.ids
    }
    return readings, all(reading.code in _SETTLED for reading in readings.values())


def _not_one(times: int) -> Reading:
    return Reading(Finding.NOT_ASSESSED, "double_id" if times else "missing_id")


def _reading(entry: Mapping[str, Any], prompt: Prompt, request: VerifyRequest) -> Reading:
    word = entry.get("verdict")
    finding = prompt.template.words.get(word) if isinstance(word, str) else None
    if finding is None:
        return Reading(Finding.NOT_ASSESSED, Fault.UNPARSABLE)
    reading = Reading(
        finding=Finding(finding),
        code="abstained" if finding == Finding.NOT_ASSESSED else "",
        reason=_string(entry.get("reason"), MAX_REASON),
        quote=_string(entry.get("quote"), MAX_QUOTE),
        answer_state=_member(AnswerState, entry.get("answer_state")) if request.page is None else None,
        relevance=_member(Relevance, entry.get("relevance")) if request.page is not None else None,
        seen_in=_seen_in(entry) if prompt.shows_picture else "",
    )
    return _by_page(reading, request.page) if request.page else _by_answer(reading, request.answer or "")


def _by_page(reading: Reading, page: Passage) -> Reading:
    """A decision stands on a passage of the page, or on its picture if one was shown, or it does not stand."""
    by_picture = reading.seen_in == "picture" and not reading.quote
    if reading.finding in _DECIDED and not by_picture and not shows(page, reading.quote):
        return replace(reading, finding=Finding.NOT_ASSESSED, code=Fault.QUOTE_MISMATCH)
    if reading.finding is Finding.UNDECIDED and reading.relevance is Relevance.UNUSABLE:
        return replace(reading, finding=Finding.NOT_ASSESSED, code="unusable_page")
    return reading if reading.finding in _DECIDED else replace(reading, quote="")


def _seen_in(entry: Mapping[str, Any]) -> str:
    """What a verdict rests on; anything but a clear word means the text, which is checked."""
    return "picture" if entry.get("seen_in") == "picture" else "text"


def _by_answer(reading: Reading, answer: str) -> Reading:
    """About the answer a quote is an extra: one that does not occur in it is left out."""
    return reading if occurs(reading.quote, [answer]) else replace(reading, quote="")


def _string(value: Any, limit: int) -> str:
    return clean(value)[:limit].strip() if isinstance(value, str) else ""


def _member(kind: type[E], value: Any) -> E | None:
    return kind(value) if isinstance(value, str) and value in set(kind) else None


def shows(page: Passage, quote: str) -> bool:
    """Whether the quote occurs in one contiguous part of the page as shown.

    Blanks, line ends and typographic forms of quotation marks and dashes count as the same; letters, digits
    and their case do not. A quote without a letter or digit proves nothing.
    """
    return occurs(quote, page.text.split(f"\n{GAP}\n"))


def read_data(schema: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], tuple[Any, bool]]:
    """A reader for extractions: the data, if the author's schema holds for it."""
    written_out = inlined(schema)
    validator = validator_of(written_out)

    def read(data: Mapping[str, Any]) -> tuple[Any, bool]:
        if "data" not in data:
            raise Unusable(Fault.SCHEMA_MISMATCH, "no data")
        found = _without_nulls(data["data"], written_out)
        fault = _schema_fault(validator, found)
        if fault:
            raise Unusable(Fault.SCHEMA_MISMATCH, fault)
        return found, True

    return read


def _schema_fault(validator: Validator, data: Any) -> str:
    error = next(iter(validator.iter_errors(data)), None)
    return "" if error is None else f"{error.json_path}: {error.message}"[:300]


def _without_nulls(data: Any, schema: Mapping[str, Any]) -> Any:
    """Nulls that strict decoding puts where the author's schema says "may be absent" are taken out."""
    if "anyOf" in schema:
        return _by_alternative(data, schema["anyOf"])
    if isinstance(data, list):
        items = schema.get("items")
        return [_without_nulls(item, items) for item in data] if isinstance(items, Mapping) else data
    if not isinstance(data, Mapping):
        return data
    properties = schema.get("properties", {})
    return {
        name: _without_nulls(value, properties.get(name, {}))
        for name, value in data.items()
        if not (value is None and _absent(name, schema))
    }


def _by_alternative(data: Any, alternatives: Sequence[Mapping[str, Any]]) -> Any:
    for alternative in alternatives:
        found = _without_nulls(data, alternative)
        if validator_of(alternative).is_valid(found):
            return found
    return data


def _absent(name: str, schema: Mapping[str, Any]) -> bool:
    """Whether a null under this name can only mean that there is nothing."""
    properties = schema.get("properties", {})
    optional = name in properties and name not in schema.get("required", ())
    return optional and not validator_of(properties[name]).is_valid(None)


def read_claims(
    request: ClaimsRequest,
) -> Callable[[Mapping[str, Any]], tuple[tuple[ExtractedClaim, ...], bool]]:
    """A reader for claims: distinct, at most ``limit``, with URLs that the answer cites, as it cites them."""
    known = {_key(url): url for url in cited_urls(request.answer)}

    def read(data: Mapping[str, Any]) -> tuple[tuple[ExtractedClaim, ...], bool]:
        given = data.get("claims")
        if not isinstance(given, list) or not all(_is_claim(item) for item in given):
            raise Unusable(Fault.SCHEMA_MISMATCH, "no list of claims")
        claims: dict[str, list[str]] = {}
        for item in given:
            claims.setdefault(clean(item["text"]).strip(), []).extend(item["urls"])
        found = [ExtractedClaim(text, _cited(urls, known)) for text, urls in claims.items() if text]
        return tuple(found[: request.limit]), True

    return read


def _is_claim(item: Any) -> bool:
    return (
        isinstance(item, Mapping)
        and isinstance(item.get("text"), str)
        and isinstance(item.get("urls"), list)
        and all(isinstance(url, str) for url in item["urls"])
    )


def _cited(urls: Sequence[str], known: Mapping[str, str]) -> tuple[str, ...]:
    """The URLs as the answer cites them. One it does not cite was made up by the model."""
    keys = (_key(url) for url in urls)
    return tuple(dict.fromkeys(known[key] for key in keys if key in known))


def _key(url: str) -> str:
    """A URL's identity; a malformed one is identical to itself only."""
    try:
        return url_key(url.strip())
    except MalformedUrl:
        return url.strip()


def is_empty(data: Any) -> bool:
    """Whether nothing was extracted: no text, number or true value anywhere."""
    if isinstance(data, Mapping):
        return all(is_empty(value) for value in data.values())
    if isinstance(data, list | tuple):
        return all(is_empty(value) for value in data)
    return data is None or data is False or (isinstance(data, str) and not data.strip())


def is_long(answer: str) -> bool:
    """Whether an answer has more than 200 words (two CJK characters count as one)."""
    return sum(1 for _ in _WORDS.finditer(answer)) > LONG_ANSWER
