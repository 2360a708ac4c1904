"""Structured data out of an answer or a page by rule: lists, tables, headings, labels, patterns, citations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from judging.judges.lexical.document import Citations, Element, Kind, Reading
from judging.judges.lexical.labelled import Pair, best_pair, lead_of, pairs_in, tidy
from judging.judges.lexical.patterns import find_pattern
from judging.judges.lexical.schema import MAX_DEPTH, Field, field_of, properties_of, resolve
from judging.judges.lexical.values import MISSING, typed_value
from judging.judges.lexical.words import content_stems, plain, sentences

__all__ = ["extract"]

MAX_ITEMS = 200  # of one array
MAX_GROUPS = 200  # lists, tables and runs of headings looked at for one array
MAX_HEADING = 80  # characters of a heading that is compared with the usual ones
MAX_SCOPE = 20_000  # characters of one item that are searched
_NUMBERED = re.compile(r"\W*(?:\w+\s)?#?\d{1,3}\s*[.):–—-]|.{0,30}\b\d{1,3}\s*:", re.IGNORECASE)
_JUNK = re.compile(
    r"\W*(?:[\d.]+\W*)?(?:sources?|references?|citations?|bibliography|summary|conclusions?|notes?|methodology|limitations?"
    r"|further reading|introduction|overview|caveats?|disclaimer|appendix|next steps|what i left out.*|not (?:chosen|included).*"
    r"|(?:other|also) .{0,40}|rejected.*|excluded.*|planning notes|research .{0,40})\W*", re.IGNORECASE,
)  # fmt: skip
_SEPARATORS = re.compile(r"\s*(?:[,;、；，\n]|\s(?:and|und|et|y)\s)\s*")


@dataclass(frozen=True, slots=True)
class _Group:
    items: Sequence[Element]
    above: str
    numbered: bool


class _Reader:
    """One extraction: the document, its citations, the schema's root and what names the thing wanted."""

    def __init__(
        self, document: Element, citations: Citations, root: Mapping[str, Any], hint: frozenset[str]
    ) -> None:
        self.document = document
        self.citations = citations
        self.root = root
        self.hint = hint

    def object(self, scope: Element, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        pairs = pairs_in(scope)
        found = {}
        for each in properties_of(schema, self.root):
            value = self.value(each, scope, pairs, depth)
            if value is not MISSING and _fits(value, each.schema):
                found[each.name] = value
        return found

    def value(self, field: Field, scope: Element, pairs: Sequence[Pair], depth: int) -> Any:
        if field.kind == "object":
            return self.object(scope, field.schema, depth + 1) if depth < MAX_DEPTH else MISSING
        if field.is_source:
            return self.sources(field, scope, pairs)
        if field.kind == "array":
            return self.array(field, scope, pairs, depth)
        return self.scalar(field, scope, pairs)

    def sources(self, field: Field, scope: Element, pairs: Sequence[Pair]) -> Any:
        pair = best_pair(field.labels, pairs, floor=0.7)
        urls = self.citations.of(pair.value) if pair else ()
        urls = urls or self.citations.of(scope.text()[:MAX_SCOPE])
        if field.kind == "array":
            return list(urls)
        return urls[0] if urls else MISSING

    def scalar(self, field: Field, scope: Element, pairs: Sequence[Pair]) -> Any:
        is_lead = field.is_lead and scope.kind is not Kind.DOCUMENT
        pair = best_pair(field.labels, pairs, floor=0.9 if is_lead else 0.0)
        value = _read(field, pair.value) if pair else MISSING
        if value is not MISSING:
            return value
        if field.pattern and not field.own_labels:
            return _read(field, scope.text()[:MAX_SCOPE])
        if is_lead:
            return lead_of(scope) or MISSING
        return self.mentioned(field, scope)

    def mentioned(self, field: Field, scope: Element) -> Any:
        """What the sentence that speaks of the field states, where no label does: typed values only."""
        if field.kind == "string" and not field.pattern and field.schema.get("format") != "date":
            return MISSING
        text = plain(scope.text()[:MAX_SCOPE])
        wanted = [frozenset(content_stems(label)) for label in field.labels]
        for start, end in sentences(text):
            stems = frozenset(content_stems(text[start:end]))
            if any(w and w <= stems for w in wanted):
                value = _read(field, text[start:end])
                if value is not MISSING:
                    return value
        return MISSING

    def array(self, field: Field, scope: Element, pairs: Sequence[Pair], depth: int) -> Any:
        item = resolve(field.schema.get("items"), self.root)
        if "properties" in item:
            return self.objects(field, item, scope, depth)
        one = field_of(field.name, item, self.root)
        pair = best_pair(field.labels, pairs, floor=0.5)
        if pair:
            texts = pair.values or tuple(_SEPARATORS.split(pair.value))
        else:
            texts = tuple(lead_of(i) for i in self.best_items(field, scope))
        values = (typed_value(tidy(t), one.kind, one.schema) for t in texts)
        return [v for v in values if v is not MISSING and _fits(v, item)][:MAX_ITEMS]

    def best_items(self, field: Field, scope: Element) -> Sequence[Element]:
        wanted = self.hint | frozenset(content_stems(" ".join(field.labels)))
        ranked = max(_groups(scope), key=lambda g: _context(g, wanted) * len(g.items) ** 0.25, default=None)
        return ranked.items if ranked else ()

    def objects(self, field: Field, item: Mapping[str, Any], scope: Element, depth: int) -> Any:
        if depth >= MAX_DEPTH:
            return MISSING
        wanted = self.hint | frozenset(content_stems(" ".join(field.labels)))
        best: list[dict[str, Any]] = []
        best_score = 0.0
        limit = field.schema.get("maxItems")
        limit = limit if isinstance(limit, int) else MAX_ITEMS
        for group in _groups(scope):
            rows = [self.object(e, item, depth + 1) for e in group.items[: min(limit, MAX_ITEMS)]]
            score = _score(rows, properties_of(item, self.root)) * _context(group, wanted)
            if score > best_score:
                best, best_score = [r for r in rows if r], score
        return best


def _read(field: Field, markdown: str) -> Any:
    """The field's value in a piece of the answer, by its pattern if it has one."""
    text: str | None = plain(markdown)
    if field.pattern:
        text = find_pattern(field.pattern, plain(markdown))
    return MISSING if text is None else typed_value(tidy(text), field.kind, field.schema)


def _score(rows: Sequence[Mapping[str, Any]], fields: Sequence[Field]) -> float:
    """Many items count less than well filled ones: a list of bare names must not beat three full sections."""
    if not rows:
        return 0.0
    worth = {f.name: 0.5 if f.is_lead or f.is_source else 1.0 for f in fields}
    total = sum(worth.values()) or 1.0
    filled = [sum(worth[n] for n, v in row.items() if v not in ([], {}, "")) / total for row in rows]
    mean = sum(filled) / len(filled)
    return float(mean * mean * math.sqrt(len(rows)))


def _context(group: _Group, wanted: frozenset[str]) -> float:
    above = frozenset(content_stems(plain(group.above)))
    fit = len(above & wanted) / len(above) if above else 0.0
    junk = 0.2 if _is_junk(group.above) else 1.0
    fields = 0.2 if _are_fields(group.items) else 1.0
    return (1.0 + 0.5 * fit) * (1.3 if group.numbered else 1.0) * junk * fields


def _is_junk(heading: str) -> bool:
    """Whether a heading speaks of sources, notes or what was left out; only short ones are looked at."""
    return len(heading) <= MAX_HEADING and _JUNK.fullmatch(heading) is not None


def _are_fields(items: Sequence[Element]) -> bool:
    """Whether a list is the fields of one thing ("Price: …", "Beds: …") and no list of things."""
    if items[0].kind is not Kind.ITEM:
        return False
    labelled = sum(1 for i in items if re.match(r"[*_]{0,2}[^:：\n]{1,40}[:：]", i.head) and not i.children)
    return labelled > 0.6 * len(items)


def _sections(scope: Element) -> Iterable[_Group]:
    levels = sorted({c.level for c in scope.children if c.kind is Kind.SECTION})
    for level in levels:
        usable = [
            c for c in scope.children if c.kind is Kind.SECTION and c.level == level and not _is_junk(c.head)
        ]
        numbered = [c for c in usable if _NUMBERED.match(c.head)]
        if numbered:
            yield _Group(numbered, scope.head, True)
        elif usable:
            yield _Group(usable, scope.head, False)


def _groups(scope: Element) -> list[_Group]:
    """Every run of like things in a part of an answer: sections beside each other, lists, tables."""
    groups: list[_Group] = []
    stack = [(scope, scope.head)]
    while stack and len(groups) < MAX_GROUPS:
        element, above = stack.pop(0)
        groups.extend(_sections(element))
        if element.kind in (Kind.LIST, Kind.TABLE) and element.children:
            groups.append(_Group(element.children, above, element.ordered))
        before = element.head or above
        for child in element.children:
            stack.append((child, before))
            before = child.head if child.kind is Kind.PARAGRAPH else before
    return groups


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    try:
        return bool(Draft202012Validator(schema).is_valid(value))
    except (SchemaError, re.error, RecursionError):
        return False


def extract(reading: Reading, schema: Mapping[str, Any], hint: str = "") -> Any:
    """What an answer (or a page read as one) holds of what the schema asks for."""
    words = frozenset(content_stems(plain(hint)))
    reader = _Reader(reading.document, reading.citations, schema, words)
    root = field_of("", schema, schema)
    if root.kind == "array":
        return reader.array(root, reading.document, pairs_in(reading.document), 0)
    return reader.object(reading.document, root.schema, 0)
