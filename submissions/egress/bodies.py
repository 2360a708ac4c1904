"""Bodies of responses, unpacked with bounds. Pure."""

from __future__ import annotations

import zlib

__all__ = ["Body", "BodyTooLarge", "BrokenBody"]

_GZIP = 31  # zlib's window bits for "gzip header and trailer required"
_STEP = 256 * 1024
_MAX_MEMBERS = 100
_MEMBER_START = b"\x1f\x8b"


class BrokenBody(Exception):
    """The body is packed in a way we did not offer, damaged, or cut short."""


class BodyTooLarge(Exception):
    """The body, unpacked, is over the limit."""


class Body:
    """Collects a body as it arrives; never holds more than ``limit`` bytes unpacked and one step.

    Only gzip is offered, because only zlib can be stopped at a size while it unpacks.
    """

    def __init__(self, encoding: str, *, limit: int) -> None:
        """Begin a body.

        :param encoding: the Content-Encoding header, empty for none.
        :raises BrokenBody: any encoding but gzip.
        """
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip"):
            raise BrokenBody(f"content encoding {name[:40]!r}")
        self._is_packed = name in ("gzip", "x-gzip")
        self._limit = limit
        self._data = bytearray()
        self._member = zlib.decompressobj(_GZIP)
        self._members = 0
        self._began = False

    def add(self, received: bytes) -> None:
        """Take the next bytes off the wire.

        :raises BodyTooLarge: over the limit.
        :raises BrokenBody: not what the encoding says.
        """
        self._began = self._began or bool(received)
        if self._is_packed:
            self._unpack(received)
        else:
            self._keep(received)

    def finish(self) -> bytes:
        """The whole body.

        :raises BrokenBody: it ended before its packing did.
        """
        if self._is_packed and self._began and not self._member.eof:
            raise BrokenBody("gzip ended early")
        return bytes(self._data)

    def _unpack(self, received: bytes) -> None:
        while received:
            if self._member.eof and not self._next_member(received):
                return  # bytes after the end: every client ignores them
            try:
                self._keep(self._member.decompress(received, _STEP))
            except zlib.error as error:
                raise BrokenBody(f"gzip: {error}") from None
            received = self._member.unused_data if self._member.eof else self._member.unconsumed_tail

    def _next_member(self, received: bytes) -> bool:
        if not received.startswith(_MEMBER_START):
            return False
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise BrokenBody("too many gzip members")
        self._member = zlib.decompressobj(_GZIP)
        return True

    def _keep(self, data: bytes) -> None:
        if len(self._data) + len(data) > self._limit:
            raise BodyTooLarge(f"over {self._limit} bytes")
        self._data += data
