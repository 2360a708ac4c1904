"""From a profile to the judge it describes. Apart from the profiles: only those who judge load a model's client."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from judging.canonical import digest
from judging.judges.base import Bill, Judge, ReplyCache, unbilled
from judging.judges.lexical import LexicalJudge
from judging.judges.openai import Breaker, Ladder, Limits, OpenAIJudge, Price, PriceTable, Seat
from judging.models import JudgeProfile
from judging.profiles import model_limits, terms_of


def make_judge(
    profile: JudgeProfile, replies: ReplyCache, *, budget_s: float, pinned: str = "", bill: Bill = unbilled
) -> Judge:
    """The judge of a profile, for one event loop.

    :param budget_s: bounds one question with all its attempts.
    :param bill: is told of each attempt and its cost.
    :param pinned: the model that must serve, or each model's as :meth:`judging.terms.Terms.pins` reads it; "" if the first
        reply is still to come.
    """
    if profile.judge == "lexical":
        return LexicalJudge()
    config, limits, terms = settings.EVALSERVICE, model_limits(), terms_of(profile)
    pins, after = terms.pins(pinned), limits["in_flight"] * limits["attempts"]
    seats = {name: _seat(profile.base_url, name, pins.get(name, ""), after) for name in terms.models}
    reader = seats[terms.extract]
    return OpenAIJudge(
        base_url=profile.base_url,
        api_key=config["OPENAI_API_KEY"],
        model=reader.model,
        pinned=reader.pinned,
        panel=[seats[name] for name in terms.verify],
        picture_detail=terms.picture_detail,
        fence_key=bytes.fromhex(config["FENCE_KEY"]),
        sampling=terms.sampling,
        cache=replies,
        bill=bill,
        prices=_prices(profile),
        limits=Limits(
            in_flight=limits["in_flight"],
            attempts=limits["attempts"],
            timeout_s=limits["timeout_s"],
            budget_s=budget_s,
        ),
        ladder=reader.ladder,
        breaker=reader.breaker,
    )


def _prices(profile: JudgeProfile) -> PriceTable:
    if not profile.prices:
        return PriceTable()
    # A row that was made when a profile had one model holds the price of that one.
    is_one = not isinstance(profile.prices.get("prompt", {}), dict)
    table = {profile.model: profile.prices} if is_one else profile.prices
    return PriceTable(digest(profile.prices)[:12], {name: Price(**price) for name, price in table.items()})


def _seat(base_url: str, model: str, pinned: str, after: int) -> Seat:
    ladder, breaker = _ladder(base_url, model), breaker_of(base_url, model, after)
    return Seat(model=model, pinned=pinned, ladder=ladder, breaker=breaker)


@cache
def _ladder(base_url: str, model: str) -> Ladder:
    """Shared by all judges of one endpoint and model in this process: a refused parameter is refused once."""
    return Ladder()


@cache
def breaker_of(base_url: str, model: str, after: int) -> Breaker:
    """Shared like the ladder. ``after`` is what the first questions in flight may try together.

    So an endpoint that is away for as long as one question is patient costs no check; all questions after that cost no
    call.
    """
    return Breaker(after=after)
