"""How much structure of an answer is read as such.

The parser takes up to a tenth of a millisecond for every line, mark and cell, however short: megabytes of
``- x`` would hold a worker for a minute. No reader follows that much structure either, so what goes beyond is
read as words, which is cheap and finds the same addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["MAX_MARKS", "MAX_STRUCTURE", "divided", "marks_in", "paragraphs"]

MAX_STRUCTURE = 12_000  # lines, list and quote marks, cells and levels of indentation of an answer
MAX_MARKS = 20_000  # stars, brackets, backticks and the like within its blocks
MAX_PARAGRAPH = 4_000  # characters, unless a single line is longer

_LINE = re.compile(r"(?P<prefix>(?:[ \t]*(?:[-+*>]|\d{1,9}[.)]))*[ \t]*)(?P<rest>[^\r\n]*)(?:\r\n?|\n|\Z)")
_CONTAINER = re.compile(r"[-+*>.)]")
_MARK = re.compile(r"[*_`~\[\]<!&\\]")


def divided(markdown: str) -> tuple[str, str]:
    """The beginning of an answer whose structure is read, and what is left of it."""
    budget, end = MAX_STRUCTURE, 0
    while end < len(markdown):
        line = _LINE.match(markdown, end)
        budget -= _cost(line) if line else 0
        if line is None or budget < 0:
            break
        end = line.end()
    return markdown[:end], markdown[end:]


def _cost(line: re.Match[str]) -> int:
    prefix = line["prefix"]
    return (
        1
        + len(_CONTAINER.findall(prefix))
        + prefix.count(" ") // 2
        + prefix.count("\t")
        + line["rest"].count("|")
    )


def marks_in(text: str) -> int:
    """How many characters of a block the parser may take for the beginning of something."""
    return sum(1 for _ in _MARK.finditer(text))


def paragraphs(text: str) -> Iterator[str]:
    """Text without structure in pieces that are cut between lines, at a blank one if there is one."""
    start = 0
    while start < len(text):
        limit = start + MAX_PARAGRAPH
        end = len(text) if limit >= len(text) else _cut(text, start, limit)
        if piece := text[start:end].strip():
            yield piece
        start = end


def _cut(text: str, start: int, limit: int) -> int:
    cuts = (text.rfind("\n\n", start + 1, limit), text.rfind("\n", start + 1, limit), text.find("\n", limit))
    return next((cut for cut in cuts if cut >= 0), len(text))
