"""How extracted data looks from inside a template: by its fields only, and absent things are falsy.

Whatever a rubric's expression touches is plain JSON data. ``a.title`` is the field ``title`` and never a
method of Python's, so nothing but data is within reach.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "MAX_SHOWN",
    "AuthorMistake",
    "Authored",
    "Mismatch",
    "Missing",
    "authored",
    "entry_of",
    "field_of",
    "items_of",
    "settled",
    "text_of",
]

MAX_SHOWN = 2_000  # characters of one value that a template shows

_WHITE = re.compile(r"\s+")


class Mismatch(Exception):
    """The data is not of the kind the expression needs: text where a number is added, say."""


class AuthorMistake(Exception):
    """The rubric asks its own truth for something it does not hold. Never the team's fault."""


class Missing:
    """What is not there: empty and false, and equal to nothing but ``none`` and the empty text.

    ``a.year < 2000``, ``a.year == b.year`` and ``a.year in [1999]`` are false where the year is missing;
    ``!=`` and ``not in``, their opposites, are true. Its fields and items are missing as well.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return other is None or (isinstance(other, str) and not other)

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__
    __hash__ = None  # type: ignore[assignment]  # equal to things whose hash differs


class Authored:
    """Marks containers of the author's own, where a miss is a mistake in the rubric."""


class _AuthoredMapping(dict[str, Any], Authored):
    pass


class _AuthoredList(list[Any], Authored):
    pass


def authored(value: Any) -> Any:
    """The same data, marked as the author's."""
    if isinstance(value, Mapping):
        return _AuthoredMapping({key: authored(entry) for key, entry in value.items()})
    if isinstance(value, list | tuple):
        return _AuthoredList(authored(entry) for entry in value)
    return value


def settled(value: Any) -> Any:
    """JSON's null is missing; everything else is itself."""
    return Missing() if value is None else value


def field_of(value: Any, name: str) -> Any:
    """The field of a mapping; what has no fields, or not this one, gives :class:`Missing`.

    :raises AuthorMistake: where the mapping is the author's own.
    """
    if isinstance(value, Mapping) and name in value:
        return settled(value[name])
    return _absent(value, f"no field {name!r}")


def entry_of(value: Any, key: Any) -> Any:
    """The item of a list (or character of a text) at an index, or the field of a mapping.

    :raises AuthorMistake: where the list or mapping is the author's own.
    """
    if isinstance(key, str):
        return field_of(value, key)
    if isinstance(value, Sequence) and isinstance(key, int) and -len(value) <= key < len(value):
        return settled(value[key])
    return _absent(value, f"no item {key!r}")


def _absent(value: Any, what: str) -> Missing:
    if isinstance(value, Authored):
        raise AuthorMistake(f"truth has {what} here; truth is the rubric's own, so give it all")
    return Missing()


def items_of(value: Any) -> list[Any]:
    """The items of a list; no items of what is missing.

    :raises Mismatch: for anything else.
    """
    if isinstance(value, Missing) or value is None:
        return []
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [settled(item) for item in value]
    raise Mismatch(f"a list is needed, this is {_kind_of(value)}")


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a text" if isinstance(value, str) else "a mapping"


def text_of(value: Any) -> str:
    """A value as a template shows it: on one line, lists joined by commas, nothing for what is missing.

    Runs of white space become one space and long values are cut at :data:`MAX_SHOWN` characters, so that
    what an answer says cannot pass for the rubric's own text.
    """
    text = _WHITE.sub(" ", _spelt(value))
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def _spelt(value: Any) -> str:
    if value is None or isinstance(value, Missing):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=_spelt)
    if isinstance(value, Iterable):
        return ", ".join(_spelt(item) for item in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a judge asked for a number may say 60.0
    return json.dumps(value)
