"""How many tokens a text has, by a tokenizer that works offline. Pure.

The count is that of ``o200k_base`` (OpenAI's models from 2024 on). Models of other makers count otherwise, in some
scripts more: leave them room.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

__all__ = ["ENCODING", "count"]

ENCODING = "o200k_base"


def count(text: str) -> int:
    """Tokens of a text. A lone surrogate counts as U+FFFD.

    Of a text of more than 200,000 tokens or a million characters, the tokens of its parts: what is larger than any
    prompt need not be counted to the last token.
    """
    try:
        return len(_encoding().encode_ordinary(text))
    except ValueError:  # the tokenizer takes no larger ones
        half = len(text) // 2
        return count(text[:half]) + count(text[half:])


@cache
def _encoding() -> Any:
    """Loaded by the first who counts: it takes half a second and 150 MiB, and a web process counts nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # it reads its data in a way that 3.11 wants to drop
        import bpe_openai  # type: ignore[import-untyped]  # noqa: PLC0415  # see above; it ships no types

    return bpe_openai.get_encoding(ENCODING)
