"""Fences around text that others wrote, and what is done to it before it goes between them.

A fence carries a nonce that only this server can compute, so no author can close it. The nonce depends on
the text alone: the same page stands between the same fence for every claim and at every re-judge, which is
what lets the provider's prompt cache and our own reply cache hit.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable

__all__ = ["BRACKETING", "CLEANING", "DEFUSING", "FENCE_FORM", "Step", "clean", "fence", "nonce", "visible"]

# What is looked for, and what stands there instead.
Step = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

# Part of every template's hash: a change of the form is a change of the prompt.
FENCE_FORM = "<<<BEGIN {label} {nonce}>>>\n{text}\n<<<END {label} {nonce}>>>"

# Line ends first, so that a lone CR counts as one; the separators U+2028 and U+2029 are line ends too.
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BROKEN = re.compile("[\x00\ud800-\udfff\ufffe\uffff]")
_HIDDEN_FORMS = (
    "\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters: terminal escapes, backspaces
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidi embeddings and isolates
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"  # fillers, variation selectors, BOM, interlinear marks
    "\U0001d173-\U0001d17a"  # musical formatting
    "\U000e0000-\U000e0fff"  # tag characters and the supplement of variation selectors: smuggled bytes
)
_HIDDEN = re.compile(f"[{_HIDDEN_FORMS}]")
# Most text holds none of all these, which one look tells.
_UNCLEAN = re.compile(f"[\r\x0b\x0c\x85\u2028\u2029\x00\ud800-\udfff\ufffe\uffff{_HIDDEN_FORMS}]")

# Tab, line feed and what ASCII can print: most of a text, which is soon set aside.
_PLAIN = bytes({9, 10, *range(32, 127)})

_OPENINGS = "<＜‹«《〈⟨"  # most text holds none of these, which is soon seen
# Taken whole or not at all: a page of nothing but openings would be gone through from each of them to the end.
_LOOK_ALIKE = re.compile(rf"(?<![{_OPENINGS}])[{_OPENINGS}]{{2,}}+(?=[\s/]*(?:BEGIN|END)\b)", re.IGNORECASE)
_PIPES = re.compile(r"<([|｜])([\w▁ :.-]{1,60})([|｜])>")
_BRACKETS = re.compile(
    r"\[(/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK|sMASK))\]", re.IGNORECASE
)
_ANGLES = re.compile(
    r"<(<?/?(?:s|SYS|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|start_of_image|sep|cls|human|assistant|system)>?)>",
    re.IGNORECASE,
)


# What is done to a text, in this order; :mod:`judging.quotes` follows every character through it.
CLEANING: tuple[Step, ...] = ((_LINE_ENDS, "\n"), (_BROKEN, "\ufffd"), (_HIDDEN, ""))
DEFUSING: tuple[Step, ...] = (
    (_LOOK_ALIKE, lambda match: "(" * len(match[0])),
    (_PIPES, r"<¦\2¦>"),
    (_ANGLES, r"< \1 >"),
)
BRACKETING: tuple[Step, ...] = ((_BRACKETS, r"[ \1 ]"),)


def clean(text: str) -> str:
    """The text without what a reader cannot see: NUL and lone surrogates become U+FFFD, the rest is dropped."""
    unusual = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    unclean = _UNCLEAN.search(unusual.decode("utf-8", "surrogatepass"))
    return _done(CLEANING, text) if unclean else text


def visible(text: str) -> str:
    """The text as a judge sees it: cleaned, look-alike fences and chat control tokens defused but readable."""
    text = clean(text)
    if any(opening in text for opening in _OPENINGS):
        text = _done(DEFUSING, text)
    return _done(BRACKETING, text)


def _done(steps: Iterable[Step], text: str) -> str:
    for pattern, instead in steps:
        text = pattern.sub(instead, text)
    return text


def nonce(shown: str, key: bytes) -> str:
    """First 16 hex digits of HMAC-SHA256(key, SHA-256 of the text as shown)."""
    digest = hashlib.sha256(shown.encode()).digest()
    return hmac.new(key, digest, hashlib.sha256).hexdigest()[:16]


def fence(label: str, text: str, *, key: bytes) -> str:
    """``text`` made visible, between two lines with ``label`` and its nonce."""
    shown = visible(text)
    mark = nonce(shown, key)
    # Joined, never formatted: a placeholder inside the text stays what it is.
    return "\n".join((f"<<<BEGIN {label} {mark}>>>", shown, f"<<<END {label} {mark}>>>"))
