"""Structured data out of an answer or a page by rule: lists, tables, headings, labels, patterns, citations."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from judging.judges.lexical.document import Citations, Element, Kind, Reading
from judging.judges.lexical.groups import Group, groups_in
from judging.judges.lexical.labelled import Pair, best_pair, lead_of, pairs_in, tidy
from judging.judges.lexical.mentions import mentioned
from judging.judges.lexical.schema import MAX_DEPTH, Field, Schema, field_of, properties_of, resolve
from judging.judges.lexical.validity import completed, fits
from judging.judges.lexical.values import MISSING, typed_value
from judging.judges.lexical.words import content_stems, plain
from judging.patterns import find_pattern

__all__ = ["extract"]

MAX_ITEMS = 200  # of one array
TRIED = 20  # items of a run that are read to see whether it is the one meant
MAX_SCOPE = 20_000  # characters of one item that are searched
MAX_DOCUMENT = 60_000  # characters of the whole
_SEPARATORS = re.compile(r"\s*(?:[,;、；，\n]|\s(?:and|und|et|y)\s)\s*")


def _text(scope: Element) -> str:
    return scope.text()[: MAX_DOCUMENT if scope.kind is Kind.DOCUMENT else MAX_SCOPE]


def _read(field: Field, markdown: str) -> Any:
    """The field's value in a piece of the answer, by its pattern if it has one."""
    text: str | None = plain(markdown)
    if field.pattern:
        text = find_pattern(field.pattern, plain(markdown))
    return MISSING if text is None else typed_value(tidy(text), field.kind, field.schema)


class _Reader:
    """One extraction: what it reads from, the schema's root, and the words that name what is wanted."""

    def __init__(self, citations: Citations, root: Schema, hint: frozenset[str]) -> None:
        self._citations = citations
        self._root = root
        self._hint = hint

    def object(self, scope: Element, schema: Schema, depth: int, within: str = "") -> dict[str, Any]:
        """The properties of an object schema that a part of the answer gives."""
        pairs = pairs_in(scope)
        found = {}
        for field in properties_of(schema, self._root, within):
            value = self._value(field, scope, pairs, depth)
            if value is not MISSING and fits(value, field.schema, self._root):
                found[field.name] = value
        return found

    def array(self, field: Field, scope: Element, pairs: Sequence[Pair], depth: int) -> Any:
        """The items of an array schema; an empty list where there are none."""
        item = resolve(field.schema.get("items"), self._root)
        if depth >= MAX_DEPTH:
            return MISSING
        if "properties" in item:
            return self._objects(field, item, scope, depth)
        return self._scalars(field, item, scope, pairs)

    def _value(self, field: Field, scope: Element, pairs: Sequence[Pair], depth: int) -> Any:
        if field.kind == "object":
            return self.object(scope, field.schema, depth + 1) if depth < MAX_DEPTH else MISSING
        if field.is_source:
            return self._sources(field, scope, pairs)
        if field.kind == "array":
            return self.array(field, scope, pairs, depth)
        return self._scalar(field, scope, pairs)

    def _sources(self, field: Field, scope: Element, pairs: Sequence[Pair]) -> Any:
        pair = best_pair(field.labels, pairs, floor=0.7)
        urls = self._citations.of(pair.value) if pair else ()
        urls = urls or self._citations.of(_text(scope))
        if field.kind == "array":
            return list(urls[:MAX_ITEMS])
        return urls[0] if urls else MISSING

    def _scalar(self, field: Field, scope: Element, pairs: Sequence[Pair]) -> Any:
        is_lead = field.is_lead and scope.kind is not Kind.DOCUMENT
        pair = best_pair(field.labels, pairs, floor=0.9 if is_lead else 0.0)
        value = _read(field, pair.value) if pair else MISSING
        if value is not MISSING:
            return value
        if field.pattern and not field.own_labels:
            return _read(field, _text(scope))
        if is_lead:
            return typed_value(lead_of(scope), field.kind, field.schema)
        return mentioned(field, plain(_text(scope)))

    def _scalars(self, field: Field, item: Schema, scope: Element, pairs: Sequence[Pair]) -> list[Any]:
        one = field_of(field.name, item, self._root)
        pair = best_pair(field.labels, pairs, floor=0.5)
        if pair:
            texts = pair.values or tuple(_SEPARATORS.split(pair.value))
        else:
            texts = tuple(lead_of(i) for i in self._best_run(field, scope))
        values = (_read(one, text) for text in texts[:MAX_ITEMS])
        return [v for v in values if v is not MISSING and fits(v, item, self._root)]

    def _wanted(self, field: Field) -> frozenset[str]:
        return self._hint | frozenset(content_stems(" ".join(field.labels)))

    def _best_run(self, field: Field, scope: Element) -> Sequence[Element]:
        wanted = self._wanted(field)
        best = max(groups_in(scope), key=lambda g: g.worth(wanted) * len(g.items) ** 0.25, default=None)
        return best.items if best else ()

    def _objects(self, field: Field, item: Schema, scope: Element, depth: int) -> list[dict[str, Any]]:
        """The items of the run whose parts fill the item schema best."""
        wanted = self._wanted(field)
        limit = field.schema.get("maxItems")
        limit = min(limit, MAX_ITEMS) if isinstance(limit, int) else MAX_ITEMS

        def rows(group: Group, count: int) -> list[dict[str, Any]]:
            return [self.object(e, item, depth + 1, field.name) for e in group.items[:count]]

        fields = properties_of(item, self._root, field.name)
        best, best_score = None, 0.0
        for group in groups_in(scope):
            score = _score(rows(group, min(limit, TRIED)), fields) * group.worth(wanted)
            if score > best_score:
                best, best_score = group, score
        found = rows(best, limit) if best else []
        return [kept for row in found if (kept := _kept(row, item, self._root))]


def _is_filled(value: Any) -> bool:
    return value not in ([], {}, "")


def _kept(row: dict[str, Any], item: Schema, root: Schema) -> dict[str, Any] | None:
    """An item that says something and fits its schema, else None."""
    if not any(_is_filled(value) for value in row.values()):
        return None
    whole = completed(row, item, root)
    return whole if fits(whole, item, root) else None


def _score(rows: Sequence[Mapping[str, Any]], fields: Sequence[Field]) -> float:
    """Many items count less than well filled ones: a list of bare names must not beat three full sections."""
    worth = {f.name: 0.5 if f.is_lead or f.is_source else 1.0 for f in fields}
    total = sum(worth.values()) or 1.0
    filled = [sum(worth[n] for n, v in row.items() if _is_filled(v)) / total for row in rows]
    mean = sum(filled) / len(filled)
    return float(mean * mean * math.sqrt(len(rows)))


def extract(reading: Reading, schema: Schema, hint: str = "") -> Any:
    """What an answer (or a page read as one) holds of what the schema asks for."""
    reader = _Reader(reading.citations, schema, frozenset(content_stems(plain(hint))))
    root = field_of("", schema, schema)
    if root.kind == "array":
        return reader.array(root, reading.document, pairs_in(reading.document), 0)
    return completed(reader.object(reading.document, root.schema, 0), root.schema, schema)
