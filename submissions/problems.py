"""The closed list of codes by which the API says no, and the exception that carries one.

A refusal is raised where a rule is broken and reaches the client as RFC 9457 ``application/problem+json``.
docs/api.md lists the codes; ``manage.py api_docs`` writes them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

T = TypeVar("T")

# What a refusal lists; beyond it nobody reads, and the list would cost more than the request it answers.
MAX_FAULTS = 100


@dataclass(frozen=True, slots=True)
class Code:
    """A code: the HTTP status it comes with, a short title, and what to do about it."""

    status: int
    title: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ErrorItem:
    """One entry of a problem's ``errors``: where (a JSON pointer, or a bundle's line or file), which code, why."""

    pointer: str
    code: str
    detail: str


class FirstFaults(Generic[T]):
    """The first :data:`MAX_FAULTS` faults, and how many ``more`` there are."""

    def __init__(self, faults: Iterable[T] = (), *, more: int = 0) -> None:
        self.kept: list[T] = []
        self.more = more
        for fault in faults:
            self.add(fault)

    def add(self, fault: T) -> None:
        """Keep a fault, or count it."""
        if len(self.kept) < MAX_FAULTS:
            self.kept.append(fault)
        else:
            self.more += 1


class Refusal(Exception):
    """A rule says no. Subclasses are named for what happened and set ``code``, one of :data:`CODES`.

    ``errors`` need not be all: ``more`` is the number of those that were counted only.
    """

    code: ClassVar[str]

    def __init__(self, detail: str = "", *, errors: Sequence[ErrorItem] = (), more: int = 0) -> None:
        self.detail = detail or CODES[self.code].meaning
        self.errors = tuple(errors) or (ErrorItem("", self.code, self.detail),)
        self.more = more
        super().__init__(self.detail)


# What may be wrong inside a bundle or a field: these appear in ``errors`` and, alone, never as a problem's type.
_PARTS: Mapping[str, Code] = {
    "answer_duplicate": Code(400, "Answer given twice", "A task and run may appear once in a bundle."),
    "answer_too_large": Code(400, "Answer too large", "An answer is larger than the limit shown by GET /me."),
    "archive_damaged": Code(400, "Archive damaged", "The bundle begins like a zip but cannot be read as one."),
    "archive_nested": Code(400, "Archive in archive", "Archives inside the bundle are not opened."),
    "bundle_empty": Code(400, "Bundle empty", "The bundle holds no answer."),
    "bundle_layout": Code(400, "Bundle layout", "All tasks must lie in the same agent's folder, or in none."),
    "bundle_too_large": Code(400, "Bundle too large", "The unpacked bundle exceeds the limit shown by GET /me."),
    "bundle_too_many": Code(400, "Too many answers", "The bundle has more answers, or more blank lines, than the limit shown by GET /me."),
    "encoding_invalid": Code(400, "Not valid text", "Use UTF-8, or UTF-16 with a byte order mark."),
    "field_invalid": Code(400, "Field invalid", "The value is not one this field takes; detail says what it takes."),
    "field_required": Code(400, "Field missing", "A required field is missing."),
    "field_unknown": Code(400, "Field unknown", "There is no such field, or it cannot be written."),
    "file_compression": Code(400, "Compression unknown", "Files of a zip must be stored or deflated."),
    "file_damaged": Code(400, "File damaged", "A file does not unpack to what the archive promises."),
    "file_encrypted": Code(400, "File encrypted", "Encrypted files cannot be read."),
    "file_not_regular": Code(400, "Not a regular file", "Links and devices are not accepted."),
    "file_ratio": Code(400, "File unpacks too far", "A file exceeds the compression ratio shown by GET /me."),
    "file_unexpected": Code(400, "File unexpected", "Files of a zip are named <task>/answer_<run>.md."),
    "json_duplicate_key": Code(400, "JSON key repeated", "An object names the same key twice."),
    "json_malformed": Code(400, "JSON malformed", "The text is not JSON; detail names the place."),
    "json_not_a_number": Code(400, "JSON number invalid", "NaN, infinities and numbers beyond 1e308 are refused."),
    "json_not_an_object": Code(400, "JSON object needed", "A JSON object is needed here."),
    "json_too_deep": Code(400, "JSON too deep", "The JSON is nested too deeply."),
    "json_too_large": Code(400, "JSON too large", "The JSON has more values than any request or answer needs."),
    "line_too_long": Code(400, "Line too long", "A line is longer than any allowed answer could be."),
    "more_faults": Code(400, "More faults", "Only the first 100 faults are listed; detail says how many more there are."),
    "name_too_long": Code(400, "Name too long", "A file's or folder's name has more than 255 bytes."),
    "path_unsafe": Code(400, "Path unsafe", "Absolute paths and '..' are refused."),
    "run_out_of_range": Code(400, "No such run", "Runs are numbered from 1 to the submission's number of runs."),
    "task_unknown": Code(404, "Unknown task", "The submission's task set has no such task."),
}  # fmt: skip

_PROBLEMS: Mapping[str, Code] = {
    "answer_changed": Code(412, "Answer changed", "If-Match or If-None-Match does not fit the stored answer."),
    "bad_request": Code(400, "Bad request", "The request cannot be understood."),
    "body_too_large": Code(413, "Body too large", "The request is larger than the limits shown by GET /me."),
    "bundle_refused": Code(400, "Bundle refused", "Nothing of the bundle was stored; errors lists every fault."),
    "cursor_invalid": Code(400, "Cursor invalid", "Use the next or previous link of a list as it is."),
    "draft_expired": Code(409, "Draft expired", "Drafts are kept for a week; start a new submission."),
    "idempotency_key_invalid": Code(400, "Idempotency-Key invalid", "1 to 200 printable ASCII characters."),
    "idempotency_key_reused": Code(409, "Idempotency-Key reused", "The key came with another request before."),
    "internal_error": Code(500, "Internal error", "Our fault; give the instance when you report it."),
    "key_expired": Code(401, "Key expired", "The API key has expired; ask for a new one."),
    "key_revoked": Code(401, "Key revoked", "The API key was revoked."),
    "key_unknown": Code(401, "Key unknown", "The API key is not one of ours, or is mistyped."),
    "method_not_allowed": Code(405, "Method not allowed", "Allow names the methods of this address."),
    "not_a_draft": Code(409, "Not a draft", "Only drafts can be changed; this submission is not one any more."),
    "not_acceptable": Code(406, "Not acceptable", "None of the media types in Accept can be given."),
    "not_authenticated": Code(401, "Key needed", "Send Authorization: Bearer <key>."),
    "not_found": Code(404, "Not found", "There is nothing at this address for you."),
    "not_ready": Code(503, "Not ready", "The operator has to finish setting the service up; try again later."),
    "permission_denied": Code(403, "Not permitted", "This is not permitted."),
    "rate_limited": Code(429, "Too many requests", "Wait for the seconds in Retry-After."),
    "request_invalid": Code(400, "Request invalid", "errors names each field and what is wrong with it."),
    "scope_missing": Code(403, "Scope missing", "The API key lacks the scope this request needs."),
    "sealed_needs_lease": Code(
        409, "Lease needed", "Prompts of this set are handed out one by one; uploads without a lease are refused."
    ),
    "submission_empty": Code(409, "No answers", "There is nothing to judge: no answer was given."),
    "system_name_taken": Code(409, "Name taken", "The team has a system of this name; PATCH that one."),
    "system_unknown": Code(404, "Unknown system", "Your team has no such system."),
    "task_set_closed": Code(409, "Task set closed", "The set takes no answers any more; start again with its new version."),
    "task_set_not_open": Code(404, "No such open task set", "No task set of this name takes submissions now."),
    "too_late_to_cancel": Code(409, "Too late to cancel", "It has come to its end already, or was finalized on a test set."),
    "unsupported_media_type": Code(415, "Unsupported media type", "Send application/json, or multipart/form-data for a bundle."),
}  # fmt: skip

CODES: Mapping[str, Code] = dict(sorted({**_PARTS, **_PROBLEMS}.items()))
