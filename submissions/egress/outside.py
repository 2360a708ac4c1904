"""The two things only the operating system can do: look a name up and open a connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

__all__ = ["Dialer", "NoSuchHost", "Resolver", "ResolverFailed", "dial", "resolve"]

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""Addresses of a name. Raises :class:`NoSuchHost` or :class:`ResolverFailed`."""

Dialer = Callable[[str, int], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""Opens a connection to exactly the address given. Raises :class:`OSError`."""

READ_LIMIT = 64 * 1024

_NO_SUCH_HOST = {socket.EAI_NONAME, socket.EAI_NODATA}


class NoSuchHost(Exception):
    """The name system says that there is no such name, or that it has no address."""


class ResolverFailed(Exception):
    """The name system gave no answer: nothing is known about the name."""


async def resolve(host: str, port: int) -> list[str]:
    """Look a name up once, with the system's resolver.

    :raises NoSuchHost: NXDOMAIN, or a name without addresses.
    :raises ResolverFailed: SERVFAIL, no name server reachable, anything else.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in _NO_SUCH_HOST:
            raise NoSuchHost(host) from None
        raise ResolverFailed(f"{host}: {error.strerror}") from None
    except UnicodeError:
        raise NoSuchHost(host) from None  # a label no name server could be asked for
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def dial(address: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a literal address; no name is looked up on the way."""
    return await asyncio.open_connection(address, port, limit=READ_LIMIT, flags=socket.AI_NUMERICHOST)
