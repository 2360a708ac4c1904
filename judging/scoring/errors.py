"""Why a check was not met: the error classes of Mind2Web 2 (appendices F and H.3), and which are hallucinations."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judging.scoring.results import References


class ErrorClass(StrEnum):
    """What is wrong with an answer where a check is not met."""

    INCOMPLETE_NOT_FOUND = "incomplete.not_found"  # the answer says that it could not find it
    INCOMPLETE_PARTIAL = "incomplete.partial"  # an item or a step is missing
    CRITERIA_VIOLATION = "criteria_violation"  # what the answer gives breaks a criterion
    ATTRIBUTION_INVALID = "attribution.invalid"  # the URL is dead, malformed or made up
    ATTRIBUTION_MISSING = "attribution.missing"  # a claim that needs a source has none
    UNSUPPORTED_RETRIEVAL = "unsupported.retrieval"  # the page has nothing to do with the claim
    UNSUPPORTED_SYNTHESIS = "unsupported.synthesis"  # the page is relevant, the answer misquotes it


HALLUCINATIONS = frozenset(
    {
        ErrorClass.ATTRIBUTION_INVALID,
        ErrorClass.UNSUPPORTED_RETRIEVAL,
        ErrorClass.UNSUPPORTED_SYNTHESIS,
    }
)

_BY_ANSWER_STATE = {
    "says_not_found": ErrorClass.INCOMPLETE_NOT_FOUND,
    "omits": ErrorClass.INCOMPLETE_PARTIAL,
}


def error_class(
    *, answer_state: str = "", relevance: str = "", dead: bool = False, cited: bool = False
) -> ErrorClass | None:
    """The class of an unmet check, read from what is known of it; None where that does not tell.

    ``answer_state`` and ``relevance`` are the judge's (``gives | omits | says_not_found``; ``relevant |
    irrelevant | unusable``), ``dead`` says that the pages cited are dead, malformed or made up, ``cited``
    that the check is about a cited page. A relevant page weighs more than a dead one beside it: there the
    claim can be seen to be misquoted.
    """
    if answer_state in _BY_ANSWER_STATE:
        return _BY_ANSWER_STATE[answer_state]
    if relevance == "relevant":
        return ErrorClass.UNSUPPORTED_SYNTHESIS
    if dead:
        return ErrorClass.ATTRIBUTION_INVALID
    if relevance == "irrelevant":
        return ErrorClass.UNSUPPORTED_RETRIEVAL
    return ErrorClass.CRITERIA_VIOLATION if answer_state == "gives" and not cited else None


def tree_hallucinated(classes: Iterable[str | None], *, unknown: int = 0) -> bool | None:
    """Whether an answer to a rubric tree holds a hallucination.

    ``classes`` are those of its unmet checks; ``unknown`` counts checks without a verdict, which may hide
    one: then, without any to be seen, the result is None.
    """
    return _seen(any(kind in HALLUCINATIONS for kind in classes), unknown)


def cascade_hallucinated(
    references: References, *, refuted_cited: int, invalid_urls: int, unknown: int = 0
) -> bool | None:
    """Whether an answer to a cascade holds a hallucination.

    That is a refuted claim with a citation, an invalid URL or a citation that does not support its claim.
    ``unknown`` counts other checks without a verdict; as for a tree, they may hide one.
    """
    seen = refuted_cited + invalid_urls + references.unsupported > 0
    return _seen(seen, unknown + references.not_assessed)


def _seen(seen: bool, unknown: int) -> bool | None:
    return True if seen else (None if unknown else False)
