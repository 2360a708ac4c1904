"""Fences around text that others wrote, and what is done to it before it goes between them.

A fence carries a nonce that only this server can compute, so no author can close it. The nonce depends on
the text alone: the same page stands between the same fence for every claim and at every re-judge, which is
what lets the provider's prompt cache and our own reply cache hit.
"""

from __future__ import annotations

import hashlib
import hmac
import re

__all__ = ["FENCE_FORM", "clean", "fence", "nonce", "visible"]

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
_LOOK_ALIKE = re.compile(r"[<＜‹«《〈⟨]{2,}(?=[\s/]*(?:BEGIN|END)\b)", re.IGNORECASE)
_PIPES = re.compile(r"<([|｜])([\w▁ :.-]{1,60})([|｜])>")
_BRACKETS = re.compile(
    r"\[(/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK|sMASK))\]", re.IGNORECASE
)
_ANGLES = re.compile(
    r"<(<?/?(?:s|SYS|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|start_of_image|sep|cls|human|assistant|system)>?)>",
    re.IGNORECASE,
)


def clean(text: str) -> str:
    """The text without what a reader cannot see: NUL and lone surrogates become U+FFFD, the rest is dropped."""
    unusual = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if not _UNCLEAN.search(unusual.decode("utf-8", "surrogatepass")):
        return text
    text = _LINE_ENDS.sub("\n", text)
    return _HIDDEN.sub("", _BROKEN.sub("\ufffd", text))


def visible(text: str) -> str:
    """The text as a judge sees it: cleaned, look-alike fences and chat control tokens defused but readable."""
    text = clean(text)
    if any(opening in text for opening in _OPENINGS):
        text = _LOOK_ALIKE.sub(lambda match: "(" * len(match[0]), text)
        text = _PIPES.sub(r"<¦\2¦>", text)
        text = _ANGLES.sub(r"< \1 >", text)
    return _BRACKETS.sub(r"[ \1 ]", text)


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
