"""One question to a provider's service: the reply, or what its failure means for the query and for all others."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from judging.search.interface import Fault, SearchFailed, SearchRefused
from submissions.egress import Failure, ServiceFailed
from submissions.reasons import StateReason

__all__ = ["asked"]

_FAULTS = {
    Failure.UNREACHABLE: Fault.UNREACHABLE,
    Failure.TIMEOUT: Fault.TIMEOUT,
    Failure.BUSY: Fault.RATE_LIMITED,
    Failure.SERVER_ERROR: Fault.SERVER_ERROR,
    Failure.REFUSED: Fault.REFUSED,
    Failure.REDIRECTED: Fault.REDIRECTED,
    Failure.TOO_LARGE: Fault.TOO_LARGE,
    Failure.BROKEN: Fault.BROKEN,
}
_UNPAID = 402
_NOT_ALLOWED = frozenset({401, 403})
_MEANS_QUOTA = re.compile(rb"not enough credits|out of credits|quota", re.IGNORECASE)


async def asked(ask: Callable[[], Awaitable[bytes]]) -> bytes:
    """The body of the reply.

    :raises SearchFailed: there is none for this query.
    :raises SearchRefused: the key is refused, or what it may cost is used up.
    """
    try:
        return await ask()
    except ServiceFailed as failed:
        if _is_quota(failed):
            raise SearchRefused(StateReason.SEARCH_QUOTA) from None
        if failed.status in _NOT_ALLOWED:
            raise SearchRefused(StateReason.SEARCH_AUTH) from None
        raise SearchFailed(_FAULTS[failed.failure]) from None


def _is_quota(failed: ServiceFailed) -> bool:
    """A provider says so by its status, or in words beside 400, 403 or 429."""
    refused = failed.failure in {Failure.REFUSED, Failure.BUSY}
    return failed.status == _UNPAID or (refused and _MEANS_QUOTA.search(failed.said) is not None)
