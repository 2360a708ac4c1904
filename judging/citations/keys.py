"""When two spellings of a URL mean the same page."""

from __future__ import annotations

import re

import ada_url

__all__ = ["MAX_URL", "MalformedUrl", "host_of", "url_key"]

MAX_URL = 4096
"""Longest URL in characters that is cited, keyed or fetched."""

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_TRACKING = re.compile(
    r"(utm_[a-z0-9_]+|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi"
    r"|mkt_tok|srsltid|_ga|_gl)(=.*)?",
    re.IGNORECASE,
)
_ROUTE = re.compile(r"#(?:/|!)")


class MalformedUrl(ValueError):
    """The text is not an http or https URL that any client would request."""


def url_key(url: str) -> str:
    """The identity of the page a URL names: equal keys are fetched once and share their snapshots.

    Safe steps only: parsed as browsers parse (WHATWG), escapes of unreserved characters decoded and the
    others in capitals, tracking parameters dropped, anchors dropped but hash routes (``#/``, ``#!``) kept,
    the host's trailing dot dropped. Never: another case of the path, decoded reserved characters, another
    order of the query, ``www.`` or the scheme changed; whether those are one page, redirects tell.

    :raises MalformedUrl: no http(s) URL, no host, a control character or backslash, over 4,096 characters.
    """
    parsed = _parsed(url.strip(" "))
    host = parsed.hostname.rstrip(".")
    if not host:
        raise MalformedUrl("no host")
    # A URL with a name in front of the host is refused by the fetcher, so it must not share a snapshot.
    user = f"{parsed.username}:{parsed.password}@" if parsed.username or parsed.password else ""
    port = f":{parsed.port}" if parsed.port else ""
    path = _unreserved_decoded(parsed.pathname)
    return f"{parsed.protocol}//{user}{host}{port}{path}{_query(parsed.search)}{_route(parsed.hash)}"


def host_of(url: str) -> str:
    """The host a browser would ask for a URL, in lower case, without a trailing dot; empty if there is none.

    Names in other letters are given in ASCII (``xn--…``), IPv6 addresses in brackets. Never raises: what is no
    address of a page has no host.
    """
    try:
        return _parsed(url.strip(" ")).hostname.rstrip(".")
    except MalformedUrl:
        return ""


def _parsed(url: str) -> ada_url.URL:
    # Clients drop tabs and turn backslashes silently; we refuse them, so they may not share a key either.
    if len(url) > MAX_URL or _FORBIDDEN.search(url):
        raise MalformedUrl("control character, backslash or length")
    try:
        parsed = ada_url.URL(url)
    except ValueError:  # lone surrogates too: UnicodeEncodeError is a ValueError
        raise MalformedUrl("not a URL") from None
    if parsed.protocol not in ("http:", "https:"):
        raise MalformedUrl(f"scheme {parsed.protocol}")
    return parsed


def _unreserved_decoded(part: str) -> str:
    # Beside a stray "%", decoding a character could complete an escape that was none ("%4%31" → "%41").
    keep_all = _BROKEN_ESCAPE.search(part) is not None

    def decoded(escape: re.Match[str]) -> str:
        character = chr(int(escape[1], 16))
        return character if character in _UNRESERVED and not keep_all else escape[0].upper()

    return _ESCAPE.sub(decoded, part)


def _query(search: str) -> str:
    pairs = [_unreserved_decoded(pair) for pair in search[1:].split("&")]
    kept = "&".join(pair for pair in pairs if not _TRACKING.fullmatch(pair))
    return f"?{kept}" if kept else ""


def _route(fragment: str) -> str:
    if not _ROUTE.match(fragment):
        return ""
    return fragment.split(":~:", 1)[0]  # a text directive highlights a passage, it names no page
