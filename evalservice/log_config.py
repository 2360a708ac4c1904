"""Logs: one constant event name with its data as fields; JSON lines, or plain text on a developer's machine."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

import structlog
from structlog.typing import Processor


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]


class WithoutTraceback(logging.Filter):
    """One warning for a request that is refused with 400: scanners send many, and none is a fault of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let it pass, lowered and without its traceback."""
        if getattr(record, "status_code", None) == HTTPStatus.BAD_REQUEST:
            record.exc_info = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


def logging_config(*, plain: bool, level: str) -> dict[str, Any]:
    """A ``dictConfig`` that renders the standard library's and structlog's records alike."""
    shared = _shared()
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(colors=False) if plain else structlog.processors.JSONRenderer()
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "events": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": shared,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            }
        },
        "filters": {"without_traceback": {"()": WithoutTraceback}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "events"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.server": {"handlers": ["stderr"], "propagate": False, "level": "WARNING"},
            "django.security.DisallowedHost": {"filters": ["without_traceback"]},
            "django.request": {"filters": ["without_traceback"]},
            "django-q": {"handlers": ["stderr"], "propagate": False, "level": "WARNING"},
            # A line a request: ours are logged where they mean something.
            "httpx": {"handlers": ["stderr"], "propagate": False, "level": "WARNING"},
        },
    }
