"""One end of an exchange: reading and writing with bounds, closing and resetting."""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress

from submissions.egress.ledger import RefusalKind, Refused

__all__ = ["PeerGone", "Stream"]

CHUNK = 64 * 1024
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class PeerGone(Exception):
    """The other side closed or reset the connection where more was due."""

    def __init__(self, stream: Stream) -> None:
        super().__init__("closed by the other side")
        self.stream = stream


class Stream:
    """A connection, to the client or to an origin. ``sent`` counts bytes written to it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.sent = 0

    async def head(self, seconds: float) -> bytes:
        """Read a head up to and with its empty line.

        :raises PeerGone: closed before that.
        :raises Refused: too long, or too slow.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._reader.readuntil(b"\r\n\r\n")
        except TimeoutError:
            raise Refused(RefusalKind.TIMEOUT, "slow head") from None
        except asyncio.LimitOverrunError:
            raise Refused(RefusalKind.BROKEN, "head too large") from None
        except (asyncio.IncompleteReadError, OSError):
            raise PeerGone(self) from None

    async def exactly(self, count: int, seconds: float) -> bytes:
        """Read ``count`` bytes.

        :raises PeerGone: closed before that.
        :raises Refused: too slow.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._reader.readexactly(count)
        except TimeoutError:
            raise Refused(RefusalKind.TIMEOUT, "slow body") from None
        except (asyncio.IncompleteReadError, OSError):
            raise PeerGone(self) from None

    async def some(self, limit: int = CHUNK) -> bytes:
        """Read what is there, at most ``limit`` bytes; empty at the end.

        :raises PeerGone: reset.
        """
        try:
            return await self._reader.read(limit)
        except OSError:
            raise PeerGone(self) from None

    async def send(self, data: bytes) -> None:
        """Write and wait until the other side takes it.

        :raises PeerGone: it does not any more.
        """
        self.sent += len(data)
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError:
            raise PeerGone(self) from None

    def answer_and_close(self, data: bytes) -> None:
        """Write last words and close; nobody waits for their delivery."""
        self._writer.write(data)
        self._writer.close()

    def close(self) -> None:
        """End in good order: what was written is delivered."""
        self._writer.close()

    def reset(self) -> None:
        """End in a way that no client takes for the end of a body."""
        connection = self._writer.get_extra_info("socket")
        with suppress(OSError):  # already closed: nothing to reset
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._writer.transport.abort()
