"""Bytes of a YAML file → plain JSON data, with everything doubtful refused.

The reader follows YAML 1.2's core schema, not 1.1: ``no``, ``on`` and ``2026-11-02`` are text,
``007`` stays text. It works on parser events and never builds the parser's own objects, so duplicate
keys, depth and the size of expanded aliases are seen before anything is built.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from judging.rubric.faults import FaultList, at, quoted

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_VALUES", "read_yaml"]

MAX_BYTES = 1_000_000  # of one file
MAX_DEPTH = 40  # lists and mappings within one another
MAX_VALUES = 20_000  # in one file, aliases counted as often as they are used
MAX_INTEGER = 2**53 - 1  # beyond it not every JSON reader keeps a number exact

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: dict[str, Any] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_STR_TAG = "tag:yaml.org,2002:str"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without libyaml: slower, the same events
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class _Unreadable(Exception):
    """Nothing more can be said about this file."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


def read_yaml(raw: bytes, faults: FaultList) -> Any:
    """The file's data, or None with at least one fault noted.

    Data comes back even where single values had a fault, so that the rest of the file can be checked.
    """
    try:
        return _Builder(faults).build(_events(_decode(raw)))
    except _Unreadable as problem:
        faults.error(problem.path, problem.reason)
        return None


def _decode(raw: bytes) -> bytes:
    if len(raw) > MAX_BYTES:
        raise _Unreadable("", f"the file has {len(raw):,} bytes; at most {MAX_BYTES:,} are read")
    if raw.startswith(_UTF16):
        raise _Unreadable("", "the file is UTF-16; save it as UTF-8")
    plain = raw.removeprefix(codecs.BOM_UTF8)
    try:
        plain.decode("utf-8")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        raise _Unreadable("", f"line {line} is not UTF-8; save the file as UTF-8") from error
    return plain


def _events(data: bytes) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(data, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        raise _Unreadable("", _syntax_reason(error)) from error
    except yaml.reader.ReaderError as error:
        line = data.count(b"\n", 0, error.position) + 1
        raise _Unreadable("", f"line {line} holds a control character; remove it") from error


def _syntax_reason(error: yaml.MarkedYAMLError) -> str:
    where = f"line {error.problem_mark.line + 1} " if error.problem_mark else ""
    problem = ", ".join(part for part in (error.context, error.problem) if part)
    return f"{where}is not YAML: {problem}; text that holds ': ', '#' or braces belongs in quotes"


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    value: list[Any] | dict[str, Any]
    path: str
    anchor: str | None
    started: int  # values counted before it
    key: str | None = None
    ignored: bool = False  # the value of a repeated key


class _Builder:
    def __init__(self, faults: FaultList) -> None:
        self.faults = faults
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.values = 0
        self.documents = 0
        self.result: Any = None

    def build(self, events: Iterator[yaml.Event]) -> Any:
        for event in events:
            handler = self._HANDLERS.get(type(event))
            if handler is not None:
                handler(self, event)
        if not self.documents:
            raise _Unreadable("", "the file is empty")
        return self.result

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            raise _Unreadable(
                "", f"line {_line(event)} starts a second YAML document; one file, one document"
            )

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if self._wants_key():
            self._set_key(event)
            return
        path = self._path()
        value = self._convert(event, path)
        self._count(1)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        self._place(value)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if self._wants_key():
            raise _Unreadable(self._path(), f"line {_line(event)}: a key must be plain text, not an alias")
        if event.anchor not in self.anchors:
            reason = f"line {_line(event)}: the alias *{event.anchor} has no finished anchor before it"
            raise _Unreadable(self._path(), reason)
        value, size = self.anchors[event.anchor]
        self._count(size)
        self._place(value)

    def _start(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        if self._wants_key():
            raise _Unreadable(self._path(), f"line {_line(event)}: a key must be plain text")
        if len(self.stack) >= MAX_DEPTH:
            raise _Unreadable(self._path(), f"line {_line(event)} nests deeper than {MAX_DEPTH} levels")
        if event.tag is not None:
            self._refuse_tag(event, self._path())
        value: list[Any] | dict[str, Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._count(1)
        self.stack.append(_Open(value, self._path(), event.anchor, self.values - 1))

    def _end(self, event: yaml.Event) -> None:
        done = self.stack.pop()
        if done.anchor:
            self.anchors[done.anchor] = (done.value, self.values - done.started)
        self._place(done.value)

    _HANDLERS: dict[type, Any] = {
        yaml.DocumentStartEvent: _document,
        yaml.ScalarEvent: _scalar,
        yaml.AliasEvent: _alias,
        yaml.SequenceStartEvent: _start,
        yaml.MappingStartEvent: _start,
        yaml.SequenceEndEvent: _end,
        yaml.MappingEndEvent: _end,
    }

    def _wants_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def _set_key(self, event: yaml.ScalarEvent) -> None:
        top = self.stack[-1]
        top.key = self._text(event.value, at(top.path, event.value))
        top.ignored = top.key in top.value
        if top.ignored:
            self.faults.error(
                at(top.path, top.key), f"line {_line(event)} repeats this key; keep one of them"
            )
        if top.key == "<<" and event.implicit[0]:
            reason = f"line {_line(event)}: merge keys are not part of the format; write the values out"
            self.faults.error(at(top.path, top.key), reason)

    def _path(self) -> str:
        if not self.stack:
            return ""
        top = self.stack[-1]
        if isinstance(top.value, list):
            return at(top.path, len(top.value))
        return at(top.path, top.key) if top.key is not None else top.path

    def _place(self, value: Any) -> None:
        if not self.stack:
            self.result = value
            return
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif not top.ignored:
            top.value[str(top.key)] = value
        top.key = None

    def _count(self, values: int) -> None:
        self.values += values
        if self.values > MAX_VALUES:
            raise _Unreadable(
                self._path(), f"more than {MAX_VALUES:,} values, aliases written out; split the file"
            )

    def _convert(self, event: yaml.ScalarEvent, path: str) -> Any:
        if event.tag is not None and event.tag != _STR_TAG:
            self._refuse_tag(event, path)
            return None
        if event.tag is None and event.implicit[0]:
            return self._plain(event.value, path)
        return self._text(event.value, path)

    def _plain(self, text: str, path: str) -> Any:
        if text in _WORDS:
            return _WORDS[text]
        if _NOT_FINITE.fullmatch(text):
            self.faults.error(
                path, f"{text} is no number a rubric can use; give a finite one, or text in quotes"
            )
            return None
        if _FLOAT.fullmatch(text):
            return self._number(text, path)
        return self._text(text, path)

    def _number(self, text: str, path: str) -> int | float | None:
        value = float(text)
        if not math.isfinite(value) or (value.is_integer() and abs(value) > MAX_INTEGER):
            self.faults.error(path, f"{quoted(text)} is too large for a number; write it in quotes")
            return None
        if _INTEGER.fullmatch(text):
            return int(text)
        return int(value) if value.is_integer() else value

    def _text(self, text: str, path: str) -> str:
        if _UNSTORABLE.search(text):
            self.faults.error(path, "the text holds a control character; remove it")
        return text

    def _refuse_tag(self, event: Any, path: str) -> None:
        self.faults.error(path, f"line {_line(event)}: the tag {quoted(event.tag)} is not part of the format")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0
