"""How many tokens a text has, by a tokenizer that works offline. Pure.

The count is that of ``o200k_base`` (OpenAI's models from 2024 on). Models of other makers count otherwise, often a tenth
more in English and more than that in other scripts: leave them the room.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

__all__ = ["ENCODING", "count"]

ENCODING = "o200k_base"

_SURROGATE = re.compile("[\ud800-\udfff]")


def count(text: str) -> int:
    """Tokens of a text. A lone surrogate counts as U+FFFD, which is what a judge is shown for it."""
    try:
        return int(_tokenizer().count(text))
    except UnicodeEncodeError:
        return int(_tokenizer().count(_SURROGATE.sub("\ufffd", text)))


@cache
def _tokenizer() -> Any:
    """Loaded by the first who counts: it takes 60 MiB, and a web process counts nothing."""
    from rs_bpe.bpe import openai  # type: ignore[import-not-found]  # noqa: PLC0415  # compiled, without types

    return getattr(openai, ENCODING)()
