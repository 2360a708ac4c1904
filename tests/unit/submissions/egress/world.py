"""An outside world on loopback: names, public addresses and sites, and nothing else to be reached."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from submissions.egress import Fetched, FetchLimits, GuardLimits, NoSuchHost, Policy, get

CERTIFICATES = Path(__file__).with_name("certificates")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
T = TypeVar("T")

SMALL = FetchLimits(body_bytes=100_000, total_s=5.0, guard=GuardLimits(wire_bytes=200_000, seconds=8.0))


@dataclass(frozen=True)
class Site:
    """What stands at a port of a name. ``certificate`` makes it speak TLS."""

    answer: Answer
    certificate: str = ""
    needs_request: bool = True


@dataclass(frozen=True)
class Silence:
    """A name server that never answers."""


class World:
    """Sites by (name, port); every name gets a public address of its own unless ``names`` says otherwise."""

    def __init__(
        self,
        sites: Mapping[tuple[str, int], Site],
        names: Mapping[str, Sequence[str] | Exception | Silence] | None = None,
        unreachable: Mapping[str, OSError | Silence] | None = None,
    ) -> None:
        self.sites = sites
        self.names: dict[str, Sequence[str] | Exception | Silence] = {}
        self.unreachable = unreachable or {}
        for name, _ in sites:
            self.names.setdefault(name, [f"93.184.216.{len(self.names) + 1}"])
        self.names.update(names or {})
        self.asked: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self.requests: list[bytes] = []
        self._ports: dict[tuple[str, int], int] = {}
        self._open: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        for (name, port), site in self.sites.items():
            server = await asyncio.start_server(self._serving(site), "127.0.0.1", 0, ssl=_tls_of(site))
            addresses = self.names[name]
            assert isinstance(addresses, Sequence)
            for address in addresses:
                self._ports[address, port] = server.sockets[0].getsockname()[1]
            self._stack.callback(server.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        for writer in self._open:
            writer.close()
        await self._stack.aclose()
        await asyncio.sleep(0)

    async def resolve(self, host: str, _port: int) -> list[str]:
        """The injected resolver."""
        self.asked.append(host)
        found = self.names.get(host, NoSuchHost(host))
        if isinstance(found, Silence):
            await asyncio.sleep(60)
            raise AssertionError("nobody stopped waiting")
        if isinstance(found, Exception):
            raise found
        return list(found)

    async def dial(self, address: str, port: int) -> Streams:
        """The injected dialer: knows the sites of this world and fails the test on anything else."""
        self.dialled.append((address, port))
        problem = self.unreachable.get(address)
        if isinstance(problem, Silence):
            await asyncio.sleep(60)
        if isinstance(problem, OSError):
            raise problem
        assert (address, port) in self._ports, f"dialled {address}:{port}"
        return await asyncio.open_connection("127.0.0.1", self._ports[address, port])

    def _serving(self, site: Site) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._open.append(writer)
            try:
                head = await reader.readuntil(b"\r\n\r\n") if site.needs_request else b""
                self.requests.append(head)
                await site.answer(head, writer)
                await writer.drain()
            except (OSError, asyncio.IncompleteReadError):
                pass  # the guard left: what the tests are about
            finally:
                writer.close()

        return serve


def _tls_of(site: Site) -> ssl.SSLContext | None:
    if not site.certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / f"{site.certificate}.pem")
    return context


def one(site: Site, port: int = 80) -> World:
    """A world with one site, at ``x.org``."""
    return World({("x.org", port): site})


def trusting() -> ssl.SSLContext:
    """A client's TLS that trusts the authority of the tests and no other."""
    return ssl.create_default_context(cafile=CERTIFICATES / "authority.pem")


def says(*pieces: bytes) -> Site:
    """A site that answers any request with these bytes and closes."""

    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return Site(answer)


def page(body: bytes, *fields: str, status: str = "200 OK") -> Site:
    """A site that answers with a well-framed response."""
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    return says("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body)


async def hang(_head: bytes, _writer: asyncio.StreamWriter) -> None:
    """An answer that never comes."""
    await asyncio.sleep(3_600)


def redirect(location: str, status: str = "302 Found") -> Site:
    """A site that sends its visitor elsewhere."""
    return page(b"", f"Location: {location}", status=status)


def over_tls(site: Site, certificate: str = "site") -> Site:
    """The same site with a certificate."""
    return Site(site.answer, certificate, site.needs_request)


def run(story: Coroutine[Any, Any, T]) -> T:
    """Play a story to its end, or fail after 30 seconds."""

    async def bounded() -> T:
        async with asyncio.timeout(30):
            return await story

    return asyncio.run(bounded())


def fetch(
    world: World, url: str, limits: FetchLimits | None = None, policy: Policy | None = None, **options: Any
) -> Fetched:
    """One :func:`get` in a world."""

    async def story() -> Fetched:
        async with world:
            return await get(
                url,
                contact="ops@us.org",
                limits=limits,
                policy=policy,
                resolver=world.resolve,
                dialer=world.dial,
                tls=trusting(),
                **options,
            )

    return run(story())
