"""Unicode's normal forms, in time that grows with the text. Pure.

Marks that follow each other are put into an order, by a method whose time grows with the square of their number: 40,000 of them
take seconds, and a page may hold two million. No script puts more than a few on a letter, so a longer row of them is left as it
is; Unicode's stream-safe format (UAX #15, section 13) draws the line at 30 too.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import Literal

__all__ = ["FIRM", "normalized"]

# A composed form never reaches back over one of these, so what stands between two of them is composed by itself.
FIRM = "\x00-\x7f\u3040-\u3098\u309b-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_ROW = re.compile(rf"[^\w\s{FIRM}]{{31,}}")  # of marks, or of signs, which is soon seen


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """The text in a normal form, but for rows of more than 30 marks."""
    if text.isascii() or not _ROW.search(text):
        return unicodedata.normalize(form, text)
    parts = _row_of_marks().split(text)
    return "".join(
        part if number % 2 else unicodedata.normalize(form, part) for number, part in enumerate(parts)
    )


@cache
def _row_of_marks() -> re.Pattern[str]:
    marks = "".join(filter(unicodedata.combining, map(chr, range(sys.maxunicode + 1))))
    return re.compile(f"([{marks}]{{31,}})")
