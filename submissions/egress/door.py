"""The door with its settings: what a worker holds and asks for every page."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field

from submissions.egress.fetch import Fetched, FetchLimits, get
from submissions.egress.outside import Dialer, Resolver, dial, resolve
from submissions.egress.policy import Policy
from submissions.egress.probe import known_good_answers

__all__ = ["Door"]


@dataclass(frozen=True, slots=True)
class Door:
    """How to get out; the arguments of :func:`submissions.egress.get`, named once."""

    contact: str
    policy: Policy = field(default_factory=Policy)
    limits: FetchLimits = field(default_factory=FetchLimits)
    resolver: Resolver = resolve
    dialer: Dialer = dial
    tls: ssl.SSLContext | None = None

    async def get(self, url: str) -> Fetched:
        """Fetch a page."""
        return await get(
            url,
            contact=self.contact,
            policy=self.policy,
            limits=self.limits,
            resolver=self.resolver,
            dialer=self.dialer,
            tls=self.tls,
        )

    async def reaches_any(self, hosts: Sequence[str]) -> bool:
        """Whether one of the known good hosts answers: do we reach anything at all?"""
        return await known_good_answers(
            hosts,
            contact=self.contact,
            policy=self.policy,
            resolver=self.resolver,
            dialer=self.dialer,
            tls=self.tls,
        )
