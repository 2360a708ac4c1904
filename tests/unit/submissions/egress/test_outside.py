"""The system's resolver and dialer, as far as loopback goes."""

import asyncio
import socket
from typing import Any

import pytest

from submissions.egress.outside import NoSuchHost, ResolverFailed, dial, resolve
from tests.unit.submissions.egress.world import run


class _Names:
    """Stands in for the loop's name look-up."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    async def getaddrinfo(self, _host: str, _port: int, *, type: int) -> Any:
        assert type == socket.SOCK_STREAM
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def resolved(monkeypatch: pytest.MonkeyPatch, answer: Any) -> list[str]:
    async def story() -> list[str]:
        monkeypatch.setattr(
            asyncio.get_running_loop(), "getaddrinfo", _Names(answer).getaddrinfo, raising=False
        )
        return await resolve("x.org", 80)

    return run(story())


def test_every_address_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 80))
    six = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("2606:4700::1", 80, 0, 0))
    assert resolved(monkeypatch, [entry, six, entry]) == ["93.184.216.34", "2606:4700::1"]


@pytest.mark.parametrize("code", [socket.EAI_NONAME, socket.EAI_NODATA])
def test_a_name_that_does_not_exist_is_told_apart(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with pytest.raises(NoSuchHost):
        resolved(monkeypatch, socket.gaierror(code, "no such name"))


@pytest.mark.parametrize("code", [socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_SYSTEM])
def test_a_name_server_that_fails_is_told_apart(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with pytest.raises(ResolverFailed):
        resolved(monkeypatch, socket.gaierror(code, "try again"))


def test_a_name_that_cannot_be_asked_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoSuchHost):
        resolved(monkeypatch, UnicodeError("label too long"))


def test_a_literal_address_is_dialled() -> None:
    async def story() -> bytes:
        async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"hello")
            writer.close()

        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            reader, writer = await dial("127.0.0.1", server.sockets[0].getsockname()[1])
            greeting = await reader.read()
            writer.close()
            return greeting

    assert run(story()) == b"hello"


def test_a_name_is_never_dialled() -> None:
    with pytest.raises(OSError, match=r"not known|not supported"):
        run(dial("localhost", 80))
