"""Schemas are filled from lists, tables, headings, labels, patterns and citations."""

from __future__ import annotations

import re
from typing import Any

import pytest

from judging.judges.base import ExtractOutcome

from .asking import extract


def items(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    item = {"type": "object", "properties": properties, **more}
    return {"type": "object", "properties": {"huts": {"type": "array", "items": item}}}


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def data(answer: str, schema: dict[str, Any], **more: Any) -> Any:
    reply = extract(answer, schema, **more)
    assert reply.outcome is ExtractOutcome.OK
    return reply.data


NAME = {"type": "string"}
BEDS = {"type": "integer", "x-labels": ["Beds", "Number of beds"]}
SOURCES = {"type": "array", "items": {"type": "string", "format": "uri"}}
HUTS = items({"name": NAME, "beds": BEDS, "sources": SOURCES})
A = "https://huts.example/a"
EXPECTED = [
    {"name": "Sorrel Hut", "beds": 30, "sources": [A]},
    {"name": "Lantern Col Hut", "beds": 24, "sources": []},
]


@pytest.mark.parametrize(
    "answer",
    [
        f"## 1. Sorrel Hut\n\n**Beds:** 30 ([a]({A}))\n\n## 2. Lantern Col Hut\n\n**Beds:** 24\n",
        f"# Huts\n\n1. **Sorrel Hut** – cheap\n   - Beds: 30\n   - [link]({A})\n2. **Lantern Col Hut**\n   - Beds: 24\n",
        f"- Sorrel Hut: near Hask. **Beds**: 30 [1]\n- Lantern Col Hut: high. **Beds**: 24\n\n[1]: {A}\n",
        f"| Hut | Beds |\n|---|---|\n| [Sorrel Hut]({A}) | 30 |\n| Lantern Col Hut | 24 |\n",
        f"**1. Sorrel Hut**\n\nBeds: 30, see {A}\n\n**2. Lantern Col Hut**\n\nBeds: 24\n",
        f"Hut 1: Sorrel Hut\n\n### Option 1: Sorrel Hut (near Hask)\n\nNumber of beds: 30\n\n{A}\n\n### Option 2: Lantern Col Hut\n\nNumber of beds: 24",
        f"## Sorrel Hut\n\nIt has 30 beds ({A}).\n\n## Lantern Col Hut\n\nIt has 24 beds, I think.\n\n## Sources\n\nnone",
    ],
)  # fmt: skip
def test_items_are_found_in_whatever_structure_the_answer_has(answer: str) -> None:
    assert data(answer, HUTS) == {"huts": EXPECTED}


def test_full_sections_beat_a_longer_list_of_names() -> None:
    answer = (
        f"## 1. Sorrel Hut\n\n**Beds:** 30 ([a]({A}))\n\n## 2. Lantern Col Hut\n\n**Beds:** 24\n\n"
        "## What I left out\n\n- Ewe Stair\n- Kettle Lip\n- Grey Heron\n- Hollow Beacon\n"
    )
    assert data(answer, HUTS) == {"huts": EXPECTED}


PEOPLE = {
    "name": NAME,
    "year": {"type": "integer", "x-pattern": r"(1[89]\d\d|20\d\d)"},
    "sources": SOURCES,
}
TOLD_APART = f"""## Generation 1: Ann Birch (confirmed)

**Dr. Ann Birch** taught him.

**Verification Sources:**

- Registry, 2012 to 2018: {A}
- Notice: {A}2

**Academic Details:**

- Prize in her field: {A}3

## Generation 2: Cal Dunn (confirmed)

**Dr. Cal Dunn** taught her.

**Verification Sources:**

- Registry: {A}4

## Generation 3: cannot be determined

Nothing was found.
"""


@pytest.mark.parametrize("title", ["", "# Academic lineage of Eve Ford\n\nThree generations.\n\n"])
@pytest.mark.parametrize("instruction", ["For each generation the advisor's name", "The people who taught"])
def test_neither_the_title_nor_a_part_of_one_item_is_the_list(title: str, instruction: str) -> None:
    found = data(title + TOLD_APART, items(PEOPLE), instruction=instruction)["huts"]
    assert [row.get("name") for row in found[:2]] == ["Ann Birch", "Cal Dunn"]


def test_the_number_of_items_is_bounded_by_the_schema() -> None:
    schema = {"type": "object", "properties": {"huts": {"type": "array", "maxItems": 1, "items": {"type": "object", "properties": {"name": NAME}}}}}  # fmt: skip
    assert data("- Sorrel Hut\n- Lantern Hut\n", schema) == {"huts": [{"name": "Sorrel Hut"}]}


def test_the_heading_that_speaks_of_the_array_wins() -> None:
    schema = {"type": "object", "properties": {"books": {"type": "array", "items": {"type": "object", "properties": {"title": NAME}}}}}  # fmt: skip
    answer = "## Films\n\n- Salt Road\n- Glass\n\n## Books\n\n- Amber\n- Rime\n"
    assert data(answer, schema) == {"books": [{"title": "Amber"}, {"title": "Rime"}]}


def test_a_string_called_like_its_array_leads() -> None:
    schema = {"type": "object", "properties": {"events": {"type": "array", "items": {"type": "object", "properties": {"event": NAME, "venue": NAME}}}}}  # fmt: skip
    answer = "### 1. Harbour Choir\n\n- **Venue:** the Mole\n\n### 2. Net Loft\n\n- **Venue:** the Loft\n"
    assert data(answer, schema)["events"][0] == {"event": "Harbour Choir", "venue": "the Mole"}


def test_an_item_that_says_it_found_nothing_is_none() -> None:
    assert data("## Hut 1: Sorrel\n\nx\n\n## Hut 2: Cannot be determined\n\nx\n", items({"name": NAME})) == {
        "huts": [{"name": "Sorrel"}]
    }


@pytest.mark.parametrize(
    ("answer", "schema", "expected"),
    [
        ("**Price:** 12,50 €", {"type": "number", "x-labels": ["Price"]}, 12.5),
        ("**Status** : open **Price** : 12 € **Link** : x", {"type": "number", "x-labels": ["Price"]}, 12),
        ("Entry fee: 12 €", {"type": "string", "x-labels": ["Fee"]}, "12 €"),
        ("| Key | Value |\n|---|---|\n| Entry fee | 12 € |", {"type": "number", "x-labels": ["Entry fee"]}, 12),
        ("## Entry fee\n\nIt is 12 €.", {"type": "number", "x-labels": ["Entry fee"]}, 12),
        ("- Entry fee\n  - 12 €\n", {"type": "number", "x-labels": ["Entry fee"]}, 12),
        ("门票：12元", {"type": "number", "x-labels": ["门票"]}, 12),
        ("The entry fee in 2024 was about 12 € a head.", {"type": "number", "x-labels": ["entry fee"]}, 12),
        ("Faker won 6 games in 2024, a 66.7% win rate.", {"type": "number", "x-labels": ["win rate"]}, 66.7),
        ("The hut was founded in 1954.", {"type": "integer", "x-labels": ["founded"]}, 1954),
        ("The opening day is 3 May 2024.", {"type": "string", "format": "date", "x-labels": ["opening day"]}, "2024-05-03"),
        ("Opens: 3 May 2024", {"type": "string", "format": "date", "x-labels": ["Opens"]}, "2024-05-03"),
        ("The highest hut is the Grey Heron Hut, they say.", {"type": "string", "x-labels": ["highest hut"]}, "Grey Heron Hut"),
        ("Half board: yes, 31 marks", {"type": "boolean", "x-labels": ["Half board"]}, True),
        ("Half board: ✗", {"type": "boolean", "x-labels": ["Half board"]}, False),
        ("Size: quite large", {"type": "string", "enum": ["small", "large"], "x-labels": ["Size"]}, "large"),
        ("ISBN 978-3-16 in short", {"type": "string", "x-pattern": r"ISBN ([\d-]+)"}, "978-3-16"),
        ("Highest hut: Grey Heron Hut at 1,415 m", {"type": "string", "x-labels": ["Highest hut"], "x-pattern": "[A-Z][a-z]+ [A-Z][a-z]+ Hut"}, "Grey Heron Hut"),
        ("We rate the highest hut, Grey Heron Hut, well.", {"type": "string", "x-labels": ["highest hut"], "x-pattern": "[A-Z][a-z]+ [A-Z][a-z]+ Hut"}, "Grey Heron Hut"),
        ("Field: 1.2 million", {"type": ["integer", "null"]}, 1200000),
        ("Field: 5 km", {"anyOf": [{"type": "null"}, {"type": "number"}]}, 5),
        ("Field: 5", {"$ref": "#/$defs/count"}, 5),
        ("Field: 5", {"$ref": "#/$defs//count"}, 5),
        ("Field: 3 May 2024, 17:30, then 5", {"type": "number"}, 5),
        ("Field: May 2024 to 3 June 2024", {"type": "string", "format": "date"}, "2024-06-03"),
        ("The entry fee is 12 € for 3 people.", {"type": "number", "x-labels": ["entry fee"]}, 12),
        ("Inner: 5", {"properties": {"inner": {"type": "number"}}}, {"inner": 5}),
        ("Field: a, b", {"items": {"type": "string"}}, ["a", "b"]),
    ],
)  # fmt: skip
def test_a_field_is_read_where_it_is_labelled_or_spoken_of(
    answer: str, schema: dict[str, Any], expected: Any
) -> None:
    whole = fields(field=schema) | {"$defs": {"count": {"type": "integer"}}}
    found = data(answer, whole)["field"]
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("answer", "schema"),
    [
        ("Price: on request", {"type": "number", "x-labels": ["Price"]}),
        ("Beds: 24.5", {"type": "integer", "x-labels": ["Beds"]}),
        ("Price: n/a", {"type": "string", "x-labels": ["Price"]}),
        ("Half board: perhaps", {"type": "boolean", "x-labels": ["Half board"]}),
        ("Half board is served", {"type": "boolean", "x-labels": ["Half board"]}),
        ("Size: huge", {"type": "string", "enum": ["small", "large"], "x-labels": ["Size"]}),
        ("Opens: May", {"type": "string", "format": "date", "x-labels": ["Opens"]}),
        ("Price: 5", {"type": "number", "minimum": 10, "x-labels": ["Price"]}),
        ("Code: abc", {"type": "string", "pattern": "^x", "x-labels": ["Code"]}),
        ("Highest hut: none", {"type": "string", "x-labels": ["Highest hut"], "x-pattern": "[A-Z]\\w+ Hut"}),
        (
            "The price was discussed. Much later, " + "x" * 80 + " 5 came.",
            {"type": "number", "x-labels": ["price"]},
        ),
        ("Field: 5", {"type": "wrong"}),
        ("Field: x", {"anyOf": [{"type": "null"}], "type": "string"}),
        ("nothing at all", {"type": "string"}),
    ],
)
def test_what_does_not_fit_is_left_out(answer: str, schema: dict[str, Any]) -> None:
    assert data(answer, fields(field=schema)) == {}


def test_a_field_is_found_by_its_name_without_labels() -> None:
    assert data("Number of beds: 24", fields(numberOfBeds={"type": "integer"})) == {"numberOfBeds": 24}
    assert data("Entry fee: 5", fields(entry_fee={"type": "integer"})) == {"entry_fee": 5}


def test_lists_of_values_come_from_nested_items_or_commas_or_the_list_spoken_of() -> None:
    cities = {"type": "array", "items": {"type": "string"}}
    assert data("Cities:\n\n- Harn\n- Vell\n", fields(cities=cities)) == {"cities": ["Harn", "Vell"]}
    assert data("**Cities:** Harn, Vell and Brume", fields(cities=cities)) == {
        "cities": ["Harn", "Vell", "Brume"]
    }
    assert data("- Cities\n  - Harn\n  - Vell\n", fields(cities=cities)) == {"cities": ["Harn", "Vell"]}
    assert data("no list", fields(cities=cities)) == {"cities": []}


def test_objects_and_lists_nest() -> None:
    legs = {
        "type": "array",
        "items": {"type": "object", "properties": {"name": NAME, "km": {"type": "number"}}},
    }
    schema = items({"name": NAME, "legs": legs})
    answer = "## 1. North\n\n- **Alpha**\n  - km: 3\n- **Beta**\n  - km: 4\n\n## 2. South\n\n- **Gamma**\n  - km: 5\n"
    found = data(answer, schema)["huts"]
    assert [hut["name"] for hut in found] == ["North", "South"]
    assert found[0]["legs"] == [{"name": "Alpha", "km": 3}, {"name": "Beta", "km": 4}]
    inner = fields(place=fields(height={"type": "number", "x-labels": ["Height"]}))
    assert data("Height: 5 m", inner) == {"place": {"height": 5}}


def test_a_schema_may_be_a_list_itself() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"name": NAME}}}
    assert data("- Sorrel Hut\n- Lantern Hut\n", schema) == [{"name": "Sorrel Hut"}, {"name": "Lantern Hut"}]


def test_sources_come_from_their_label_else_from_anywhere_in_the_item() -> None:
    schema = fields(
        link={"type": "string", "format": "uri"}, urls={"type": "array", "items": {"type": "string"}}
    )
    answer = "See https://x.example/1.\n\n**Link:** https://x.example/2\n"
    assert data(answer, schema) == {
        "link": "https://x.example/2",
        "urls": ["https://x.example/1", "https://x.example/2"],
    }
    assert data("none", schema) == {"urls": []}


@pytest.mark.parametrize(
    "name", ["page", "web_page", "webpage", "site", "officialSite", "link", "url", "source", "reference"]
)
@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("[Smallville](http://smallville.example/a)", "http://smallville.example/a"),
        ("https://www.example.org/", "https://www.example.org/"),
        ("<https://www.example.org/>, its own", "https://www.example.org/"),
        ("www.example.org", "https://www.example.org"),
        ("the town's own [1]\n\n[1]: https://www.example.org/b", "https://www.example.org/b"),
    ],
)
def test_a_field_for_a_page_takes_the_address_that_is_cited(name: str, value: str, url: str) -> None:
    label = " ".join(re.findall("[A-Z]?[a-z]+", name)).capitalize()
    schema = fields(town=NAME, **{name: {"type": "string"}})
    assert data(f"- Town: Smallville\n- {label}: {value}\n", schema) == {"town": "Smallville", name: url}


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string", "x-source": True},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "x-source": True},
        {"$ref": "#/$defs/text", "x-source": True},
    ],
)
def test_a_field_the_rubric_uses_as_a_source_takes_the_address_whatever_it_is_called(field: Any) -> None:
    schema = items({"name": NAME, "proof": field, "seen": NAME}) | {"$defs": {"text": {"type": "string"}}}
    answer = f"1. **Sorrel Hut** [its page]({A})\n   - Proof: the page\n   - Seen: in May\n2. **Lantern Col Hut**\n"
    assert data(answer, schema)["huts"] == [
        {"name": "Sorrel Hut", "proof": A, "seen": "in May"},
        {"name": "Lantern Col Hut"},
    ]


@pytest.mark.parametrize(
    "field",
    [
        {"type": "array", "items": {"type": "string"}, "x-source": True},
        {"type": "array", "items": {"type": "string", "x-source": True}},
    ],
)
def test_a_list_the_rubric_uses_as_sources_takes_all_addresses(field: Any) -> None:
    answer = f"1. **Sorrel Hut**, see <{A}> and [more]({A}/2)\n"
    assert data(answer, items({"name": NAME, "proofs": field}))["huts"] == [
        {"name": "Sorrel Hut", "proofs": [A, f"{A}/2"]}
    ]


def test_a_field_that_only_speaks_of_a_page_is_none() -> None:
    schema = fields(page_title={"type": "string"}, site_owner={"type": "string"}, pages={"type": "integer"})
    answer = "Page title: A b\nSite owner: C d\nPages: 12\n\nhttps://x.example/\n"
    assert data(answer, schema) == {"page_title": "A b", "site_owner": "C d", "pages": 12}


def test_what_is_required_is_there_as_far_as_it_can_be_empty() -> None:
    schema = fields(
        name=NAME,
        note={"type": ["string", "null"]},
        beds={"type": "number"},
        at=fields(x=NAME) | {"required": ["x"]},
    ) | {"required": ["name", "note", "beds", "at", "unknown"]}
    assert data("nothing", schema) == {"name": "", "note": None, "at": {"x": ""}}


def test_an_item_that_cannot_be_complete_is_dropped() -> None:
    schema = items({"name": NAME, "beds": BEDS, "note": NAME}, required=["name", "beds", "note"])
    answer = "## 1. Sorrel Hut\n\nBeds: 30\n\n## 2. Lantern Hut\n\nBeds: many\n"
    assert data(answer, schema) == {"huts": [{"name": "Sorrel Hut", "beds": 30, "note": ""}]}


def test_a_page_is_read_as_well_with_its_bullets_rows_and_stacked_labels() -> None:
    page = (
        "Lantern Col Hut\nAltitude\n1,280 m\nBeds\n24\n\nWho | Bed | With half board\nGuest | 52 marks | 83 marks\n"
        "Member | 38 marks | 69 marks\n\n• Dogs: no\n• Season: 12 June to 20 September\n"
    )
    schema = fields(
        altitude={"type": "number"}, beds={"type": "integer"}, season=NAME, dogs={"type": "boolean"},
        prices={"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string", "x-labels": ["Who"]}, "bed": {"type": "number", "x-labels": ["Bed"]}}}},
    )  # fmt: skip
    assert data("", schema, page=page) == {
        "altitude": 1280, "beds": 24, "season": "12 June to 20 September", "dogs": False,
        "prices": [{"name": "Guest", "bed": 52}, {"name": "Member", "bed": 38}],
    }  # fmt: skip


def test_a_schema_that_is_broken_fits_nothing() -> None:
    home = {"type": "object", "properties": {"town": {"$ref": "#/$defs/nowhere"}}}
    assert data("Town: Harn\nName: Sorrel\n", fields(home=home, name=NAME)) == {"name": "Sorrel"}


def test_a_schema_deeper_than_any_answer_ends() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        schema = {"type": "object", "properties": {"a": schema, "b": {"type": "array", "items": schema}}}
    assert isinstance(data("a: x\n\n- b: y\n- c: z", schema), dict)


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/n"}}}
    assert data("a: x", {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, **schema}) == {}


def test_a_very_long_answer_is_read_at_both_ends_and_marked() -> None:
    answer = "Price: 5\n\n" + "filler words here. " * 20_000 + "\n\nFee: 6\n"
    reply = extract(answer, fields(price={"type": "number"}, fee={"type": "number"}))
    assert reply.data == {"price": 5, "fee": 6}
    assert reply.record.truncated


@pytest.mark.parametrize(("before", "beds"), [(399, 30), (400, None)])
def test_of_one_part_the_first_400_labelled_values_are_looked_at(before: int, beds: int | None) -> None:
    answer = "\n\n".join([*(f"Peak {n}: {n} m" for n in range(before)), "Beds: 30"])
    assert data(answer, fields(beds=BEDS)).get("beds") == beds
