"""A breaker: an endpoint that fails call after call is held to be down, and left alone for a while.

Michael T. Nygard, "Release It!" (2007), describes the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from judging.judges.openai.faults import Fault

__all__ = ["CONFIGURATION", "DOWN", "Breaker"]

log = structlog.get_logger(__name__)

# Nobody is there, or nobody who could judge. A rate limit, a refusal and a bad reply come from somebody who is.
DOWN = frozenset({Fault.SERVER, Fault.CONNECTION, Fault.TIMEOUT, Fault.BAD_BODY})
# Asking again mends nothing: one such reply suffices.
CONFIGURATION = frozenset({Fault.AUTH, Fault.NO_SUCH_MODEL, Fault.QUOTA})


@dataclass(slots=True, kw_only=True)
class Breaker:
    """What is known against an endpoint. Mutable: shared by all judges of an endpoint and model in a process.

    After ``after`` failed calls in a row, whichever questions they belong to, no call is made for ``hold_s`` seconds.
    Then one call finds out: if it fails, the endpoint is held to be down for as long again. What failed more than
    ``forget_s`` seconds ago says nothing of now. Every ``now`` is in seconds of one clock.
    """

    after: int = 80
    hold_s: float = 10.0
    forget_s: float = 60.0
    fault: Fault = Fault.NONE  # for which the endpoint is held to be down
    detail: str = ""  # what it said last, for operators
    trying: bool = False  # a call is under way that finds out
    _failures: int = 0  # in a row
    _failed_at: float = 0.0

    def holds(self, now: float) -> bool:
        """Whether a call would be in vain now: it would meet :attr:`fault`."""
        return bool(self.fault) and now < self._failed_at + self.hold_s

    def begin(self, now: float) -> bool:
        """A call goes out; whether it is the one that finds out, for which others wait."""
        if now > self._failed_at + self.forget_s:
            self.close()
        is_trial = bool(self.fault)
        self.trying = self.trying or is_trial
        return is_trial

    def end(self, fault: Fault, detail: str, *, now: float) -> None:
        """A call came back. That of an earlier one says as much as any."""
        if fault not in DOWN | CONFIGURATION:
            self.close()
            return
        self._failures += 1
        self._failed_at = now
        if self._failures >= self.after or fault in CONFIGURATION or self.fault:
            if not self.fault:
                log.error("endpoint_held_down", fault=fault.value, failures=self._failures, detail=detail)
            self.fault, self.detail = fault, detail

    def close(self) -> None:
        """Know nothing against the endpoint."""
        if self.fault:
            log.info("endpoint_asked_again", fault=self.fault.value)
        self.fault, self.detail, self._failures = Fault.NONE, "", 0

    def ask_anew(self) -> None:
        """For whoever takes up work again: what only a person mends may have been mended."""
        if self.fault in CONFIGURATION:
            self.close()
