"""A search provider on this machine: it speaks SearXNG's and Serper's protocols, and fails on order."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from django.db import connections

KEY = "key-of-search"
Found = Sequence[Mapping[str, Any]]


@dataclass
class Reply:
    """What is sent instead of hits. ``hang_s``: after that time."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_s: float = 0.0


def busy(retry_after: str = "0") -> Reply:
    """A provider that asks to slow down."""
    return Reply(429, headers={"Retry-After": retry_after})


def bomb() -> Reply:
    """A kilobyte that unpacks to megabytes."""
    return Reply(body=gzip.compress(b" " * 8_000_000), headers={"Content-Encoding": "gzip"})


def hit(title: str, url: str, snippet: str, date: str = "") -> dict[str, str]:
    """One result, in names of neither protocol."""
    return {"title": title, "url": url, "snippet": snippet, "date": date}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        names = {"url": "url", "snippet": "content", "date": "publishedDate"}
        self._answer(asked.path, query, lambda found: {"results": [renamed(one, names) for one in found]})

    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = {"url": "link", "snippet": "snippet", "date": "date"}
        if self.headers.get("X-API-KEY") != KEY:
            self._send(Reply(403, b'{"message": "Unauthorized."}'))
            return
        self._answer(self.path, query, lambda found: {"organic": [renamed(one, names) for one in found]})

    def _answer(self, path: str, query: dict[str, Any], as_reply: Callable[[Found], Any]) -> None:
        provider = self.server.provider
        with provider.lock:
            provider.log.append({"path": path, "headers": dict(self.headers.items()), **query})
            order = provider.orders.popleft() if provider.orders else provider.always
        try:
            found = provider.found(query["q"])
        finally:
            connections.close_all()  # of this thread: what is found may have looked into the database
        body = json.dumps(as_reply(found)).encode()
        self._send(order or Reply(body=body))

    def _send(self, reply: Reply) -> None:
        time.sleep(reply.hang_s)
        try:
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)
        except OSError:  # who asked did not wait
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def renamed(found: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A result in the names of a protocol."""
    return {names.get(name, name): value for name, value in found.items()}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, provider: SearchProvider) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.provider = provider

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: clients hang up in the middle, as they should."""


class SearchProvider:
    """``log`` is what was asked, ``orders`` what the next replies are, ``always`` what all others are."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.log: list[dict[str, Any]] = []
        self.orders: deque[Reply | None] = deque()
        self.always: Reply | None = None
        self.found: Callable[[str], Found] = lambda query: []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def queries(self) -> list[str]:
        """What was asked, in order."""
        return [asked["q"] for asked in self.log]
