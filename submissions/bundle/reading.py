"""The words of reading a bundle: limits, answers, faults with their places."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum


class FaultCode(StrEnum):
    """Why a bundle, a line, a file or a field is refused: a closed list, documented in docs/api.md."""

    ANSWER_DUPLICATE = "answer_duplicate"
    ANSWER_TOO_LARGE = "answer_too_large"
    ARCHIVE_DAMAGED = "archive_damaged"
    ARCHIVE_NESTED = "archive_nested"
    BUNDLE_EMPTY = "bundle_empty"
    BUNDLE_LAYOUT = "bundle_layout"
    BUNDLE_TOO_LARGE = "bundle_too_large"
    BUNDLE_TOO_MANY = "bundle_too_many"
    ENCODING_INVALID = "encoding_invalid"
    FIELD_INVALID = "field_invalid"
    FIELD_REQUIRED = "field_required"
    FIELD_UNKNOWN = "field_unknown"
    FILE_COMPRESSION = "file_compression"
    FILE_DAMAGED = "file_damaged"
    FILE_ENCRYPTED = "file_encrypted"
    FILE_NOT_REGULAR = "file_not_regular"
    FILE_RATIO = "file_ratio"
    FILE_UNEXPECTED = "file_unexpected"
    JSON_DUPLICATE_KEY = "json_duplicate_key"
    JSON_MALFORMED = "json_malformed"
    JSON_NOT_A_NUMBER = "json_not_a_number"
    JSON_NOT_AN_OBJECT = "json_not_an_object"
    JSON_TOO_DEEP = "json_too_deep"
    JSON_TOO_LARGE = "json_too_large"
    LINE_TOO_LONG = "line_too_long"
    NAME_TOO_LONG = "name_too_long"
    PATH_UNSAFE = "path_unsafe"


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes a bundle may have. Bytes are counted after decompression."""

    answer_bytes: int
    bundle_bytes: int
    bundle_files: int  # files of a zip, or lines with a record; as many blank lines may stand between them
    bundle_ratio: int  # unpacked : packed, of one file


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason to refuse a bundle. ``where`` is ``line 3``, a file's name, or ``bundle``."""

    where: str
    code: FaultCode
    detail: str


@dataclass(frozen=True, slots=True)
class AnswerIn:
    """One answer as handed in, cleaned.

    ``raw`` holds the bytes as received when they differ from ``text`` in UTF-8; ``flags`` name what was
    replaced in them; ``where`` is the place in the bundle.
    """

    task: str
    run: int
    text: str
    raw: bytes | None = None
    started_at: dt.datetime | None = None
    finished_at: dt.datetime | None = None
    cost_usd: float | None = None
    tokens: int | None = None
    trace_url: str = ""
    flags: tuple[str, ...] = ()
    where: str = ""
