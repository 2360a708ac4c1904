"""One question from the prompt to a reply that was read, or to the reason why there is none."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from judging.judges.base import Attempt, CachedReply, JudgeUnavailable, ReplyCache
from judging.judges.openai.client import Client
from judging.judges.openai.faults import UNAVAILABLE, Fault
from judging.judges.openai.flights import Flights, reply_key
from judging.judges.openai.replies import Completion, Unusable, completion_of, content_fault, one_object
from judging.judges.openai.retries import Limits, Pace, Sent, persist
from judging.judges.openai.seats import Seat
from judging.judges.openai.throttle import Meter
from judging.prompts import Prompt
from judging.slots import Slots

__all__ = ["Asked", "Asker", "Read", "same_model"]

T = TypeVar("T")

# From the one object of a reply to its meaning, and whether it may be remembered.
Read = Callable[[Mapping[str, Any]], tuple[T, bool]]

_DATED = r"(?:-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4}))?"


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """How a question ended. ``value`` is None exactly if ``fault`` is one."""

    value: T | None
    fault: Fault = Fault.NONE
    detail: str = ""
    content: str = ""
    model_served: str = ""
    finish_reason: str = ""
    attempts: tuple[Attempt, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cached: bool = False


def same_model(asked: str, served: str) -> bool:
    """Whether a served name is the asked one: provider prefixes, ``:latest`` and a date behind are no change."""
    plain = asked.rsplit("/", 1)[-1].removesuffix(":latest").lower()
    given = served.rsplit("/", 1)[-1].removesuffix(":latest").lower()
    return re.fullmatch(re.escape(plain) + _DATED, given) is not None


@dataclass(frozen=True, slots=True)
class Lane:
    """What belongs to one event loop: connections, its share of the endpoint, questions under way."""

    client: Client
    slots: Slots
    meter: Meter
    flights: Flights[Asked[Any]]


@dataclass(slots=True, kw_only=True)
class Asker:
    """One endpoint: all models asked there share its limits."""

    base_url: str
    api_key: str
    sampling: Mapping[str, Any]
    limits: Limits
    pace: Pace
    cache: ReplyCache | None
    paid: Callable[[str, Attempt], None]  # told of each attempt at a model
    _lanes: dict[asyncio.AbstractEventLoop, Lane] = field(default_factory=dict)

    def resize(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """Change this worker's share of the endpoint."""
        self.limits = replace(self.limits, in_flight=in_flight, tokens_per_minute=tokens_per_minute)
        for lane in self._lanes.values():
            lane.slots.resize(in_flight)
            lane.meter.resize(tokens_per_minute)

    async def aclose(self) -> None:
        """Close the connections of the running loop. Those of a loop that is gone went with it."""
        lane = self._lanes.pop(asyncio.get_running_loop(), None)
        if lane is not None:
            await lane.client.aclose()

    def _lane(self) -> Lane:
        """The running loop's lane: a worker may run one loop after the other with the same judge."""
        loop = asyncio.get_running_loop()
        if loop not in self._lanes:
            for gone in [other for other in self._lanes if other.is_closed()]:
                del self._lanes[gone]
            client = Client(base_url=self.base_url, api_key=self.api_key)
            meter = Meter(self.limits.tokens_per_minute, clock=self.pace.clock, sleep=self.pace.sleep)
            self._lanes[loop] = Lane(client, Slots(self.limits.in_flight), meter, Flights())
        return self._lanes[loop]

    async def ask(self, prompt: Prompt, read: Read[T], *, seat: Seat, sample: int = 0) -> Asked[T]:
        """Ask a model, and once more with a larger cap if the reply was cut. ``sample`` numbers its votes.

        Where the picture of a question is refused it ends ``unsupported``: the question is another one without.

        :raises JudgeUnavailable: no question will be answered until somebody acts.
        """
        asked = await self._stepping(prompt, read, seat, sample, self.limits.max_tokens)
        if asked.fault is Fault.TRUNCATED:
            cap = self.limits.max_tokens * self.limits.larger
            larger = await self._stepping(prompt, read, seat, sample, cap)
            asked = _longer(asked, larger)
        if asked.fault in UNAVAILABLE:
            raise JudgeUnavailable(asked.fault.value, asked.detail)
        return asked

    async def recall(self, prompt: Prompt, read: Read[T], *, seat: Seat, sample: int = 0) -> Asked[T] | None:
        """The reply to a question that was asked before; None if it is not remembered. Nothing is asked."""
        body = seat.ladder.body(
            prompt, model=seat.model, sampling=_sampled(self.sampling, sample), cap=self.limits.max_tokens
        )
        key = reply_key(prompt, body, base_url=self.base_url, sample=sample)
        found = await self._remembered(key, read, seat)
        return replace(found, parameters=_parameters(body, seat)) if found else None

    async def _stepping(self, prompt: Prompt, read: Read[T], seat: Seat, sample: int, cap: int) -> Asked[T]:
        """Ask as the endpoint can take it; what it refuses is left out from then on."""
        before: tuple[Attempt, ...] = ()
        while True:
            sampling = _sampled(self.sampling, sample)
            body = seat.ladder.body(prompt, model=seat.model, sampling=sampling, cap=cap)
            key = reply_key(prompt, body, base_url=self.base_url, sample=sample)
            asked, led = await self._lane().flights.once(key, partial(self._exchange, key, body, read, seat))
            asked = asked if led else _followed(asked)
            if asked.fault is not Fault.BAD_REQUEST or not seat.ladder.step_down(body, asked.detail):
                parameters = _parameters(body, seat)
                if prompt.shows_picture and _refuses_picture(asked, seat):
                    asked = replace(asked, fault=Fault.UNSUPPORTED, attempts=_unsupported(asked))
                return replace(asked, attempts=(*before, *asked.attempts), parameters=parameters)
            before = (*before, *_unsupported(asked))

    async def _exchange(self, key: str, body: Mapping[str, Any], read: Read[T], seat: Seat) -> Asked[T]:
        remembered = await self._remembered(key, read, seat)
        if remembered is not None:
            return remembered
        lane = self._lane()
        sent = await persist(
            lane.client,
            body,
            slots=lane.slots,
            meter=lane.meter,
            limits=self.limits,
            pace=self.pace,
            breaker=seat.breaker,
            tell=partial(self.paid, seat.model),
        )
        completion = completion_of(sent.received.body)
        asked, keep = _understood(sent, completion, read, seat)
        if keep and completion is not None and self.cache is not None:
            await self.cache.put(_cached(key, seat.model, completion))
        return asked

    async def _remembered(self, key: str, read: Read[T], seat: Seat) -> Asked[T] | None:
        """The reply of an earlier call, if it still reads well and the pinned model gave it."""
        hit = await self.cache.get(key) if self.cache is not None else None
        if hit is None or (seat.pinned and hit.model_served != seat.pinned):
            return None
        try:
            value, _ = read(one_object(hit.content))
        except Unusable:
            return None
        return Asked(
            value,
            content=hit.content,
            model_served=hit.model_served,
            finish_reason=hit.finish_reason,
            cached=True,
        )


def _unsupported(asked: Asked[Any]) -> tuple[Attempt, ...]:
    """Its attempts, as what they were in the end: not a bad request, but one that this endpoint does not take."""
    return tuple(replace(one, error=Fault.UNSUPPORTED) for one in asked.attempts)


def _refuses_picture(asked: Asked[Any], seat: Seat) -> bool:
    """Whether the same question without the picture may fare better."""
    refused = asked.fault is Fault.BAD_REQUEST and seat.ladder.refuses_picture(asked.detail)
    return refused or asked.fault is Fault.CONTEXT_LENGTH


def _understood(
    sent: Sent, completion: Completion | None, read: Read[T], seat: Seat
) -> tuple[Asked[T], bool]:
    """The reply with its meaning, and whether it may be remembered."""
    if completion is None or sent.received.fault is not Fault.NONE:
        return Asked(None, sent.received.fault, sent.received.detail, attempts=sent.attempts), False
    fault, detail = _fault(completion, seat)
    value, keep = None, False
    if fault is Fault.NONE:
        try:
            value, keep = read(one_object(completion.content))
        except Unusable as unusable:
            fault, detail = unusable.fault, unusable.detail
    asked = Asked(
        value,
        fault,
        detail,
        content=completion.content,
        model_served=completion.model,
        finish_reason=completion.finish_reason,
        attempts=_marked(sent.attempts, fault, detail),
    )
    return asked, keep


def _fault(completion: Completion, seat: Seat) -> tuple[Fault, str]:
    served = completion.model
    if seat.pinned and served != seat.pinned:
        return Fault.WRONG_MODEL, f"pinned {seat.pinned}, served {served or 'unnamed'}"
    if not seat.pinned and served and not same_model(seat.model, served):
        return Fault.WRONG_MODEL, f"asked {seat.model}, served {served}"
    # An alias that moves to another snapshot in the middle of a run is another judge.
    seat.pinned = seat.pinned or served
    return content_fault(completion), ""


def _parameters(body: Mapping[str, Any], seat: Seat) -> dict[str, Any]:
    """Every parameter sent but the text, and what was left out because the endpoint refused it."""
    sent = {
        name: value for name, value in body.items() if name not in ("model", "messages", "response_format")
    }
    sent["response_format"] = body.get("response_format", {}).get("type", "text")
    if seat.ladder.steps:
        sent["stepped_down"] = [step.name for step in seat.ladder.steps]
    return sent


def _sampled(sampling: Mapping[str, Any], sample: int) -> dict[str, Any]:
    """A fixed seed would make every vote the same one."""
    if isinstance(sampling.get("seed"), int):
        return {**sampling, "seed": sampling["seed"] + sample}
    return dict(sampling)


def _longer(cut: Asked[T], larger: Asked[T]) -> Asked[T]:
    """The second try, with the attempts of both; an endpoint that refuses the cap leaves us the cut reply."""
    attempts = (*cut.attempts, *larger.attempts)
    return replace(cut if larger.fault is Fault.BAD_REQUEST else larger, attempts=attempts)


def _followed(asked: Asked[T]) -> Asked[T]:
    """The same reply for one who only waited for it: nothing sent, nothing paid."""
    return replace(asked, attempts=(), cached=asked.fault is Fault.NONE)


def _cached(key: str, model: str, completion: Completion) -> CachedReply:
    return CachedReply(
        key,
        completion.content,
        completion.model,
        completion.finish_reason,
        completion.usage,
        model_asked=model,
    )


def _marked(attempts: tuple[Attempt, ...], fault: Fault, detail: str) -> tuple[Attempt, ...]:
    return (*attempts[:-1], replace(attempts[-1], error=fault.value, detail=detail[:500]))
