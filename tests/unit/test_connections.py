"""The watch over connections sees every attempt, also in other threads and also one that was swallowed."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading

import pytest

from tests.realdata.connections import Dialled, watched

NOBODY = ("192.0.2.1", 80)  # reserved for documentation (RFC 5737)


def test_looking_up_a_name_is_refused_and_noted() -> None:
    with watched() as seen, pytest.raises(Dialled):
        socket.create_connection(("host.example", 443), timeout=1)
    assert seen == ["socket.getaddrinfo host.example"]


def test_what_was_swallowed_in_another_thread_is_noted() -> None:
    def dial() -> None:
        with contextlib.suppress(Exception), socket.socket() as mine:
            socket.SocketType.connect(mine, NOBODY)

    with watched() as seen:
        thread = threading.Thread(target=dial)
        thread.start()
        thread.join()
    assert seen == ["socket.connect 192.0.2.1"]


def test_datagrams_are_seen() -> None:
    with watched() as seen, socket.socket(type=socket.SOCK_DGRAM) as mine, pytest.raises(Dialled):
        mine.sendto(b"x", NOBODY)
    assert seen == ["socket.sendto 192.0.2.1"]


def test_an_event_loop_may_run() -> None:
    with watched() as seen:
        asyncio.run(asyncio.sleep(0))
    assert seen == []


def test_nothing_is_refused_outside_of_a_watch() -> None:
    with watched():
        pass
    assert socket.getaddrinfo("127.0.0.1", 80)
