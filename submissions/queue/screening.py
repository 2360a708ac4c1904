"""What a worker is handed: steps of the pipeline. Any other message ends as a failure, without its callable being looked for."""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)

_STOP = "STOP"  # how django-q2 tells a worker to end
_OF_THE_QUEUE = ("id", "name", "started", "ack_id", "ack_failure")
_AFTERWARDS = ("hook", "chain")  # further callables that django-q2 would run when the message is done


class NotAStep(Exception):
    """A message names a callable that ``settings.PIPELINE`` does not."""


class Source(Protocol):
    """Where messages come from."""

    def get(self) -> Any:
        """The next message, when there is one."""
        ...


def refuse() -> NoReturn:
    """Run in place of what a foreign message names.

    :raises NotAStep: always.
    """
    raise NotAStep("not a step of the pipeline")


class PipelineOnly:
    """A queue as its worker may see it."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def get(self) -> Any:
        """The next message; a foreign one with :func:`refuse` in place of its callable."""
        message = self._source.get()
        if message == _STOP or _is_step(message):
            return message
        log.error("queue_message_refused", message=message["id"], function=str(message["func"])[:200])
        kept = {key: message[key] for key in _OF_THE_QUEUE if key in message}
        return {**kept, "func": refuse, "args": (), "kwargs": {}}


def _is_step(message: dict[str, Any]) -> bool:
    return message["func"] in settings.PIPELINE.values() and not any(map(message.get, _AFTERWARDS))
