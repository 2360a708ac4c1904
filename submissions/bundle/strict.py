"""JSON without Python's liberties: no NaN, no repeated keys, no depth that ends the interpreter's stack."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any, NoReturn

from submissions.bundle.reading import FaultCode
from submissions.bundle.text import UndecodableText, decode

MAX_DEPTH = 50
# Strings, commas and opening brackets, of which a record has about thirty. Python takes up to a hundred bytes for
# what took three, so it is their number that must be bounded, and before anything is made of them.
MAX_TOKENS = 3_000
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,\[{]', re.DOTALL)


class MalformedJson(ValueError):
    """The text is not JSON as RFC 8259 and we understand it; ``code`` says in which way."""

    def __init__(self, code: FaultCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise MalformedJson(FaultCode.JSON_DUPLICATE_KEY, "An object names the same key twice.")
    return result


def _constant(name: str) -> NoReturn:
    raise MalformedJson(FaultCode.JSON_NOT_A_NUMBER, f"{name} is not a JSON number.")


def _float(literal: str) -> float:
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise MalformedJson(FaultCode.JSON_NOT_A_NUMBER, "A number is too large.")
    return value


def _integer(literal: str) -> int:
    if len(literal) > 400:  # beyond any float; Python itself refuses above 4,300 digits
        raise MalformedJson(FaultCode.JSON_NOT_A_NUMBER, "A number is too large.")
    return int(literal)


def _depth(value: Any) -> int:
    """How deeply ``value`` is nested; counts level by level, since recursion is what must not happen."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth


def _is_too_large(text: str) -> bool:
    """Whether JSON has more than :data:`MAX_TOKENS` tokens; looks no further than these."""
    return next(islice(_TOKEN.finditer(text), MAX_TOKENS, None), None) is not None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_integer
)


def load_json(data: bytes) -> Any:
    """The value ``data`` holds, in UTF-8, UTF-16 or UTF-32 (the latter two with a byte order mark).

    :raises MalformedJson: with a code and a sentence.
    """
    try:
        text = decode(data).removeprefix("\ufeff")
        if _is_too_large(text):
            raise MalformedJson(FaultCode.JSON_TOO_LARGE, "Far more values than an answer or a request has.")
        value = _DECODER.decode(text)
    except UndecodableText as error:
        raise MalformedJson(FaultCode.ENCODING_INVALID, str(error)) from error
    except json.JSONDecodeError as error:
        detail = f"{error.msg} at line {error.lineno}, column {error.colno}."
        raise MalformedJson(FaultCode.JSON_MALFORMED, detail) from error
    except RecursionError as error:
        raise MalformedJson(FaultCode.JSON_TOO_DEEP, f"Nested deeper than {MAX_DEPTH} levels.") from error
    if _depth(value) > MAX_DEPTH:
        raise MalformedJson(FaultCode.JSON_TOO_DEEP, f"Nested deeper than {MAX_DEPTH} levels.")
    return value
