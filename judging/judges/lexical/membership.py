"""Claims that a value is one of several: "'Nordend' is the same mountain as one of: Mont Blanc, Nordend"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from judging.judges.lexical.equality import same_value
from judging.judges.lexical.words import plain

__all__ = ["is_membership", "member"]

MAX_OPTIONS = 200
_ONE_OF = (
    r"(?:(?P<none>none|neither)|(?:any )?one|any|either) of"
    r"(?:(?: (?:the|these)(?: \w{1,30}){1,3})?(?P<colon> ?:))?"
)
_SAME = r"(?:the |one and the )?(?:same|identical|equal|equivalent)"
_IS_ONE_OF = re.compile(
    r"(?P<left>.{1,2200}) (?:(?:is|are|was|were)(?P<not> not)?|names|denotes|means|refers to|equals|matches"
    r"|(?P<no>does not) (?:equal|match|name|denote|mean|refer to))"
    rf"(?: {_SAME}(?: \w{{1,30}}){{0,3}}? (?:as|to|with))? {_ONE_OF} (?P<list>.+)",
    re.IGNORECASE,
)
_AND_ONE_OF = re.compile(
    rf"(?P<left>.{{1,2200}}) and {_ONE_OF} (?P<list>.+?) (?:are|refer to|denote|name|mean) (?:both )?{_SAME}\b.{{0,60}}",
    re.IGNORECASE,
)
# Words before a quoted value that do not make it another thing, as those of "the capital of 'Harn'" do.
_NAMED = re.compile(
    r"(?:(?!(?:of|in|for|to|by|from|at|on|with|near)\b)[\w-]{1,30} ){0,4}(?P<value>\W.*\W)", re.IGNORECASE
)
_PAIRS = {"'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "「": "」"}
_MARK = re.compile(r"(?<!\w)['\"“”‘’«»「」]|['\"“”‘’«»「」](?!\w)")
_SEPARATORS = tuple(map(re.compile, (r" ?; ?", r" [|/] ", r", |，|、")))
_OR = re.compile(r" (?:or|oder|ou) ", re.IGNORECASE)
_LAST = re.compile(r"\A(?:and|or|und|oder|et|ou) ", re.IGNORECASE)
_AND = re.compile(r" (?:and|und|et|&) ", re.IGNORECASE)
_SAYS_MORE = re.compile(
    r"\b(?:is|are|was|were|equals?|match(?:es)?|differs?|denotes?|refers?|same|identical|not|one of)\b",
    re.IGNORECASE,
)
_LIKE_A_NAME = re.compile(r"[A-Z\d\u00c0-\u00de]|[^\x00-\u024f]")


@dataclass(frozen=True, slots=True)
class _Membership:
    """``is_certain``: it is known where the value and each option end: what equals no option is no member."""

    value: str
    options: tuple[str, ...]
    is_denied: bool
    is_certain: bool


def _unquoted(text: str) -> str | None:
    """A text without the quotes around it; None where quotes stand elsewhere in it."""
    if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return None if not text or _MARK.search(text) else text


def _entries(text: str) -> tuple[str, ...]:
    """The entries of a list written in a sentence; none where one of them may be more than a value."""
    separator = next((s for s in _SEPARATORS if s.search(text)), _OR)
    parts = [part.strip() for part in separator.split(text, maxsplit=MAX_OPTIONS)]
    last = _OR.split(_LAST.sub("", parts.pop()))
    entries = [_unquoted(part) for part in (*parts, *last) if part]
    if any(entry is None or _SAYS_MORE.search(entry) for entry in entries):
        return ()
    return tuple(entry for entry in entries if entry)


def _membership(claim: str) -> _Membership | None:
    text = " ".join(plain(claim).split()).rstrip(". ")
    match = _IS_ONE_OF.fullmatch(text) or _AND_ONE_OF.fullmatch(text)
    if match is None:
        return None
    named = _NAMED.fullmatch(match["left"])
    value = _unquoted(named["value"] if named else match["left"])
    options = _entries(match["list"])
    is_list = match["colon"] or (named and len(options) > 1 and all(map(_LIKE_A_NAME.match, options)))
    if value is None or not options or not is_list:
        return None
    parts = match.groupdict()
    is_denied = bool(parts.get("not") or parts.get("no")) != bool(parts["none"])
    is_certain = bool(named and match["colon"]) and not any(map(_AND.search, options))
    return _Membership(value, options, is_denied, is_certain)


def is_membership(claim: str) -> bool:
    """Whether a claim says that a value is one of several (or none of them)."""
    return _membership(claim) is not None


def member(claim: str) -> tuple[bool, str] | None:
    """Whether the claim holds and why, if it says that a value is one of several; None if that cannot be told."""
    found = _membership(claim)
    if found is None:
        return None
    if any(same_value(found.value, option) for option in found.options):
        return not found.is_denied, "the value is one of those listed"
    return (found.is_denied, "the value is none of those listed") if found.is_certain else None
