"""Whether a process lives, and whether it can serve."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from evalservice import preparation


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

    monkeypatch.setattr(preparation, "connection", Away())
    assert client.get("/healthz").status_code == 200
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "database unavailable"})


class Pong(socketserver.BaseRequestHandler):
    """As much of Redis as answers a PING."""

    def handle(self) -> None:
        while data := self.request.recv(4096):
            self.request.sendall(b"+PONG\r\n" * data.count(b"*"))


@pytest.fixture
def redis() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Pong) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"redis://127.0.0.1:{server.server_address[1]}/0?protocol=2"
        server.shutdown()


@pytest.mark.django_db
def test_a_process_with_its_redis_serves(client: Client, redis: str, settings: Any) -> None:
    settings.REDIS_URL = redis
    assert client.get("/readyz").json() == {"status": "ok"}


@pytest.mark.django_db
@pytest.mark.parametrize("listening", [True, False], ids=["silent", "closed"])
def test_a_process_without_its_redis_does_not_serve(client: Client, listening: bool, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as there:
        settings.REDIS_URL = f"redis://127.0.0.1:{there.getsockname()[1]}/0"
        if not listening:
            there.close()
        assert client.get("/healthz").status_code == 200
        response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"status": "redis unavailable"})


def test_the_service_runs_under_an_asgi_server_too() -> None:
    from evalservice.asgi import application

    assert callable(application)
