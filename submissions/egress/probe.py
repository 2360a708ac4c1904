"""Can *we* reach anything? Asked when a host seems dead, before anyone is blamed for it."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

from submissions.egress.fetch import FetchLimits, get
from submissions.egress.outside import Dialer, Resolver, dial, resolve
from submissions.egress.policy import Policy

__all__ = ["known_good_answers"]

_LIMITS = FetchLimits(body_bytes=2**20, total_s=10.0, redirects=0)


async def known_good_answers(
    hosts: Sequence[str],
    *,
    contact: str,
    policy: Policy | None = None,
    resolver: Resolver = resolve,
    dialer: Dialer = dial,
    tls: ssl.SSLContext | None = None,
) -> bool:
    """Whether one of the known good hosts answers over HTTPS, with any status. No hosts: no.

    Name resolution, routing and TLS work if one does; which of them failed otherwise does not matter.
    """
    for host in hosts:
        fetched = await get(
            f"https://{host}/",
            contact=contact,
            policy=policy,
            limits=_LIMITS,
            resolver=resolver,
            dialer=dialer,
            tls=tls,
        )
        if fetched.status is not None:
            return True
    return False
