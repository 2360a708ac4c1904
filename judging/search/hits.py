"""Reading what a search provider sends, as hostile as the web: sizes, types and addresses are bounded. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import ada_url

from judging.canonical import storable
from judging.search.interface import Fault, Hit, Results, SearchFailed

__all__ = ["MAX_HITS", "read_searxng", "read_serper", "without_engines"]

MAX_HITS = 10
MAX_TITLE = 300  # characters, as the others
MAX_URL = 1_000
MAX_SNIPPET = 1_000
MAX_DATE = 40
LOOKED_AT = 100  # entries of a reply

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def read_searxng(body: bytes, *, limit: int) -> Results:
    """The hits in a reply of SearXNG's JSON API.

    :raises SearchFailed: it is none, or holds nothing because no engine answered.
    """
    reply = _object(body)
    results = Results(
        _hits(_list(reply, "results"), limit, url="url", snippet="content", date="publishedDate")
    )
    if not results.hits and without_engines(reply):
        raise SearchFailed(Fault.NO_ENGINE)
    return results


def without_engines(reply: Mapping[str, Any]) -> bool:
    """Whether an engine says that it did not answer: then no hits are no result."""
    silent = reply.get("unresponsive_engines")
    return isinstance(silent, list) and bool(silent)


def read_serper(body: bytes, *, limit: int) -> Results:
    """The hits in a reply of Serper: organic ones, no boxes that another model wrote.

    :raises SearchFailed: it is none.
    """
    reply = _object(body)
    return Results(_hits(_list(reply, "organic"), limit, url="link", snippet="snippet", date="date"))


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):  # no UTF-8, no JSON, a number of too many digits, too deep
        raise SearchFailed(Fault.MALFORMED) from None
    if not isinstance(reply, dict):
        raise SearchFailed(Fault.MALFORMED)
    return reply


def _list(reply: Mapping[str, Any], name: str) -> list[Any]:
    found = reply.get(name)
    if not isinstance(found, list):
        raise SearchFailed(Fault.MALFORMED)
    return found


def _hits(entries: list[Any], limit: int, **names: str) -> tuple[Hit, ...]:
    """The first ``limit`` entries that are hits; of one address the first."""
    found: dict[str, Hit] = {}
    for hit in _readable(entries[:LOOKED_AT], names):
        found.setdefault(hit.url, hit)
    return tuple(found.values())[: min(limit, MAX_HITS)]


def _readable(entries: list[Any], names: Mapping[str, str]) -> Iterator[Hit]:
    for entry in entries:
        url = _url(entry.get(names["url"])) if isinstance(entry, dict) else ""
        if url:
            title = _line(entry.get("title"), MAX_TITLE)
            snippet = _line(entry.get(names["snippet"]), MAX_SNIPPET)
            yield Hit(title, url, snippet, _line(entry.get(names["date"]), MAX_DATE))


def _line(value: Any, longest: int) -> str:
    """A text on one line; "" for what is none."""
    if not isinstance(value, str):
        return ""
    text = _CONTROL.sub(" ", storable(value[: 4 * longest]))
    return " ".join(text.split())[:longest].rstrip()


def _url(value: Any) -> str:
    """An address of the web as browsers write it; "" for anything else."""
    if not isinstance(value, str) or len(value) > MAX_URL:
        return ""
    try:
        parsed = ada_url.URL(storable(value))
    except ValueError:
        return ""
    plain = parsed.protocol in {"http:", "https:"} and not parsed.username and not parsed.password
    return _line(parsed.href, MAX_URL) if plain and len(parsed.href) <= MAX_URL else ""
