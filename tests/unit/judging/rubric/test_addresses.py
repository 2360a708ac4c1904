"""Fields that a rubric uses as sources are marked, whatever they are called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judging.rubric import TreeRubric, named_urls, parse_rubric

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
HUT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "proofs": {"type": "array", "items": {"type": "string"}},
        "seen_at": {"type": "string"},
        "backed_by": {"$ref": "#/$defs/text"},
        "town": {"$ref": "#/$defs/text"},
        "listed": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "notes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"kind": {"type": "string"}, "at": {"type": "string"}},
            },
        },
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"huts": {"type": "array", "items": {"$ref": "#/$defs/hut"}}},
    "$defs": {"hut": HUT, "text": {"type": "string"}},
}


def rubric(sources: str, **more: Any) -> TreeRubric:
    node = {
        "for_each": {"in": "lodging.huts", "as": "h", "count": 2},
        "node": {
            "id": "hut_{{ loop.index }}",
            "critical": True,
            "claim": "{{ h.name }} is a hut",
            "sources": sources,
        },
    }
    extract = {"lodging": {"instruction": "The huts", "schema": SCHEMA}}
    parsed = parse_rubric(json.loads(json.dumps({"extract": extract, "tree": node} | more)), "rubric_tree")
    assert isinstance(parsed, TreeRubric)
    return parsed


def marks(schema: Any, path: str = "") -> set[str]:
    """Where a schema is marked."""
    if isinstance(schema, list):
        return set().union(*(marks(entry, f"{path}/{n}") for n, entry in enumerate(schema)))
    if not isinstance(schema, dict):
        return set()
    own = {path} if schema.get("x-source") is True else set()
    return own.union(*(marks(value, f"{path}/{key}") for key, value in schema.items()))


FIELD = "/$defs/hut/properties/"


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("h.proofs", {"proofs", "proofs/items"}),
        ("h.seen_at", {"seen_at"}),
        ("h.backed_by", {"backed_by"}),
        ("h.listed", {"listed"}),
        ("h.proofs or h.seen_at", {"proofs", "proofs/items", "seen_at"}),
        ("h.proofs + [h.seen_at, h.backed_by]", {"proofs", "proofs/items", "seen_at", "backed_by"}),
        ("h.proofs if h.name else h.seen_at", {"proofs", "proofs/items", "seen_at"}),
        ("h.proofs if h.name", {"proofs", "proofs/items"}),
        ("h.seen_at | default(h.backed_by)", {"seen_at", "backed_by"}),
        ("h.proofs | first", {"proofs/items"}),
        ("h.proofs[0]", {"proofs/items"}),
        ("h.previous.seen_at", {"seen_at"}),
        ("h.notes | selectattr('kind', 'eq', 'web') | map(attribute='at') | list", {"notes/items/properties/at"}),
        ("'https://huts.example/'", set()),
        ("[]", set()),
    ],
)  # fmt: skip
def test_what_a_rubric_uses_as_sources_is_marked(sources: str, expected: set[str]) -> None:
    (extraction,) = rubric(sources).extractions
    assert marks(extraction.schema) == {FIELD + name for name in expected}


def test_the_loops_own_item_may_be_the_address() -> None:
    extract = {
        "reply": {"instruction": "x", "schema": {"type": "object", "properties": {"where_seen": TEXTS}}}
    }
    tree = {
        "for_each": {"in": "reply.where_seen", "as": "page", "count": 2},
        "node": {"id": "p_{{ loop.index }}", "critical": True, "claim": "It is a hut", "sources": "page"},
    }
    (extraction,) = rubric("h.proofs", extract=extract, tree=tree).extractions
    assert marks(extraction.schema) == {"/properties/where_seen/items"}


def test_an_address_a_page_is_read_at_is_marked_and_so_are_those_found_on_it() -> None:
    schema = {"type": "object", "properties": {"home": TEXT, "town": TEXT}}
    extract = {
        "reply": {"instruction": "x", "schema": schema},
        "home": {"instruction": "x", "schema": schema, "from_url": "reply.town"},
    }
    leaf = {
        "id": "read",
        "critical": True,
        "extract": {"as": "found", "instruction": "x", "schema": schema},
        "from_url": "home.home",
        "assert": "found.town",
    }
    parsed = rubric("h.proofs", extract=extract, tree={"children": [leaf]})
    first, second = parsed.extractions
    assert marks(first.schema) == {"/properties/town"}
    assert marks(second.schema) == {"/properties/home"}
    (read,) = parsed.tree.children
    assert marks(read.leaf.schema) == set()  # type: ignore[union-attr]


def test_the_authors_own_data_is_left_as_it_is() -> None:
    source = {
        "extract": {"lodging": {"instruction": "The huts", "schema": SCHEMA}},
        "tree": {
            "children": [
                {"id": "a", "critical": True, "claim": "x", "sources": "lodging.huts | map(attribute='seen_at')"}
            ]
        },
    }  # fmt: skip
    before = json.dumps(source)
    parse_rubric(source, "rubric_tree")
    assert json.dumps(source) == before


def test_urls_are_found_where_a_rubric_names_pages_itself() -> None:
    schema = {"type": "object", "properties": {"town": TEXT}}
    parsed = rubric(
        "h.proofs",
        truth={"pages": [{"of": "Harn", "at": " https://a.example/ "}], "n": 1, "note": "see https://no.example/"},
        extract={
            "lodging": {"instruction": "x", "schema": SCHEMA},
            "page": {"instruction": "x", "schema": schema, "from_url": "'https://b.example/'"},
        },
        tree={
            "children": [
                {"id": "a", "critical": True, "claim": "https://no.example/", "sources": "lodging.huts[0].proofs + ['HTTP://c.example/x']"},
                {"id": "b", "critical": True, "extract": {"as": "f", "instruction": "x", "schema": schema}, "from_url": "page.town or 'https://d.example/'", "assert": "f.town"},
                {"id": "c", "critical": True, "assert": "page.town == 'https://no.example/'"},
                {"id": "d", "critical": True, "claim": "x", "evidence": "none"},
            ]
        },
    )  # fmt: skip
    assert list(named_urls(parsed)) == [
        ("truth.pages[0].at", "https://a.example/"),
        ("extract.page.from_url", "https://b.example/"),
        ("tree.children[0].sources", "HTTP://c.example/x"),
        ("tree.children[1].from_url", "https://d.example/"),
    ]
