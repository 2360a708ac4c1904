"""Pages that come with a task set: ``pages/index.jsonl`` and the files it names.

An organiser who hands in a page vouches for what a reader saw of it, so archived HTML counts as rendered.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from judging.citations import MalformedUrl, url_key
from judging.pages.captures import Capture, Hop, PageVerdict
from judging.pages.extract import Document, extract
from judging.pages.pictures import ENDINGS, NotAPicture, shape_of
from judging.pages.reading import with_document
from judging.pages.sniff import Kind
from judging.rubric import Fault
from judging.rubric.faults import Severity

__all__ = ["INDEX", "ArchiveReading", "read_archive"]

FOLDER = "pages/"
INDEX = "pages/index.jsonl"
MAX_FILE = 25 * 2**20
"""Bytes of one archived document, as for a live page."""

_FIELDS = {
    "url": (str,),
    "verdict": (str,),
    "fetched_at": (str,),
    "file": (str, type(None)),
    "status": (int, type(None)),
    "final_url": (str, type(None)),
    "content_type": (str, type(None)),
    "probe_ok": (bool, type(None)),
    "chain": (list, type(None)),
    "sha256": (str, type(None)),
}
_VERDICTS = tuple(verdict.value for verdict in PageVerdict)
_REQUIRED = ("url", "verdict", "fetched_at")
_TYPE_NAMES = {str: "text", int: "a number", bool: "true or false", list: "a list", type(None): "null"}


@dataclass(frozen=True, slots=True)
class ArchiveReading:
    """All captures of an archive, or what must be mended. ``warnings`` refuse nothing."""

    captures: tuple[Capture, ...]
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...] = ()


def read_archive(files: Mapping[str, bytes]) -> ArchiveReading:
    """Read the archive of a bundle; a bundle without ``pages/`` has none.

    :param files: POSIX paths relative to the bundle's root; anything outside ``pages/`` is left alone.
    """
    pages = {path: data for path, data in files.items() if path.startswith(FOLDER)}
    if not pages:
        return ArchiveReading((), ())
    if INDEX not in pages:
        return ArchiveReading((), (Fault(INDEX, "", "is missing: it says what the files in pages/ are"),))
    reader = _Reader(pages)
    for number, line in enumerate(pages[INDEX].removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            reader.line(number, line)
    warnings = tuple(
        Fault(path, "", "no line of the index names this file", Severity.WARNING)
        for path in sorted(pages.keys() - reader.used - {INDEX})
    )
    return ArchiveReading(() if reader.faults else tuple(reader.captures), tuple(reader.faults), warnings)


class _Refused(Exception):
    """One field of a line is wrong."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


class _Reader:
    def __init__(self, pages: Mapping[str, bytes]) -> None:
        self.captures: list[Capture] = []
        self.faults: list[Fault] = []
        self.used: set[str] = set()
        self._pages = pages
        self._lines: dict[str, int] = {}  # by url_key: where a page was first listed

    def line(self, number: int, line: bytes) -> None:
        where = f"line {number}"
        try:
            entry = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            self._fault(where, "is not UTF-8")
            return
        except (ValueError, RecursionError):
            self._fault(where, "is not JSON")
            return
        if not isinstance(entry, dict):
            self._fault(where, "is not an object")
            return
        self._entry(number, entry)

    def _entry(self, number: int, entry: Mapping[str, Any]) -> None:
        before = len(self.faults)
        self._check_fields(number, entry)
        if len(self.faults) > before:
            return
        checks = (self._check_url, self._check_verdict, self._check_time, self._check_rest, self._check_file)
        for check in checks:
            try:
                check(number, entry)
            except _Refused as refused:
                self._fault(f"line {number}.{refused.path}", refused.reason)
        if len(self.faults) == before:
            self._capture(number, entry)

    def _check_fields(self, number: int, entry: Mapping[str, Any]) -> None:
        for name in sorted(entry.keys() - _FIELDS.keys()):
            self._fault(f"line {number}.{name[:40]}", "is not a field of the index")
        for name, types in _FIELDS.items():
            value = entry.get(name)
            if name in _REQUIRED and name not in entry:
                self._fault(f"line {number}.{name}", "is missing")
            elif name in entry and type(value) not in types:
                wanted = " or ".join(_TYPE_NAMES[wanted_type] for wanted_type in types)
                self._fault(f"line {number}.{name}", f"must be {wanted}")
            elif isinstance(value, str) and not _is_storable(value):
                self._fault(f"line {number}.{name}", "holds NUL or a lone surrogate")

    def _check_url(self, number: int, entry: Mapping[str, Any]) -> None:
        try:
            key = url_key(entry["url"])
        except MalformedUrl as malformed:
            raise _Refused("url", f"is no http(s) URL: {malformed}") from None
        first = self._lines.setdefault(key, number)
        if first != number:
            raise _Refused("url", f"is the page of line {first} again")

    def _check_verdict(self, _number: int, entry: Mapping[str, Any]) -> None:
        if entry["verdict"] not in _VERDICTS:
            raise _Refused("verdict", f"must be one of {', '.join(_VERDICTS)}")
        if PageVerdict(entry["verdict"]).readable and not entry.get("file"):
            raise _Refused("file", f"is missing: a page that is {entry['verdict']} has content")

    def _check_time(self, _number: int, entry: Mapping[str, Any]) -> None:
        try:
            moment = datetime.fromisoformat(entry["fetched_at"])
        except ValueError:
            raise _Refused("fetched_at", "is no RFC 3339 time") from None
        if moment.tzinfo is None:
            raise _Refused("fetched_at", "has no time zone")

    def _check_rest(self, _number: int, entry: Mapping[str, Any]) -> None:
        status = entry.get("status")
        if status is not None and not _is_status(status):
            raise _Refused("status", "is no HTTP status")
        final_url = entry.get("final_url")
        if final_url is not None and not _is_url(final_url):
            raise _Refused("final_url", "is no http(s) URL")
        for step, hop in enumerate(entry.get("chain") or ()):
            if not _is_hop(hop):
                raise _Refused(f"chain[{step}]", "must be [status, URL]")

    def _check_file(self, _number: int, entry: Mapping[str, Any]) -> None:
        name = entry.get("file")
        if name is None:
            return
        if not _is_inside(name):
            raise _Refused("file", "must be a plain path below pages/")
        path = FOLDER + name
        if path not in self._pages:
            raise _Refused("file", f"{path} is not in the bundle")
        self.used.add(path)
        if len(self._pages[path]) > MAX_FILE:
            raise _Refused("file", f"{path} is over {MAX_FILE} bytes")
        found = hashlib.sha256(self._pages[path]).hexdigest()
        if entry.get("sha256") not in (None, found):
            raise _Refused("sha256", f"is not that of {path}, {found}: the file was changed")

    def _capture(self, number: int, entry: Mapping[str, Any]) -> None:
        seen = Capture(
            url=entry["url"],
            verdict=PageVerdict(entry["verdict"]),
            fetched_at=datetime.fromisoformat(entry["fetched_at"]).astimezone(UTC),
            status=entry.get("status"),
            final_url=entry.get("final_url"),
            chain=tuple(_hop(hop) for hop in entry.get("chain") or ()),
            content_type=entry.get("content_type"),
            probe_ok=entry.get("probe_ok"),
        )
        if entry.get("file") is None:
            self.captures.append(seen)
            return
        body = self._pages[FOLDER + entry["file"]]
        document = extract(body, seen.content_type or "")
        if seen.verdict.readable and not document.text:
            self._fault(f"line {number}.file", f"{FOLDER}{entry['file']} {_why_unreadable(document)}")
            return
        self.captures.append(replace(_with_file(seen, body, document), shot=self._shot(entry["file"])))

    def _shot(self, name: str) -> bytes | None:
        """The picture beside a page's file: of the same name, with an ending of its own."""
        stem = FOLDER + posixpath.splitext(name)[0]
        found = [stem + ending for ending in ENDINGS if stem + ending in self._pages]
        self.used.update(found)
        for path in found[1:]:
            self.faults.append(Fault(path, "", f"is a second picture beside {found[0]}"))
        return self._pages[found[0]] if found and self._is_picture(found[0]) else None

    def _is_picture(self, path: str) -> bool:
        wanted = ENDINGS[posixpath.splitext(path)[1]]
        try:
            shape = shape_of(self._pages[path])
        except NotAPicture as refused:
            self.faults.append(Fault(path, "", str(refused)))
            return False
        if shape.media_type != wanted:
            self.faults.append(Fault(path, "", f"is {shape.media_type}, not {wanted}"))
        return True

    def _fault(self, path: str, reason: str) -> None:
        self.faults.append(Fault(INDEX, path, reason))


def _with_file(seen: Capture, body: bytes, document: Document) -> Capture:
    verdict = seen.verdict
    if verdict is PageVerdict.OK and document.is_cut:
        verdict = PageVerdict.PARTIAL
    return replace(with_document(seen, body, document), verdict=verdict, static_only=False)


def _why_unreadable(document: Document) -> str:
    if document.kind is Kind.OTHER:
        return "is neither HTML, plain text nor PDF"
    return f"cannot be read: {document.failure}" if document.failure else "shows no text"


def _is_inside(name: str) -> bool:
    is_plain = name not in ("", ".") and posixpath.normpath(name) == name and "\\" not in name
    return is_plain and not name.startswith(("/", "../")) and name != ".."


def _is_status(value: object) -> bool:
    return type(value) is int and 100 <= value <= 999


def _is_url(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(url_key(value))
    except MalformedUrl:
        return False


def _is_hop(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_status(value[0]) and _is_url(value[1])


def _hop(value: list[Any]) -> Hop:
    return value[0], value[1]


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
