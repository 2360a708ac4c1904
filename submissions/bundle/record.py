"""One answer as a JSON object: a line of a bundle, or the body of a PUT. The same rules for both."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from submissions.bundle.reading import AnswerIn, FaultCode, Limits
from submissions.bundle.text import clean_text, raw_if_different

MAX_TASK_CHARACTERS = 300
MAX_RUN = 1000
MAX_TOKENS = 2**53 - 1  # what every JSON reader keeps exactly
MAX_URL_CHARACTERS = 1000
FIELDS = ("answer", "started_at", "finished_at", "cost_usd", "tokens", "trace_url")
BUNDLE_FIELDS = ("task", "run", *FIELDS)

_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_URL = re.compile(r"https?://[^\s<>\"\x00-\x20\x7f\ud800-\udfff]+", re.IGNORECASE)
_YEARS = range(2000, 2101)


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A field that is missing, unknown or wrong."""

    field: str
    code: FaultCode
    detail: str


class _Wrong(ValueError):
    """A value that its field does not take; the message says what it takes."""


def _task(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TASK_CHARACTERS:
        raise _Wrong(f"A task's id: a text of 1 to {MAX_TASK_CHARACTERS} characters.")
    return value


def _run(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_RUN:
        raise _Wrong(f"A whole number from 1 to {MAX_RUN}.")
    return value


def _answer(value: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong("A text, in Markdown.")
    return value


def _time(value: Any) -> dt.datetime | None:
    if value is None:
        return None
    wrong = _Wrong("A time with its zone after RFC 3339, as 2026-05-04T12:00:00Z, of the years 2000 to 2100.")
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise wrong
    # The years are checked before the zone is applied: year 1 in a far zone has no UTC.
    if int(value[:4]) not in _YEARS:
        raise wrong
    try:
        return dt.datetime.fromisoformat(value.upper()).astimezone(dt.UTC)
    except ValueError as error:
        raise wrong from error


def _cost(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e9:
        raise _Wrong("US dollars, a number from 0 to 1e9.")
    return float(value)


def _tokens(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_TOKENS:
        raise _Wrong("A whole number from 0 to 2^53 - 1.")
    return value


def _trace_url(value: Any) -> str:
    if value in (None, ""):
        return ""
    if not isinstance(value, str) or len(value) > MAX_URL_CHARACTERS or not _URL.fullmatch(value):
        raise _Wrong(f"An http or https URL of up to {MAX_URL_CHARACTERS} characters.")
    return value


_READERS = {
    "task": _task,
    "run": _run,
    "answer": _answer,
    "started_at": _time,
    "finished_at": _time,
    "cost_usd": _cost,
    "tokens": _tokens,
    "trace_url": _trace_url,
}
_DEFAULTS: dict[str, Any] = {"run": 1}


def _shape_faults(
    record: Mapping[str, Any], required: tuple[str, ...], known: tuple[str, ...]
) -> list[FieldFault]:
    faults = [
        FieldFault(name, FaultCode.FIELD_REQUIRED, "This field is required.")
        for name in required
        if name not in record
    ]
    faults += [
        FieldFault(str(name)[:60], FaultCode.FIELD_UNKNOWN, f"Known fields: {', '.join(known)}.")
        for name in record
        if name not in known
    ]
    return faults


def _read_fields(
    record: Mapping[str, Any], known: tuple[str, ...]
) -> tuple[dict[str, Any], list[FieldFault]]:
    values: dict[str, Any] = {}
    faults = []
    for name in known:
        if name not in record:
            continue
        try:
            values[name] = _READERS[name](record[name])
        except _Wrong as wrong:
            faults.append(FieldFault(name, FaultCode.FIELD_INVALID, str(wrong)))
    return values, faults


def _order_faults(values: Mapping[str, Any]) -> list[FieldFault]:
    start, end = values.get("started_at"), values.get("finished_at")
    if start is None or end is None or start <= end:
        return []
    return [FieldFault("finished_at", FaultCode.FIELD_INVALID, "Must not lie before started_at.")]


def _size_faults(values: Mapping[str, Any], limits: Limits) -> list[FieldFault]:
    size = len(values.get("answer", "").encode("utf-8", "surrogatepass"))
    if size <= limits.answer_bytes:
        return []
    detail = f"{size} bytes; {limits.answer_bytes} are allowed."
    return [FieldFault("answer", FaultCode.ANSWER_TOO_LARGE, detail)]


def read_record(
    record: Mapping[str, Any], limits: Limits, *, place: tuple[str, int] | None = None, where: str = ""
) -> AnswerIn | list[FieldFault]:
    """An answer out of a JSON object, or everything that is wrong with it.

    :param place: task and run, where they are known from the address; otherwise the record names them.
    """
    known = FIELDS if place else BUNDLE_FIELDS
    required = ("answer",) if place else ("task", "answer")
    values, faults = _read_fields(record, known)
    faults = (
        _shape_faults(record, required, known) + faults + _order_faults(values) + _size_faults(values, limits)
    )
    if faults:
        return faults
    if place:
        values |= {"task": place[0], "run": place[1]}
    source = values.pop("answer")
    clean = clean_text(source)
    return AnswerIn(
        **{**_DEFAULTS, **values},
        text=clean.text,
        raw=raw_if_different(source, clean.text),
        flags=clean.flags,
        where=where,
    )
