"""Checks that share a prompt, from the question to a reading of each: what is asked again, and what is asked alone.

Nothing that one check of a group does to a call reaches the others: an id that is missing or double is its own affair,
a wrong quote is asked for once more by itself, and where a group as a whole gets no reply each check is asked alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judging.judges.base import Finding, VerifyRequest
from judging.judges.openai.asking import Asked
from judging.judges.openai.faults import Fault, is_transient
from judging.judges.openai.readings import Reading
from judging.judges.openai.replies import one_object
from judging.prompts import Prompt

__all__ = ["Ask", "Bare", "Decided", "Make", "Recall", "decide", "recalled", "without_picture"]

Replied = Asked[dict[str, Reading]]
# One prompt for checks that share it.
Make = Callable[[Sequence[VerifyRequest]], Prompt]
# Asks one prompt, and reads the reply by the first of the requests it is about.
Ask = Callable[[Prompt, VerifyRequest], Awaitable[Replied]]

# The same of a reply that is remembered, if it is.
Recall = Callable[[Prompt, VerifyRequest], Awaitable[Replied | None]]


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of one check.

    ``rounds`` are the questions it was part of; what they cost stands with the first check of each question alone.
    ``shared`` is how many checks the last of them was about.
    """

    reading: Reading
    prompt: Prompt
    rounds: tuple[Replied, ...]
    shared: int


# Decides checks whose picture was refused, by the text.
Bare = Callable[[Sequence[VerifyRequest]], Awaitable["list[Decided]"]]


async def decide(requests: Sequence[VerifyRequest], *, make: Make, ask: Ask, bare: Bare) -> list[Decided]:
    """Ask for all in one prompt; the results in their order.

    :raises ValueError: the checks share too little for a prompt.
    """
    prompt = make(requests)
    asked = await ask(prompt, requests[0])
    if asked.fault is Fault.UNSUPPORTED:  # the picture was refused
        return _after(asked, await bare(requests))
    if asked.value is None and len(requests) > 1 and not is_transient(asked.fault):
        return _after(asked, await _one_by_one(requests, make, ask, bare))
    found = _shared(prompt, asked)
    wrong = [place for place, one in enumerate(found) if one.reading.code == Fault.QUOTE_MISMATCH]
    if not wrong:
        return found
    again = await _asked_again([requests[place] for place in wrong], wrong, prompt, asked, make, ask)
    for place, second in zip(wrong, again, strict=True):
        found[place] = replace(second, rounds=(*found[place].rounds, *second.rounds))
    return found


async def recalled(
    requests: Sequence[VerifyRequest], group: Sequence[VerifyRequest], *, make: Make, recall: Recall
) -> list[Decided] | None:
    """What a remembered reply to the whole group says of some of it; None if there is none.

    A slice may end when some of a group are settled: what comes of the others must not hang on that.
    """
    prompt = make(group)
    asked = await recall(prompt, group[0])
    if asked is None:
        return None
    found = _shared(prompt, asked)
    return [found[group.index(request)] for request in requests]


def _shared(prompt: Prompt, asked: Replied) -> list[Decided]:
    """What one reply says of each; the first pays."""
    readings = _readings(asked, prompt)
    rounds = [asked, *[replace(asked, attempts=())] * (len(prompt.ids) - 1)]
    return [
        Decided(readings[ident], prompt, (paid,), len(prompt.ids))
        for ident, paid in zip(prompt.ids, rounds, strict=True)
    ]


def _readings(asked: Replied, prompt: Prompt) -> dict[str, Reading]:
    if asked.value is not None:
        return asked.value
    finding = Finding.ERROR if is_transient(asked.fault) else Finding.NOT_ASSESSED
    return {ident: Reading(finding, asked.fault.value) for ident in prompt.ids}


async def _asked_again(
    requests: Sequence[VerifyRequest],
    places: Sequence[int],
    prompt: Prompt,
    asked: Replied,
    make: Make,
    ask: Ask,
) -> list[Decided]:
    """The checks at these places once more, with what was said of them; the others are done with."""
    if len(places) == len(prompt.ids):
        return _shared(prompt, await ask(prompt.again(asked.content), requests[0]))
    second = make(requests)
    names = {prompt.ids[place]: name for place, name in zip(places, second.ids, strict=True)}
    return _shared(second, await ask(second.again(_said_of(names, asked.content)), requests[0]))


def _said_of(names: dict[str, str], content: str) -> str:
    """A reply without what it says of other checks, by the ids of the new question."""
    given: Any = one_object(content)["verdicts"]
    ids = {name: [entry for entry in given if _is_about(entry, ident)] for ident, name in names.items()}
    return json.dumps({"verdicts": [{**kept[0], "id": name} for name, kept in ids.items()]})


def _is_about(entry: Any, ident: str) -> bool:
    return isinstance(entry, dict) and entry.get("id") == ident


async def _one_by_one(requests: Sequence[VerifyRequest], make: Make, ask: Ask, bare: Bare) -> list[Decided]:
    """Each alone, as if there were no group."""
    work = (decide([request], make=make, ask=ask, bare=bare) for request in requests)
    # To their end, whatever one of them comes to: they are paid for.
    results = await asyncio.gather(*work, return_exceptions=True)
    found: list[Decided] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        found += result
    return found


def _after(failed: Replied, found: Sequence[Decided]) -> list[Decided]:
    """What came of a question that got no reply; the first pays for it."""
    paid = [failed, *[replace(failed, attempts=())] * (len(found) - 1)]
    return [replace(one, rounds=(before, *one.rounds)) for one, before in zip(found, paid, strict=True)]


def without_picture(requests: Sequence[VerifyRequest]) -> list[VerifyRequest]:
    """The same checks by the page's text alone."""
    return [
        replace(request, page=replace(request.page, picture=None)) if request.page else request
        for request in requests
    ]
