"""Values that no label marks: what the sentence that speaks of a field states, next to the field's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from judging.judges.lexical.facts import readable
from judging.judges.lexical.quantities import Date, Number, Quantity, quantities
from judging.judges.lexical.schema import Field
from judging.judges.lexical.values import MISSING, fitted, typed_value, written_number
from judging.judges.lexical.words import content_stems, sentences, word_places
from judging.patterns import find_pattern

__all__ = ["mentioned"]

MAX_DISTANCE = 60  # characters between a field's words and its number
MAX_SENTENCES = 400
_YEARLY = frozenset(content_stems("year date founded born"))
_SHARES = frozenset(content_stems("rate share percent percentage proportion"))
_COPULA = re.compile(r"\s*(?:is|was|are|were|will be|[:=])\s+(?:the\s+)?(?P<value>[^.,;()]{1,120})")


def _sentences(text: str, label: frozenset[str]) -> Iterator[str]:
    for start, end in sentences(text)[:MAX_SENTENCES]:
        sentence = readable(text[start:end])
        if label and label <= frozenset(content_stems(sentence)):
            yield sentence


def _label_span(sentence: str, label: frozenset[str]) -> tuple[int, int]:
    """Where the words of a label first stand in a sentence that holds them all."""
    first: dict[str, tuple[int, int]] = {}
    for word, place in word_places(sentence):
        if word in label:
            first.setdefault(word, place)
    return min((p[0] for p in first.values()), default=0), max((p[1] for p in first.values()), default=0)


def _candidates(sentence: str, label: frozenset[str]) -> list[Quantity]:
    found = [q for q in quantities(sentence) if written_number(q) is not None]
    if not label & _YEARLY:
        found = [q for q in found if not isinstance(q, Date)]
    shares = [q for q in found if isinstance(q, Number) and q.unit == "%"]
    return [*shares] if shares and label & _SHARES else found


def _nearest_number(field: Field, text: str, label: frozenset[str]) -> Any:
    """The number closest to the label, in whichever sentence it stands closest."""
    best: tuple[int, float] | None = None
    for sentence in _sentences(text, label):
        start, end = _label_span(sentence, label)
        for quantity in _candidates(sentence, label):
            distance = max(quantity.at[0] - end, start - quantity.at[1], 0)
            number = written_number(quantity)
            if number is not None and distance <= MAX_DISTANCE and (best is None or distance < best[0]):
                best = (distance, number)
    return fitted(best[1], field.kind) if best else MISSING


def _stated(field: Field, text: str, label: frozenset[str]) -> Any:
    """A string by the field's pattern or date format, or after "is", in a sentence that holds the label."""
    for sentence in _sentences(text, label):
        if field.pattern:
            found = find_pattern(field.pattern, sentence)
        elif field.schema.get("format") == "date":
            found = sentence
        else:
            copula = _COPULA.match(sentence, _label_span(sentence, label)[1])
            found = copula["value"] if copula and len(label) > 1 else None
        value = MISSING if found is None else typed_value(found, field.kind, field.schema)
        if value is not MISSING:
            return value
    return MISSING


def mentioned(field: Field, text: str) -> Any:
    """The value of a field that some sentence of the text states without a label, ``MISSING`` if none does."""
    reader = _nearest_number if field.kind in ("number", "integer") and not field.pattern else _stated
    if field.kind == "boolean":
        return MISSING
    for name in field.labels:
        value = reader(field, text, frozenset(content_stems(name)))
        if value is not MISSING:
            return value
    return MISSING
