"""Whether a process lives, and whether it can serve."""

from __future__ import annotations

import pytest
from django.db import DatabaseError
from django.test import Client

from evalservice import health


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_process_with_its_database_lives_and_serves(client: Client, path: str) -> None:
    response = client.get(path)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert client.head(path).status_code == 200
    assert client.post(path).status_code == 405


def test_a_process_without_its_database_lives_and_does_not_serve(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def cursor(self) -> None:
            raise DatabaseError("the database's address")

    monkeypatch.setattr(health, "connection", Away())
    assert client.get("/healthz").status_code == 200
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "database unavailable"})


def test_the_service_runs_under_an_asgi_server_too() -> None:
    from evalservice.asgi import application

    assert callable(application)
