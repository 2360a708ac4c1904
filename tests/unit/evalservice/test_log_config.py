"""Log lines as a process writes them; in a process of its own, since logging is one for all of it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.programs import clean_environment, run

SCRIPT = """
import logging, logging.config, structlog
from evalservice.log_config import logging_config
logging.config.dictConfig(logging_config(plain={plain}, level={level!r}))
log = structlog.get_logger("a.b")
with structlog.contextvars.bound_contextvars(request_id="r1"):
    log.info("answer_put", answer=7, text="line\\nbreak \\x1b ü")
    logging.getLogger("django.request").warning("Not Found: %s", "/x")
    logging.getLogger("django-q").info("chatter")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("slice_raised")
log.debug("too_fine")
"""


def lines(var: Path, *, plain: bool, level: str) -> list[str]:
    """What the script writes to standard error."""
    done = run("-c", SCRIPT.format(plain=plain, level=level), env=clean_environment(var))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return done.stderr.splitlines()


def test_a_line_is_a_json_object_with_a_constant_event_and_its_fields(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [json.loads(line) for line in lines(tmp_path, plain=False, level="INFO")]
    assert [record["event"] for record in records] == ["answer_put", "Not Found: /x", "slice_raised"]
    put, missing, raised = records
    assert (put["answer"], put["text"], put["request_id"]) == (7, "line\nbreak \x1b ü", "r1")
    assert (put["level"], put["logger"]) == ("info", "a.b")
    assert datetime.fromisoformat(put["timestamp"]).utcoffset() is not None
    assert (missing["level"], missing["logger"], missing["request_id"]) == ("warning", "django.request", "r1")
    assert "ZeroDivisionError" in raised["exception"]
    assert "request_id" not in raised


def test_the_level_counts_for_both_kinds_of_loggers(tmp_path: Path) -> None:
    records = [json.loads(line) for line in lines(tmp_path, plain=False, level="ERROR")]
    assert [record["event"] for record in records] == ["slice_raised"]


REFUSED = """
import logging, logging.config
from evalservice.log_config import logging_config
logging.config.dictConfig(logging_config(plain=False, level="INFO"))
for name, status in (("django.security.DisallowedHost", 400), ("django.request", 400), ("django.request", 500)):
    try:
        raise ValueError("of the client's making")
    except ValueError as error:
        logging.getLogger(name).error("told", exc_info=error, extra={"status_code": status})
"""


def test_a_refused_request_is_one_warning_and_a_fault_of_ours_has_its_traceback(tmp_path: Path) -> None:
    done = run("-c", REFUSED, env=clean_environment(tmp_path))
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert [record["level"] for record in records] == ["warning", "warning", "error"]
    assert ["exception" in record for record in records] == [False, False, True]


def test_plain_text_is_for_people(tmp_path: Path) -> None:
    first = lines(tmp_path, plain=True, level="INFO")[0]
    assert "answer_put" in first
    assert "answer=7" in first
    assert "\x1b" not in first
