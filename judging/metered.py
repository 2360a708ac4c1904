"""A judge whose every call is noted, so that it can be charged whatever becomes of what was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from judging.judges.base import (
    CallRecord,
    ClaimsReply,
    ClaimsRequest,
    ExtractReply,
    ExtractRequest,
    Judge,
    JudgeUnavailable,
    VerifyReply,
    VerifyRequest,
)

__all__ = ["Metered"]


class Metered:
    """Asks another judge and tells of every call; implements :class:`judging.judges.base.Judge`."""

    def __init__(self, judge: Judge, tell: Callable[[CallRecord], None]) -> None:
        self._judge = judge
        self._tell = tell
        self.name = judge.name
        self.offline = judge.offline

    async def extract(self, request: ExtractRequest) -> ExtractReply:
        """Data, as the judge reads it."""
        with self._noted():
            reply = await self._judge.extract(request)
        self._tell(reply.record)
        return reply

    async def claims(self, request: ClaimsRequest) -> ClaimsReply:
        """Claims, as the judge lists them."""
        with self._noted():
            reply = await self._judge.claims(request)
        self._tell(reply.record)
        return reply

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """One check, as the judge decides it."""
        with self._noted():
            reply = await self._judge.verify(request)
        self._tell(reply.record)
        return reply

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        """Checks that share a call, as the judge decides them."""
        with self._noted():
            replies = await self._judge.verify_group(requests, group=group)
        for reply in replies:
            self._tell(reply.record)
        return replies

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """A judge that turns out to be unavailable has been asked, too."""
        try:
            yield
        except JudgeUnavailable as gone:
            if gone.attempts:
                priced = any(one.usage.prompt or one.usage.completion for one in gone.attempts)
                cost = None if priced else 0.0
                self._tell(CallRecord(self.name, attempts=gone.attempts, cost_usd=cost))
            raise

    def votes(self, wanted: int) -> int:
        """As many as the judge says."""
        return self._judge.votes(wanted)

    def set_share(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """The judge's share."""
        self._judge.set_share(in_flight=in_flight, tokens_per_minute=tokens_per_minute)

    async def aclose(self) -> None:
        """Close the judge."""
        await self._judge.aclose()
