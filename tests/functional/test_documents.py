"""What docs/ says of the API is what the code does."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from submissions.problems import CODES
from tests.http import ApiClient

pytestmark = pytest.mark.django_db


def test_the_documents_are_up_to_date() -> None:
    call_command("api_docs", "--check")


def test_the_page_lists_every_code_with_its_status() -> None:
    page = (settings.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
    for name, code in CODES.items():
        assert page.count(f"| `{name}` | {code.status} | {code.meaning} |") == 1


def test_stale_documents_are_found_and_written(tmp_path: Path) -> None:
    page = tmp_path / "api.md"
    page.write_text("before\n<!-- codes:begin -->\nold\n<!-- codes:end -->\nafter\n")
    with pytest.raises(CommandError, match=r"api\.md is out of date"):
        call_command("api_docs", "--check", docs=tmp_path)
    assert "old" in page.read_text()
    out = io.StringIO()
    call_command("api_docs", docs=tmp_path, stdout=out)
    assert out.getvalue() == "wrote api.md\nwrote openapi.yaml\n"
    assert page.read_text().startswith("before\n<!-- codes:begin -->\n| code |")
    assert page.read_text().endswith("<!-- codes:end -->\nafter\n")
    call_command("api_docs", "--check", docs=tmp_path)
    page.write_text("no marks")
    with pytest.raises(CommandError, match="marks"):
        call_command("api_docs", docs=tmp_path)


def test_the_served_document_is_the_written_one() -> None:
    served = yaml.safe_load(ApiClient().get("schema").content)
    written = yaml.safe_load((settings.BASE_DIR / "docs" / "openapi.yaml").read_text(encoding="utf-8"))
    assert served == written
    assert served["openapi"].startswith("3.1")


def _operations() -> list[tuple[str, str, Any]]:
    document = yaml.safe_load((settings.BASE_DIR / "docs" / "openapi.yaml").read_text(encoding="utf-8"))
    return [(path, method, op) for path, ops in document["paths"].items() for method, op in ops.items()]


def test_every_operation_tells_how_it_refuses() -> None:
    assert len(_operations()) > 15
    for path, method, operation in _operations():
        content = operation["responses"]["default"]["content"]
        assert list(content) == ["application/problem+json"], (path, method)
        assert operation["description"], (path, method)


def test_what_is_no_json_is_described_as_text() -> None:
    """A sheet, or lines of JSON, have no JSON shape: a generated client would try to parse one."""
    found = {
        (path, media_type): body["schema"]
        for path, _, operation in _operations()
        for response in operation["responses"].values()
        for media_type, body in response.get("content", {}).items()
        if media_type.rpartition("/")[2].rpartition("+")[2] != "json"
    }
    assert {media_type for _, media_type in found} == {
        "text/csv",
        "application/jsonl",
        "application/x-ndjson",
    }
    assert all(schema == {"type": "string"} for schema in found.values()), found
