"""``python -m tests.bench.judge.endpoint --latency 1``: chat completions at next to no cost, and a count of them.

Verdicts come from the page by plain search, so that whoever shows the page's decisive line gets the same verdict.
``GET /count`` tells what was asked since the last ``POST /count``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.bench.judge.world import data_of, verdict_of
from tests.endpoint.parts import parts_of

HEAD_END = b"\r\n\r\n"
CHARACTERS_A_TOKEN = 4  # the same rule for everybody who asks: figures are ratios


@dataclass(slots=True)
class Count:
    """What was asked. ``area`` is calls in flight over time: calls × seconds."""

    calls: int = 0
    input_tokens: int = 0
    most: int = 0
    area: float = 0.0
    flying: int = 0
    first: float = 0.0
    last: float = 0.0
    _changed: float = field(default_factory=time.monotonic)

    def change(self, by: int) -> None:
        """One call more in flight, or one less."""
        now = time.monotonic()
        self.area += self.flying * (now - self._changed)
        self._changed = now
        self.first = self.first or now
        self.last = now
        self.flying += by
        self.most = max(self.most, self.flying)

    def report(self) -> dict[str, float]:
        """Plain figures; ``seconds`` from the first call's beginning to the last one's end."""
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "most_in_flight": self.most,
            "mean_in_flight": self.area / max(self.last - self.first, 1e-9),
            "seconds": self.last - self.first,
        }


class Server:
    """The endpoint's memory: latency in seconds, what was counted, prompts kept for a bare loop to repeat."""

    def __init__(self, latency: float, keep: int) -> None:
        self.latency = latency
        self.keep = keep
        self.count = Count()
        self.kept: list[Any] = []

    def reply(self, body: bytes) -> bytes:
        """The completion for a request."""
        request = json.loads(body)
        text = sum(len(message["content"]) for message in request["messages"])
        self.count.calls += 1
        self.count.input_tokens += text // CHARACTERS_A_TOKEN
        if len(self.kept) < self.keep:
            self.kept.append(request)
        content = json.dumps(_content(request))
        return json.dumps(_completion(request["model"], content, text // CHARACTERS_A_TOKEN)).encode()


def _content(request: Mapping[str, Any]) -> dict[str, Any]:
    parts = parts_of(request)
    if parts.checks:
        page = parts.page[2] if parts.page else ""
        return {"verdicts": [{"id": one.id, **verdict_of(one.statement, page)} for one in parts.checks]}
    return {"data": data_of(parts.texts["answer"])}


def _completion(model: str, content: str, tokens: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {
        "id": "c", "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 60, "total_tokens": tokens + 60},
    }  # fmt: skip


class Connection(asyncio.Protocol):
    """One client's connection: requests one after the other."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._held = bytearray()

    def connection_made(self, transport: Any) -> None:
        """Keep what answers are written to."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Collect a request; answer it when it is whole."""
        self._held += data
        end = self._held.find(HEAD_END)
        if end < 0:
            return
        head = bytes(self._held[:end]).decode("latin-1")
        length = next(
            (int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0
        )
        whole = end + len(HEAD_END) + length
        if len(self._held) < whole:
            return
        body = bytes(self._held[end + len(HEAD_END) : whole])
        del self._held[:whole]
        self._asked(head, body)

    def _asked(self, head: str, body: bytes) -> None:
        if "/chat/completions " in head.split("\r\n", 1)[0]:
            self._server.count.change(1)
            asyncio.get_running_loop().call_later(
                self._server.latency, self._answer, self._server.reply(body)
            )
            return
        self._send(self._counted(head, body))

    def _counted(self, head: str, body: bytes) -> bytes:
        """``POST /count`` begins anew with the latency given; ``GET /kept`` gives the prompts."""
        if head.startswith("POST"):
            given = json.loads(body)
            self._server.__init__(given["latency"], given.get("keep", 0))  # type: ignore[misc]
        if "/kept " in head.split("\r\n", 1)[0]:
            return json.dumps(self._server.kept).encode()
        return json.dumps(self._server.count.report()).encode()

    def _answer(self, body: bytes) -> None:
        self._server.count.change(-1)
        self._send(body)

    def _send(self, body: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


async def _serve() -> None:
    server = Server(0.0, 0)
    listening = await asyncio.get_running_loop().create_server(
        lambda: Connection(server), "127.0.0.1", 0, backlog=512
    )
    sys.stdout.write(f"{listening.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
