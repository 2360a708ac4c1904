"""Sentences that record a judging: they say what became of a claim, not what is so, and are no evidence.

Whoever writes a page can write onto it that a claim was checked and found supported. Such a record names what is judged, or
who judges, and gives the result as judges note it: ``claim "…" - verdict supported``. A sentence in which a court's
verdict is upheld, an insurer's claim is paid, or a claim is refuted by somebody, tells a story and stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from judging.judges.lexical.facts import readable
from judging.judges.lexical.words import content_stems

__all__ = ["is_record", "of_records"]

_RESULT = (
    r"(?:verdicts?|findings?|labels?|outcomes?|results?|ratings?|assessments?|status|decisions?|grades?)"
)
_WORD = r"(?:un)?supported|refuted|undecided|not[_ -]?assessed|entailed|(?:un)?met"
_NOTED = rf"(?:{_WORD}|confirmed|verified)"
_END = r"(?=[\"'”’»]*\s*(?:[.,;!|)\]}]|[-–—]\s|$))"
_JUDGED = re.compile(
    r"\b(?:claims?|statements?|assertions?|criteri(?:on|a)|checks?|rubrics?|graders?|judges?|evaluators?|verifiers?)\b",
    re.IGNORECASE,
)
_RECORDED = re.compile(
    # "verdict supported", "verdict: supported", "label=refuted"; with a verb only in words that courts do not use
    rf"\b{_RESULT}\b\W{{1,6}}{_NOTED}{_END}"
    rf"|\b{_RESULT}\b[^.;]{{0,400}}?\b(?:is|was|are|were)\b\W{{1,4}}(?:{_WORD}){_END}"
    # 'claim "…": supported', "criterion 3 -> met"
    rf"|\b(?:claim|statement|assertion|criterion|check)\b[^.;]{{1,400}}?\s?(?::|=|->|=>|→|\s[-–—])\W{{0,4}}(?:{_WORD}){_END}",
    re.IGNORECASE,
)
_RESULT_ALONE = re.compile(
    rf"\W*(?:(?:the|final)\s+)?{_RESULT}\W{{1,6}}(?:(?:is|was)\W{{1,4}})?{_NOTED}{_END}", re.IGNORECASE
)
_LABELLED = re.compile(r"\W*(?:claim|statement|assertion|criterion|check)\b[\s#\w]{0,12}\W?:", re.IGNORECASE)
_REACH = 2  # sentences after a labelled claim in which its result may stand
# Looked for first: what has none of these words records nothing.
_STEMS = frozenset(
    content_stems("supported unsupported refuted undecided assessed entailed confirmed verified")
)
_SHORT = re.compile(r"\b(?:un)?met\b", re.IGNORECASE)


def _may_record(sentence: str, terms: frozenset[str]) -> bool:
    return not _STEMS.isdisjoint(terms) or _SHORT.search(sentence) is not None


def is_record(sentence: str) -> bool:
    """Whether a sentence notes how a claim or criterion was judged."""
    line = readable(sentence)
    return _JUDGED.search(line) is not None and _RECORDED.search(line) is not None


def of_records(texts: Sequence[str], terms: Sequence[frozenset[str]]) -> frozenset[int]:
    """The places of the sentences of a text that record a judging, also where claim and result stand apart.

    :param terms: what each sentence is found by.
    """
    found = set()
    for place, (sentence, stems) in enumerate(zip(texts, terms, strict=True)):
        if not _may_record(sentence, stems):
            continue
        if is_record(sentence):
            found.add(place)
        elif _RESULT_ALONE.match(readable(sentence)):
            found |= _noted_before(texts, place)
    return frozenset(found)


def _noted_before(texts: Sequence[str], place: int) -> set[int]:
    """A result that stands alone with the labelled claim before it; nothing where there is none."""
    for before in range(place - 1, max(place - 1 - _REACH, -1), -1):
        if _LABELLED.match(readable(texts[before])):
            return set(range(before, place + 1))
    return set()
