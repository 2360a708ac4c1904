"""Heads of HTTP/1 messages, read strictly and written anew. Pure.

What passes here is what the other side will read: nothing ambiguous goes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from submissions.egress.ledger import RefusalKind, Refused

__all__ = ["RequestHead", "ResponseHead", "request_for_origin", "response_for_client"]

METHODS = frozenset({b"GET", b"HEAD", b"POST", b"OPTIONS", b"PUT", b"PATCH", b"DELETE"})

_REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) ([!-~]{1,8192}) HTTP/1\.[01]")
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\x00-\x08\x0a-\x1f\x7f]*)")

# Of one connection only (RFC 9110 §7.6.1); alt-svc would move the client to another host.
_HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization"}
    | {b"te", b"trailer", b"upgrade", b"alt-svc"}
)

Fields = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request as a proxy's client sends it: ``target`` is an absolute URL or, for CONNECT, ``host:port``."""

    method: bytes
    target: str
    fields: Fields

    @classmethod
    def parsed(cls, head: bytes) -> RequestHead:
        """Read a head up to and with its empty line.

        :raises Refused: it is not exactly one.
        """
        line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        request = _REQUEST_LINE.fullmatch(line)
        if not request:
            raise Refused(RefusalKind.BROKEN, "request line")
        return cls(request[1], request[2].decode("ascii"), _fields(rest))

    def body_length(self, limit: int) -> int:
        """Bytes of the body that follows.

        :raises Refused: chunked, contradictory or longer than ``limit``.
        """
        if _values(self.fields, b"transfer-encoding"):
            raise Refused(RefusalKind.DENIED, "chunked request")
        length = _content_length(self.fields) or 0
        if length > limit:
            raise Refused(RefusalKind.DENIED, "request body too large")
        return length


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """A response as an origin sends it."""

    line: bytes
    status: int
    fields: Fields

    @classmethod
    def parsed(cls, head: bytes) -> ResponseHead:
        """Read a head up to and with its empty line.

        :raises Refused: it is not exactly one.
        """
        line, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        response = _STATUS_LINE.fullmatch(line)
        if not response:
            raise Refused(RefusalKind.BROKEN, "status line")
        return cls(line, int(response[1]), _fields(rest))

    @property
    def content_length(self) -> int | None:
        """The declared length; None if the body is chunked or ends with the connection.

        :raises Refused: contradictory lengths, or a length and chunks.
        """
        length = _content_length(self.fields)
        if length is not None and _values(self.fields, b"transfer-encoding"):
            raise Refused(RefusalKind.BROKEN, "length and chunks")
        return length


def request_for_origin(request: RequestHead, *, path: str, host: str) -> bytes:
    """The head an origin gets: one request on a connection that closes after it."""
    start = b"%b %b HTTP/1.1\r\nHost: %b\r\n" % (request.method, path.encode("ascii"), host.encode("ascii"))
    return start + _written(field for field in request.fields if field[0].lower() != b"host")


def response_for_client(response: ResponseHead) -> bytes:
    """The head the client gets."""
    return response.line + b"\r\n" + _written(response.fields)


def _fields(lines: Iterable[bytes]) -> Fields:
    fields = []
    for line in lines:
        field = _FIELD.fullmatch(line)  # no folded lines, no blank before the colon
        if not field:
            raise Refused(RefusalKind.BROKEN, "header field")
        fields.append((field[1], field[2].strip(b" \t")))
    return tuple(fields)


def _written(fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    kept = (b"%b: %b\r\n" % field for field in fields if field[0].lower() not in _HOP_BY_HOP)
    return b"".join(kept) + b"Connection: close\r\n\r\n"


def _values(fields: Fields, name: bytes) -> list[bytes]:
    return [value for key, value in fields if key.lower() == name]


def _content_length(fields: Fields) -> int | None:
    lengths = set(_values(fields, b"content-length"))
    if not lengths:
        return None
    length = lengths.pop()
    if lengths or not re.fullmatch(rb"[0-9]{1,18}", length):
        raise Refused(RefusalKind.BROKEN, "content length")
    return int(length)
