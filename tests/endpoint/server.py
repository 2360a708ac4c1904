"""A small real HTTP server: chat completions, a control address, one thread of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from tests.endpoint.faults import (
    BENT,
    ERRORS,
    FAULTS,
    MANNERS,
    SHAPES,
    Response,
    completion,
    error,
    refusal_of,
)
from tests.endpoint.parts import parts_of, text_of
from tests.endpoint.script import Script
from tests.endpoint.sense import Brain, Sense

__all__ = ["Call", "Endpoint"]

KEPT = 2_000  # calls in the log, with their prompts


@dataclass(slots=True)
class Call:
    """One chat request as the endpoint saw it."""

    number: int
    fault: str
    status: int
    body: Mapping[str, Any]
    key: str

    @property
    def prompt(self) -> str:
        """All messages together."""
        return "\n".join(text_of(message) for message in self.body["messages"])


@dataclass(slots=True)
class _Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """Start with ``with Endpoint(script=…) as endpoint``; ask at ``endpoint.base_url``.

    ``GET /control`` tells what happened, ``POST /control`` with the fields of :class:`Script` sets a new
    script and forgets the log.
    """

    script: Script = field(default_factory=Script)
    brain: Brain = field(default_factory=Sense)
    host: str = "127.0.0.1"
    port: int = 0
    calls: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    connections: int = 0
    log: deque[Call] = field(default_factory=lambda: deque(maxlen=KEPT))
    broken: list[Exception] = field(default_factory=list)
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        """What a client is given."""
        return f"http://{self.host}:{self.port}/v1"

    def reset(self, **script: Any) -> None:
        """A new script and an empty log."""
        self.script = Script.from_mapping(script)
        self.calls = self.max_in_flight = 0
        self.log.clear()

    # Life

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="endpoint", daemon=True)
        self._thread.start()
        if not ready.wait(10):
            raise TimeoutError("the endpoint did not start")
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._stop)
            self._thread.join(10)
        if self.broken:
            raise self.broken[0]

    def _run(self, ready: threading.Event) -> None:
        asyncio.run(self._serve(ready))

    async def _serve(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._connected, self.host, self.port, limit=2**26)
        self.port = server.sockets[0].getsockname()[1]
        self._tasks = set()
        self._stopped = asyncio.Event()
        ready.set()
        async with server:
            await self._stopped.wait()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _stop(self) -> None:
        self._stopped.set()

    # One connection

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (request := await _read(reader)) is not None:
                await self._respond(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left or we stop: nobody is there to tell
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _respond(
        self, request: _Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not request.path.endswith("/chat/completions"):
            await _send(writer, self._control(request))
            return
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            response = await self._chat(request)
            if response.manner:  # in flight until the bitter end
                await _send_badly(reader, writer, response, self.script.drip_s)
        finally:
            self.in_flight -= 1
        # No longer in flight: the client may ask anew as soon as it has the last byte.
        if not response.manner:
            await _send(writer, response)

    async def _chat(self, request: _Request) -> Response:
        self.calls += 1
        body = json.loads(request.body)
        call = Call(self.calls, "", 0, body, request.headers.get("authorization", ""))
        call.fault = self.script.fault(call.number, call.prompt, body["model"])
        self.log.append(call)
        await asyncio.sleep(self.script.delay_s)
        response = await self._answer(call)
        call.status = response.status
        return response

    async def _answer(self, call: Call) -> Response:
        if self.script.api_key and call.key != f"Bearer {self.script.api_key}":
            return ERRORS["auth"](self.script)
        if call.fault in ERRORS:
            return ERRORS[call.fault](self.script)
        refused = refusal_of(call.body, self.script)
        return refused or await self._completed(call)

    async def _completed(self, call: Call) -> Response:
        fault = call.fault
        if fault and fault not in FAULTS:
            return error(500, f"the script names an unknown fault: {fault}")
        try:
            content: str | None = json.dumps(await self.brain(parts_of(call.body)))
        except Exception as broken:  # whatever the brain trips over must reach the test, not a log
            self.broken.append(broken)
            return error(500, f"{type(broken).__name__}: {broken}")
        if fault in BENT and content is not None:
            content = BENT[fault](content)
        shape = dict(SHAPES.get(fault, {}))
        cap = call.body.get("max_tokens", call.body.get("max_completion_tokens", 2**31))
        if cap < self.script.needs_tokens:
            shape = dict(SHAPES["length"])
        keep = shape.pop("keep", 1.0)
        content = None if keep is None or content is None else content[: int(len(content) * keep)]
        model = shape.pop("model", self.script.served or call.body["model"])
        answer = completion(content, model=model, prompt_chars=len(call.prompt), **shape)
        return Response(200, json.dumps(answer).encode(), manner=fault if fault in MANNERS else "")

    # The control address

    def _control(self, request: _Request) -> Response:
        if request.path != "/control":
            return error(404, f"nothing at {request.path}")
        if request.method == "POST":
            try:
                self.reset(**json.loads(request.body or b"{}"))
            except (TypeError, ValueError) as wrong:
                return error(400, str(wrong))
        return Response(200, json.dumps(self._report()).encode())

    def _report(self) -> dict[str, Any]:
        script = {name: value for name, value in asdict(self.script).items() if name != "chance"}
        log = [{"number": call.number, "fault": call.fault, "status": call.status} for call in self.log]
        return {
            "calls": self.calls,
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "script": script,
            "log": log,
        }


async def _read(reader: asyncio.StreamReader) -> _Request | None:
    """The next request of a connection; None if the client closed it."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return _Request(method, path, headers, body)


def _head(response: Response) -> bytes:
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(response.body)),
        **response.headers,
    }
    lines = [
        f"HTTP/1.1 {response.status} X",
        *(f"{name}: {value}" for name, value in headers.items()),
        "",
        "",
    ]
    return "\r\n".join(lines).encode("latin-1")


async def _send(writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(_head(response) + response.body)
    await writer.drain()


async def _send_badly(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, response: Response, drip_s: float
) -> None:
    """Hang until the client leaves, close without a word, cut the body, or drip it.

    :raises ConnectionError: always; the connection is of no further use.
    """
    if response.manner == "hang":
        await reader.read(1)
    if response.manner == "cut":
        writer.write(_head(response) + response.body[: len(response.body) // 2])
        await writer.drain()
    if response.manner == "drip":
        writer.write(_head(response))
        for byte in response.body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(drip_s)
    raise ConnectionError(f"{response.manner} on purpose")
