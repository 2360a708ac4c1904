"""Which error class an assertion can give: one about a citation needs a citation.

``attribution.invalid`` and ``unsupported.*`` count as hallucinations. An answer that cites nothing misses a source
and makes none up, whatever class the rubric's author names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from judging.citations import urls_of_value
from judging.scoring import HALLUCINATIONS, ErrorClass

__all__ = ["class_fault", "fitting_class", "gives_url"]

_OF_PAGES = frozenset({ErrorClass.UNSUPPORTED_RETRIEVAL, ErrorClass.UNSUPPORTED_SYNTHESIS})


def class_fault(error: str | None, pages: Collection[str]) -> str:
    """What is wrong with the class an assertion names; ``pages``: extractions it looks at that read a page."""
    if error not in _OF_PAGES or pages:
        return ""
    return (
        f"{error!r} is about what a cited page says, and this assertion looks at none: "
        "read the page (extract with from_url), or name another class"
    )


def fitting_class(
    error: str | None, pages: Collection[str], unread: Mapping[str, str], cites: Callable[[], bool]
) -> str | None:
    """The class of an assertion that fails.

    :param error: the class its author names.
    :param pages: extractions it looks at that read a page.
    :param unread: by extraction, the class of a page that was not there to be read ("": none).
    :param cites: whether what it looks at holds a URL.
    """
    if error not in HALLUCINATIONS:
        return error
    if not pages:
        return error if cites() else ErrorClass.ATTRIBUTION_MISSING.value
    return next((unread[name] for name in sorted(pages) if name in unread), error)


def gives_url(values: Iterable[Any]) -> bool:
    """Whether a URL stands anywhere in values that were extracted."""
    return any(_holds_url(value) for value in values)


def _holds_url(value: Any) -> bool:
    if isinstance(value, str):
        return bool(urls_of_value(value))
    if isinstance(value, Mapping):
        return gives_url(value.values())
    return gives_url(value) if isinstance(value, list) else False
