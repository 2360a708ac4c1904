"""The judge that asks a model: any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from judging.codes import VerdictCode
from judging.judges.base import (
    Attempt,
    Bill,
    CallRecord,
    ClaimsReply,
    ClaimsRequest,
    ExtractOutcome,
    ExtractReply,
    ExtractRequest,
    Finding,
    JudgeUnavailable,
    Passage,
    ReplyCache,
    VerifyReply,
    VerifyRequest,
    unbilled,
)
from judging.judges.openai.asking import Asked, Asker, Read
from judging.judges.openai.breaker import Breaker
from judging.judges.openai.deciding import Decided, decide, recalled, without_picture
from judging.judges.openai.faults import UNAVAILABLE, Fault, is_transient
from judging.judges.openai.ladder import Ladder, Rung, Step
from judging.judges.openai.prices import Price, PriceTable
from judging.judges.openai.readings import (
    Reading,
    is_empty,
    is_long,
    read_claims,
    read_data,
    read_verdicts,
)
from judging.judges.openai.retries import Limits, Pace
from judging.judges.openai.seats import Seat
from judging.prompts import Prompt, claims_prompt, clean, extract_prompt, verify_prompt
from judging.terms import same_every_time

__all__ = [
    "UNAVAILABLE",
    "Breaker",
    "Fault",
    "JudgeUnavailable",
    "Ladder",
    "Limits",
    "OpenAIJudge",
    "Pace",
    "Price",
    "PriceTable",
    "Rung",
    "Seat",
    "Step",
]


@dataclass(slots=True, kw_only=True)
class OpenAIJudge:
    """Implements :class:`judging.judges.base.Judge`.

    ``model`` is asked for; ``pinned`` is the name the endpoint must serve under, if that differs. ``sampling``
    holds the parameters sent with every question. ``ladder`` and ``breaker`` may be shared by judges of one endpoint
    and model, so that a refused parameter is refused once, and an endpoint that is down found out about once.

    ``panel`` names who decides checks, by seat: several models, or one other than ``model``, which then only extracts. Left
    out, ``model`` does both. ``picture_detail`` (``auto``, ``low``, ``high``) is how closely pictures are looked at. ``bill`` is
    told of each attempt as it ends, whether a reply comes of it or not.
    """

    base_url: str
    api_key: str
    model: str
    fence_key: bytes
    pinned: str = ""
    sampling: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    cache: ReplyCache | None = None
    limits: Limits = field(default_factory=Limits)
    prices: PriceTable = field(default_factory=PriceTable)
    ladder: Ladder = field(default_factory=Ladder)
    breaker: Breaker = field(default_factory=Breaker)
    pace: Pace = field(default_factory=Pace)
    panel: Sequence[Seat] = ()
    picture_detail: str = "auto"
    bill: Bill = unbilled
    name: str = "openai"
    offline: bool = False
    _asker: Asker = field(init=False)
    _reader: Seat = field(init=False)
    _seats: Sequence[Seat] = field(init=False)

    def __post_init__(self) -> None:
        self._reader = Seat(model=self.model, pinned=self.pinned, ladder=self.ladder, breaker=self.breaker)
        # A model that decides as well is one seat, pinned once.
        self._seats = [self._reader if seat.model == self.model else seat for seat in self.panel] or [
            self._reader
        ]
        for seat in (self._reader, *self._seats):
            seat.breaker.ask_anew()
        self._asker = Asker(
            base_url=self.base_url.rstrip("/"),
            api_key=self.api_key,
            sampling=self.sampling,
            limits=self.limits,
            pace=self.pace,
            cache=self.cache,
            paid=self._paid,
        )

    def votes(self, wanted: int) -> int:
        """The seats of a panel; of one model as many as wanted, but one where all would be the same."""
        if len(self._seats) > 1:
            return len(self._seats)
        return 1 if same_every_time(self.sampling) else wanted

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """Decide one check."""
        return (await self.verify_group((request,)))[0]

    async def verify_group(
        self, requests: Sequence[VerifyRequest], *, group: Sequence[VerifyRequest] = ()
    ) -> list[VerifyReply]:
        """Decide checks that share page, task, answer, kind and sample in one call, in their order.

        The record of the first check of a call carries what it cost; those of the others cost nothing.

        :raises ValueError: the checks share too little.
        """
        # Of one model the sample numbers the votes, of a panel the seats.
        sample, number = divmod(requests[0].sample, len(self._seats))
        seat = self._seats[number]
        page = requests[0].page
        picture = page is not None and page.picture is not None
        if picture and seat.ladder.blind:
            found = await self._by_text(requests, group, seat, sample)
        else:
            found = await self._decided(requests, group, seat, sample)
        return [
            _verify_reply(one.reading, self._shared_record(seat, one, page, picture=picture)) for one in found
        ]

    def _prompt(self, requests: Sequence[VerifyRequest]) -> Prompt:
        return verify_prompt(requests, key=self.fence_key, detail=self.picture_detail)

    async def _decided(
        self, requests: Sequence[VerifyRequest], group: Sequence[VerifyRequest], seat: Seat, sample: int
    ) -> list[Decided]:
        page = requests[0].page
        if page is not None and page.picture is None and _is_blank(page.text):
            empty = Reading(Finding.NOT_ASSESSED, "empty_page")
            return [Decided(empty, self._prompt(requests), (), 1) for _ in requests]

        async def ask(prompt: Prompt, request: VerifyRequest) -> Asked[dict[str, Reading]]:
            read = partial(read_verdicts, prompt=prompt, request=request)
            return await self._asker.ask(prompt, read, seat=seat, sample=sample)

        async def recall(prompt: Prompt, request: VerifyRequest) -> Asked[dict[str, Reading]] | None:
            read = partial(read_verdicts, prompt=prompt, request=request)
            return await self._asker.recall(prompt, read, seat=seat, sample=sample)

        known = await recalled(requests, group, make=self._prompt, recall=recall) if group else None
        bare = partial(self._by_text, group=group, seat=seat, sample=sample)
        return known or await decide(requests, make=self._prompt, ask=ask, bare=bare)

    async def _by_text(
        self, requests: Sequence[VerifyRequest], group: Sequence[VerifyRequest], seat: Seat, sample: int
    ) -> list[Decided]:
        """The same checks without their picture, whether that was refused just now or is known to be."""
        return await self._decided(without_picture(requests), without_picture(group), seat, sample)

    def _shared_record(self, seat: Seat, one: Decided, page: Passage | None, *, picture: bool) -> CallRecord:
        seen = "" if not picture else "shown" if one.prompt.shows_picture else "refused"
        return replace(self._record(seat, one.prompt, one.rounds, page), shared=one.shared, picture=seen)

    async def extract(self, request: ExtractRequest) -> ExtractReply:
        """Read data by the request's schema out of the answer or the page."""
        prompt = extract_prompt(request, key=self.fence_key)
        answer = request.answer if request.page is None else ""
        rounds = await self._not_empty(prompt, read_data(request.schema), answer)
        return ExtractReply(
            outcome=_outcome(rounds[-1].fault),
            data=rounds[-1].value,
            record=self._record(self._reader, prompt, rounds, request.page),
            reason=rounds[-1].fault.value,
        )

    async def claims(self, request: ClaimsRequest) -> ClaimsReply:
        """List the claims of one subtask."""
        prompt = claims_prompt(request, key=self.fence_key)
        rounds = await self._not_empty(prompt, read_claims(request), request.answer)
        return ClaimsReply(
            outcome=_outcome(rounds[-1].fault),
            claims=rounds[-1].value or (),
            record=self._record(self._reader, prompt, rounds),
            reason=rounds[-1].fault.value,
        )

    async def _not_empty(self, prompt: Prompt, read: Read[Any], answer: str) -> list[Asked[Any]]:
        """Ask; an empty result from a long answer is asked for once more."""
        asked = await self._asker.ask(prompt, read, seat=self._reader)
        if asked.fault is not Fault.NONE or not is_empty(asked.value) or not is_long(answer):
            return [asked]
        return [asked, await self._asker.ask(prompt.again(asked.content), read, seat=self._reader)]

    def set_share(self, *, in_flight: int, tokens_per_minute: int) -> None:
        """Change this worker's share of the endpoint's limits, also while calls are under way."""
        self._asker.resize(in_flight=in_flight, tokens_per_minute=tokens_per_minute)

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._asker.aclose()

    def _record(
        self, seat: Seat, prompt: Prompt, rounds: Sequence[Asked[Any]], page: Passage | None = None
    ) -> CallRecord:
        attempts = tuple(attempt for asked in rounds for attempt in asked.attempts)
        last: Asked[Any] = rounds[-1] if rounds else Asked(None)
        return CallRecord(
            judge=self.name,
            prompt_hash=prompt.template.hash,
            prompt_version=prompt.template.label,
            model_asked=seat.model,
            model_served=last.model_served,
            parameters={**last.parameters, "price_table": self.prices.version},
            finish_reason=last.finish_reason,
            attempts=attempts,
            cached=bool(rounds) and all(asked.cached for asked in rounds),
            cost_usd=self._cost(seat.model, attempts),
            truncated=last.fault is Fault.TRUNCATED or (page is not None and page.truncated),
        )

    def _paid(self, model: str, attempt: Attempt) -> None:
        self.bill(attempt, self._cost(model, (attempt,)))

    def _cost(self, model: str, attempts: Sequence[Attempt]) -> float | None:
        """What was not sent costs nothing, whatever the price."""
        return self.prices.cost(model, (attempt.usage for attempt in attempts)) if attempts else 0.0


def _is_blank(text: str) -> bool:
    """Whether a reader sees nothing of it; the beginning mostly tells."""
    return not clean(text[:200]).strip() and not clean(text).strip()


def _verify_reply(reading: Reading, record: CallRecord) -> VerifyReply:
    return VerifyReply(
        finding=reading.finding,
        record=record,
        code=VerdictCode(reading.code),
        reason=reading.reason,
        quote=reading.quote,
        answer_state=reading.answer_state,
        relevance=reading.relevance,
        seen_in=reading.seen_in,
    )


def _outcome(fault: Fault) -> ExtractOutcome:
    if fault is Fault.NONE:
        return ExtractOutcome.OK
    if fault is Fault.TRUNCATED:
        return ExtractOutcome.TRUNCATED
    return ExtractOutcome.ERROR if is_transient(fault) else ExtractOutcome.FAILED
