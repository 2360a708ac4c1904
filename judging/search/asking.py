"""One question to a provider's service: the reply, or what its failure means for the query and for all others."""

from __future__ import annotations

import json
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
_BAD_REQUEST = 400
_NOT_ALLOWED = frozenset({401, 403})
_TELL_QUOTA = frozenset({403, 429})
_MEANS_QUOTA = re.compile("not enough credits|out of credits|quota", re.IGNORECASE)
_NO_CREDITS = "Not enough credits"  # all that Serper says then, with 400


async def asked(query: str, ask: Callable[[], Awaitable[bytes]]) -> bytes:
    """The body of the reply.

    :param query: what is asked, which a refusal may repeat.

    :raises SearchFailed: there is none for this query.
    :raises SearchRefused: the key is refused, or what it may cost is used up.
    """
    try:
        return await ask()
    except ServiceFailed as failed:
        if _is_quota(failed, query):
            raise SearchRefused(StateReason.SEARCH_QUOTA) from None
        if failed.status in _NOT_ALLOWED:
            raise SearchRefused(StateReason.SEARCH_AUTH) from None
        raise SearchFailed(_FAULTS[failed.failure]) from None


def _is_quota(failed: ServiceFailed, query: str) -> bool:
    """A provider says so by its status, or in words beside 400, 403 or 429 that are not those of the query."""
    if failed.status == _BAD_REQUEST:
        return _message(failed.said) == _NO_CREDITS
    if failed.status not in _TELL_QUOTA:
        return failed.status == _UNPAID
    # However a refusal writes the query: words that stand in it tell nothing.
    said = failed.said.decode(errors="replace")
    return not _MEANS_QUOTA.search(query) and _MEANS_QUOTA.search(said) is not None


def _message(said: bytes) -> str:
    try:
        return str(json.loads(said)["message"])
    except (ValueError, RecursionError, TypeError, KeyError):
        return ""
