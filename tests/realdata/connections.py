"""Watching for connections: what dials out while something runs is refused, and told even if it was swallowed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

DIALLING = frozenset({"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"})
_watches: list[list[str]] = []


class Dialled(Exception):
    """Something tried to reach the network."""


def own_services() -> frozenset[str]:
    """Hosts of the database and of Redis. libpq dials by itself and is never seen here, but may be named."""
    hosts = {settings.DATABASES["default"].get("HOST", ""), urlsplit(settings.REDIS_URL).hostname or ""}
    return frozenset(hosts - {""})


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watches or event not in DIALLING:
        return
    host = _host(event, arguments)
    if host is not None and host not in own_services():
        for seen in _watches:
            seen.append(f"{event} {host}")
        raise Dialled(host)


def _host(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Whom the event is about; None for a socket of this machine's file system."""
    if event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        return str(arguments[0])
    address = arguments[1]
    return str(address[0]) if isinstance(address, tuple) else None


sys.addaudithook(_hook)  # for good: the interpreter takes none back; without a watch it returns at once


@contextmanager
def watched() -> Iterator[list[str]]:
    """Refuse and note every attempt to dial anything but our own services, in all threads."""
    seen: list[str] = []
    _watches.append(seen)
    try:
        yield seen
    finally:
        _watches.remove(seen)
