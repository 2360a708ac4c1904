"""Regular expressions in linear time: the common part of Python's syntax, matched without backtracking.

Authors write the patterns, adversaries the texts. Python's matcher can take exponential time on such pairs
and cannot be interrupted; this one takes text length times pattern size (Thompson 1968, as Pike's machine:
all ways to match are followed at once, in the order in which Python would try them). Look-around, back
references, conditions and possessive forms are not regular and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Regular", "Unsupported"]

MAX_PROGRAM = 2_000  # steps; a bounded repeat costs one copy of its body for each time
MAX_DEPTH = 40  # groups within each other

_Test = Callable[[str], bool]
_INLINE = re.compile(r"\(\?(?P<flags>[ims]+)(?P<scoped>[:)])")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_COUNT = re.compile(r"\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}")
_PLACES = {"b": "word", "B": "inside", "A": "start", "Z": "very end"}
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


class Unsupported(ValueError):
    """The pattern is no regular expression of the kind read here, or too large."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a program: ``char`` (test), ``split`` (two ways, the first preferred), ``jump``, ``save``,
    ``place`` or ``match``."""

    op: str
    test: _Test | None = None
    ways: tuple[int, ...] = ()
    name: str = ""


_Program = list[_Step]


def _shifted(steps: _Program, by: int) -> _Program:
    return [
        _Step(s.op, s.test, tuple(w + by for w in s.ways) if s.op != "save" else s.ways, s.name)
        for s in steps
    ]


def _joined(parts: list[_Program]) -> _Program:
    program: _Program = []
    for part in parts:
        program += _shifted(part, len(program))
        if len(program) > MAX_PROGRAM:
            raise Unsupported("counts that are too large")
    return program


def _either(first: _Program, second: _Program) -> _Program:
    start, end = len(first) + 2, len(first) + len(second) + 2
    return [
        _Step("split", ways=(1, start)),
        *_shifted(first, 1),
        _Step("jump", ways=(end,)),
        *_shifted(second, start),
    ]


def _optional(body: _Program, greedy: bool) -> _Program:
    ways = (1, len(body) + 1)
    return [_Step("split", ways=ways if greedy else ways[::-1]), *_shifted(body, 1)]


def _repeated(body: _Program, greedy: bool) -> _Program:
    ways = (1, len(body) + 2)
    return [_Step("split", ways=ways if greedy else ways[::-1]), *_shifted(body, 1), _Step("jump", ways=(0,))]


def _counted(body: _Program, least: int, most: int | None, greedy: bool) -> _Program:
    if least * len(body) > MAX_PROGRAM or (most or 0) * len(body) > MAX_PROGRAM:
        raise Unsupported("counts that are too large")
    required = [body] * least
    if most is None:
        return _joined([*required, _repeated(body, greedy)])
    tail: _Program = []
    for _ in range(most - least):
        tail = _optional(_joined([body, tail]), greedy)
    return _joined([*required, tail])


@dataclass(slots=True)
class _Parser:
    """Reads a pattern that Python compiles into a program, by recursive descent."""

    pattern: str
    flags: int = 0
    at: int = 0
    groups: int = 0
    depth: int = 0
    tests: dict[tuple[str, int], _Test] = field(default_factory=dict)

    def program(self) -> _Program:
        self._leading_flags()
        return _joined([self._alternatives(), [_Step("match")]])

    def _leading_flags(self) -> None:
        while inline := _INLINE.match(self.pattern, self.at):
            if inline["scoped"] == ":":
                return
            self.flags |= self._flags(inline["flags"])
            self.at = inline.end()

    @staticmethod
    def _flags(letters: str) -> int:
        value = 0
        for letter in letters:
            value |= _FLAGS[letter]
        return value

    def _peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def _taken(self, text: str) -> bool:
        found = self._peek(text)
        self.at += len(text) if found else 0
        return found

    def _alternatives(self) -> _Program:
        branches = [self._sequence()]
        while self._taken("|"):
            branches.append(self._sequence())
        steps = branches.pop()
        while branches:
            steps = _either(branches.pop(), steps)
        return steps

    def _sequence(self) -> _Program:
        parts = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self._repeat(self._atom()))
        return _joined(parts)

    def _repeat(self, body: _Program) -> _Program:
        bounds = self._bounds()
        if bounds is None:
            return body
        greedy = not self._taken("?")
        if self._bounds() is not None:
            raise Unsupported("a possessive or doubled repeat")
        return _counted(body, *bounds, greedy)

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._taken(sign):
                return bounds
        count = _COUNT.match(self.pattern, self.at)
        if count is None or not (count["least"] or count["most"]):
            return None
        self.at = count.end()
        least = int(count["least"] or 0)
        if not count["comma"]:
            return least, least
        return least, int(count["most"]) if count["most"] else None

    def _atom(self) -> _Program:
        if self._taken("("):
            return self._group()
        if self._peek("["):
            return self._class()
        if self._taken("\\"):
            return self._escape()
        character = self.pattern[self.at]
        self.at += 1
        if character in "^$":
            return [_Step("place", name=self._line_place(character))]
        return self._char("." if character == "." else re.escape(character))

    def _line_place(self, character: str) -> str:
        by_line = bool(self.flags & re.MULTILINE)
        return {"^": "line start" if by_line else "start", "$": "line end" if by_line else "end"}[character]

    def _group(self) -> _Program:
        before = self.flags
        number = self._group_kind()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unsupported("groups that are too deep")
        body = self._alternatives()
        self.depth -= 1
        self.flags = before
        self.at += len(")")
        if number != 1:
            return body
        return _joined([[_Step("save", ways=(0,))], body, [_Step("save", ways=(1,))]])

    def _group_kind(self) -> int:
        """The number of a capturing group, 0 for any other."""
        if not self._peek("?"):
            self.groups += 1
            return self.groups
        if self._taken("?:"):
            return 0
        if self._taken("?P<"):
            self.at = self.pattern.index(">", self.at) + 1
            self.groups += 1
            return self.groups
        inline = _INLINE.match(self.pattern, self.at - 1)
        if inline is None or inline["scoped"] != ":":
            raise Unsupported("look-around or another extension, which is not regular")
        self.flags |= self._flags(inline["flags"])
        self.at = inline.end()
        return 0

    def _class(self) -> _Program:
        match = _CLASS.match(self.pattern, self.at)
        source = match.group() if match else "["
        self.at += len(source)
        return self._char(source)

    def _escape(self) -> _Program:
        letter = self.pattern[self.at : self.at + 1]
        self.at += 1
        if letter in _PLACES:
            return [_Step("place", name=_PLACES[letter])]
        if letter.isdigit() and letter != "0":
            raise Unsupported("a back reference, which is not regular")
        if letter in ("u", "x", "U", "N", "0") or not letter:
            raise Unsupported("a numeric escape; write the character itself")
        return self._char("\\" + letter)

    def _char(self, source: str) -> _Program:
        key = (source, self.flags)
        if key not in self.tests:
            compiled = re.compile(source, self.flags)
            seen: dict[str, bool] = {}

            def test(character: str) -> bool:
                known = seen.get(character)
                if known is None:
                    known = seen[character] = compiled.fullmatch(character) is not None
                return known

            self.tests[key] = test
        return [_Step("char", test=self.tests[key])]


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")


def _holds(place: str, text: str, at: int) -> bool:
    if place in ("word", "inside"):
        return (_is_word(text, at - 1) != _is_word(text, at)) == (place == "word")
    length = len(text)
    return {
        "start": at == 0,
        "line start": at == 0 or text[at - 1 : at] == "\n",
        "very end": at == length,
        "end": at == length or (at == length - 1 and text[at] == "\n"),
        "line end": at == length or text[at : at + 1] == "\n",
    }[place]


_Saved = tuple[int, int, int]  # where the match began, where the first group began and ended; -1 for not yet


class _Threads:
    """The ways to match that are alive at one place, in the order in which Python would try them."""

    def __init__(self) -> None:
        self.alive: list[tuple[_Step, int, _Saved]] = []
        self._seen: set[int] = set()

    def follow(self, program: _Program, to: int, saved: _Saved, text: str, at: int) -> None:
        """Add the steps that can be reached without reading, those that Python would try first in front."""
        stack = [(to, saved)]
        while stack:
            number, saved = stack.pop()
            if number in self._seen:
                continue
            self._seen.add(number)
            step = program[number]
            if step.op in ("char", "match"):
                self.alive.append((step, number, saved))
            elif step.op in ("split", "jump"):
                stack.extend((way, saved) for way in reversed(step.ways))
            elif step.op == "save":
                stack.append((number + 1, _noted(saved, step.ways[0], at)))
            elif _holds(step.name, text, at):
                stack.append((number + 1, saved))


def _noted(saved: _Saved, which: int, at: int) -> _Saved:
    return (saved[0], at, saved[2]) if which == 0 else (saved[0], saved[1], at)


class Regular:
    """A compiled pattern; ``size`` is the number of its steps.

    :raises Unsupported: the pattern is not read here.
    :raises re.error: it is no pattern for Python either.
    """

    def __init__(self, pattern: str) -> None:
        re.compile(pattern)
        parser = _Parser(pattern)
        self._program = parser.program()
        self._has_group = parser.groups > 0
        self.size = len(self._program)

    def find(self, text: str) -> str | None:
        """The first group, else the whole, of the first match; None if there is none."""
        found: tuple[_Saved, int] | None = None
        threads = _Threads()
        for at in range(len(text) + 1):
            if found is None:
                threads.follow(self._program, 0, (at, -1, -1), text, at)
            elif not threads.alive:
                break
            threads, ended = self._advance(threads, text, at)
            found = ended or found
        return self._result(found, text)

    def _result(self, found: tuple[_Saved, int] | None, text: str) -> str | None:
        if found is None:
            return None
        (start, first, last), end = found
        return text[first:last] if self._has_group and first >= 0 <= last else text[start:end]

    def _advance(self, threads: _Threads, text: str, at: int) -> tuple[_Threads, tuple[_Saved, int] | None]:
        """Read one character; a match cuts off the ways that Python would have tried later."""
        following = _Threads()
        character = text[at : at + 1]
        for step, number, saved in threads.alive:
            if step.test is None:
                return following, (saved, at)
            if character and step.test(character):
                following.follow(self._program, number + 1, saved, text, at + 1)
        return following, None
