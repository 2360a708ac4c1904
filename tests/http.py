"""Speaking to the API in tests, and reading its problems."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client

from submissions.problems import CODES

API = "/api/v1"


class ApiClient:
    """A client that sends a key and JSON, and does not raise what the server caught."""

    def __init__(self, token: str | None = None, *, raise_errors: bool = True) -> None:
        self._client = Client(raise_request_exception=raise_errors)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None, raw: bytes = b"",
        content_type: str = "application/json",
    ) -> Any:  # fmt: skip
        """Any request; ``body`` as JSON unless ``raw`` bytes are given."""
        data = raw if body is None else json.dumps(body).encode()
        return self._client.generic(
            method, path if path.startswith("/") else f"{API}/{path}", data, content_type=content_type,
            headers={**self._headers, **(headers or {})},
        )  # fmt: skip

    def get(self, path: str, **options: Any) -> Any:
        """GET."""
        return self.request("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        """POST JSON."""
        return self.request("POST", path, body, **options)

    def put(self, path: str, body: Any = None, **options: Any) -> Any:
        """PUT JSON."""
        return self.request("PUT", path, body, **options)

    def patch(self, path: str, body: Any = None, **options: Any) -> Any:
        """PATCH JSON."""
        return self.request("PATCH", path, body, **options)

    def delete(self, path: str, **options: Any) -> Any:
        """DELETE."""
        return self.request("DELETE", path, **options)

    def form(self, path: str, fields: dict[str, Any], *, headers: dict[str, str] | None = None) -> Any:
        """POST a multipart form; open files among ``fields`` are uploaded."""
        return self._client.post(f"{API}/{path}", fields, headers={**self._headers, **(headers or {})})


def assert_problem(response: HttpResponse, code: str, *parts: tuple[str, str]) -> dict[str, Any]:
    """The response is a problem with ``code`` and, if given, exactly these (pointer, code) entries; its body."""
    assert response["Content-Type"] == "application/problem+json", response.content[:500]
    body: dict[str, Any] = json.loads(response.content)
    assert set(body) - {"remaining"} == {"type", "title", "status", "detail", "instance", "errors"}
    assert body["type"] == f"urn:evalservice:problem:{code}", body
    assert response.status_code == body["status"] == CODES[code].status
    assert body["title"] == CODES[code].title
    assert body["instance"] == response["X-Request-Id"]
    assert body["errors"]
    for item in body["errors"]:
        assert set(item) == {"pointer", "code", "detail"}
        assert item["code"] in CODES
        assert item["detail"]
    if parts:
        assert [(item["pointer"], item["code"]) for item in body["errors"]] == list(parts)
    return body
