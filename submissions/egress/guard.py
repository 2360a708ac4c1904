"""The guard: a filtering forward proxy on a loopback port, and the only way out, for one job.

It sees every hop of every redirect and everything a page loads. A name is looked up once, all its addresses are
judged, and exactly a judged address is dialled, so a name that resolves differently a moment later is no way in.
TLS is not opened: a tunnel is judged by its host and must begin as TLS does.

The guard never speaks in a response. It resets the connection (a tunnel that was never opened is answered 403)
and says why in :attr:`Guard.refusals`: what a client reads of a response can be forged by a site, this cannot.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from submissions.egress.exchange import Exchange, Way
from submissions.egress.ledger import GuardLimits, Ledger, Refusal
from submissions.egress.outside import Dialer, Resolver, dial, resolve
from submissions.egress.policy import Policy
from submissions.egress.streams import Stream

__all__ = ["Guard"]


class Guard:
    """A listener of its own for one job, open while its context is.

    ``async with Guard(policy) as guard:`` and give ``guard.url`` to the client as its proxy. ``resolver`` and
    ``dialer`` are the outside world; tests bring their own.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        limits: GuardLimits | None = None,
        resolver: Resolver = resolve,
        dialer: Dialer = dial,
        listen_on: str = "127.0.0.1",
    ) -> None:
        self.policy = policy
        self.ledger = Ledger(limits or GuardLimits())
        self.url = ""
        self._way = Way(policy, resolver, dialer, self.ledger)
        self._slots = asyncio.Semaphore(self.ledger.limits.parallel)
        self._exchanges: set[asyncio.Task[None]] = set()
        self._listen_on = listen_on

    @property
    def refusals(self) -> list[Refusal]:
        """Everything that was refused, oldest first."""
        return self.ledger.refusals

    def refusal_of(self, host: str, port: int, *, since: int = 0) -> Refusal | None:
        """The latest refusal of a host, leaving out the first ``since`` refusals."""
        mine = (r for r in reversed(self.refusals[since:]) if (r.host, r.port) == (host, port))
        return next(mine, None)

    async def __aenter__(self) -> Self:
        limit = self.ledger.limits.head_bytes
        self._server = await asyncio.start_server(self._accept, self._listen_on, 0, limit=limit)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://{self._listen_on}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for exchange in self._exchanges:
            exchange.cancel()
        await asyncio.gather(*self._exchanges, return_exceptions=True)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: the one asyncio makes for a coroutine reports a cancel as a failure.
        exchange = asyncio.ensure_future(Exchange(self._way, Stream(reader, writer)).run(self._slots))
        self._exchanges.add(exchange)
        exchange.add_done_callback(self._finished)

    def _finished(self, exchange: asyncio.Task[None]) -> None:
        self._exchanges.discard(exchange)
        if not exchange.cancelled() and (error := exchange.exception()) is not None:
            context = {"message": "guard: exchange failed", "exception": error, "task": exchange}
            exchange.get_loop().call_exception_handler(context)
