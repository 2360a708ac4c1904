"""The page that describes the API: complete, from the document, and under the policy of every other page."""

from __future__ import annotations

import re
from html import unescape

import pytest
import yaml
from django.conf import settings
from django.test import Client

from evalservice.reference import METHODS, Kind, Reader
from submissions.problems import CODES

pytestmark = pytest.mark.django_db
DOCUMENT = yaml.safe_load((settings.BASE_DIR / "docs" / "openapi.yaml").read_text(encoding="utf-8"))


def page() -> str:
    """The page's text."""
    response = Client().get("/api/")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in response["Content-Security-Policy"]
    return unescape(response.content.decode())


def test_every_operation_stands_on_the_page_with_its_parameters_bodies_and_answers() -> None:
    shown = page()
    count = 0
    for path, item in DOCUMENT["paths"].items():
        for method in filter(item.__contains__, METHODS):
            operation, count = item[method], count + 1
            section = re.search(
                rf'<section[^>]*"{operation["operationId"]}">(.*?)</section>', shown, re.DOTALL
            )
            assert section is not None
            text = section[1]
            assert f"<code>{method.upper()} {path}</code>" in text
            assert ("Needs a key." in text) == ({} not in operation["security"])
            for parameter in operation.get("parameters", ()):
                assert f"<code>{parameter['name']}</code>" in text
            for media_type in operation.get("requestBody", {"content": ()})["content"]:
                assert f"<dt>Send {media_type}</dt>" in text
            for status in operation["responses"]:
                assert f"<dt>{'Refused' if status == 'default' else status}" in text
    assert count == len(re.findall("<section", shown)) > 15


def test_every_field_and_every_code_stands_on_the_page() -> None:
    shown = page()
    for name, schema in DOCUMENT["components"]["schemas"].items():
        if "properties" in schema:
            assert f'id="o-{name}"' in shown
            for field in schema["properties"]:
                assert f'<th scope="row"><code>{field}</code>' in shown
    for code, known in CODES.items():
        assert f'<code>{code}</code></th><td class="num">{known.status}</td><td>{known.meaning}</td>' in shown


def test_every_link_of_the_page_leads_somewhere_on_it_and_nothing_is_fetched_from_elsewhere() -> None:
    shown = page()
    targets = set(re.findall(r' id="([^"]+)"', shown))
    assert set(re.findall(r'href="#([^"]+)"', shown)) <= targets
    assert len(targets) == len(re.findall(r' id="[^"]+"', shown))
    assert not re.search(r'<script|(?:href|src)="(?:https?:)?//', shown)


def test_the_pages_lead_to_it() -> None:
    assert b'<a href="/api/">API</a>' in Client().get("/").content
    assert b'<a href="/api/" aria-current="page">API</a>' in Client().get("/api/").content


def test_what_a_value_is_is_said_in_words() -> None:
    colour = {"enum": ["red", "blue"]}
    box = {"type": "object", "properties": {"size": {"type": "integer"}}}
    reader = Reader({"components": {"schemas": {"Colour": colour, "Box": box}}})
    ref = "#/components/schemas/"
    assert reader.kind({"allOf": [{"$ref": f"{ref}Colour"}]}) == Kind("one of red, blue")
    assert reader.kind({"type": "array", "items": {"$ref": f"{ref}Box"}}) == Kind("list: Box", "Box")
    assert reader.kind({"oneOf": [{"$ref": f"{ref}Box"}, {"type": "null"}]}) == Kind("Box or null", "Box")
    assert reader.kind({}) == Kind("any value")
    bounded = {"type": ["integer", "null"], "minimum": 1, "maximum": 5, "default": 2}
    assert reader.kind(bounded) == Kind("integer or null, from 1, up to 5, default 2")
    assert (
        reader.kind({"type": "string", "format": "uri", "maxLength": 9}).text
        == "string (uri), up to 9 characters"
    )


def test_browsers_find_an_icon_where_they_look_for_one() -> None:
    found = Client().get("/favicon.ico")
    assert (found.status_code, found["Location"]) == (302, "/static/icon.svg")
    icon = Client().get(found["Location"])
    assert (icon.status_code, icon["Content-Type"]) == (200, "image/svg+xml")
    assert b"".join(icon).startswith(b"<svg")  # read to its end, it is closed
    assert b'<link rel="icon" type="image/svg+xml" href="/static/icon.svg">' in Client().get("/").content
