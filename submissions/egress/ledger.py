"""What one job may use of the network, what it used, and what was refused to it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["GuardLimits", "Ledger", "Refusal", "RefusalKind", "Refused"]


class RefusalKind(StrEnum):
    """Why the guard ended an exchange."""

    DENIED = "denied"  # by policy
    NO_SUCH_HOST = "no_such_host"
    RESOLVER_FAILED = "resolver_failed"
    UNREACHABLE = "unreachable"  # refused, reset, no route
    TIMEOUT = "timeout"
    BROKEN = "broken"  # not HTTP, not TLS, a head too large
    BYTES_SPENT = "bytes_spent"
    CONNECTIONS_SPENT = "connections_spent"


class Refused(Exception):
    """An exchange must end now."""

    def __init__(self, kind: RefusalKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal, kept for operators and for the client: nothing in a response can forge it."""

    kind: RefusalKind
    target: str  # as the client wrote it
    host: str
    port: int
    detail: str


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """Budgets of one job (one page with all it loads) and of single exchanges."""

    wire_bytes: int = 40 * 2**20  # both directions, as on the wire
    connections: int = 300
    parallel: int = 24
    seconds: float = 60.0
    resolve_s: float = 8.0
    connect_s: float = 8.0
    head_s: float = 15.0  # for a whole request or response head
    idle_s: float = 12.0  # without a byte in either direction
    head_bytes: int = 64 * 1024
    request_bytes: int = 2**20
    addresses: int = 4  # tried of one name


@dataclass(slots=True)
class Ledger:
    """The running account of one job."""

    limits: GuardLimits
    wire_bytes: int = 0
    connections: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float:
        """Seconds until the job's time is over, never negative."""
        return max(0.0, self._began + self.limits.seconds - time.monotonic())

    @property
    def bytes_left(self) -> int:
        """Bytes that may still cross the wire."""
        return max(0, self.limits.wire_bytes - self.wire_bytes)

    def take_bytes(self, count: int) -> None:
        """Account for bytes on the wire.

        :raises Refused: there are not that many left.
        """
        self.wire_bytes += count
        if self.wire_bytes > self.limits.wire_bytes:
            raise Refused(RefusalKind.BYTES_SPENT, f"over {self.limits.wire_bytes} bytes")

    def take_connection(self) -> None:
        """Account for a connection to the outside.

        :raises Refused: there is none left.
        """
        self.connections += 1
        if self.connections > self.limits.connections:
            raise Refused(RefusalKind.CONNECTIONS_SPENT, f"over {self.limits.connections} connections")
