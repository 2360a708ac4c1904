"""From a profile to the judge it describes. Apart from the profiles: only those who judge load a model's client."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from judging.canonical import digest
from judging.judges.base import Judge, ReplyCache
from judging.judges.lexical import LexicalJudge
from judging.judges.openai import Breaker, Ladder, Limits, OpenAIJudge, Price, PriceTable
from judging.models import JudgeProfile


def make_judge(profile: JudgeProfile, replies: ReplyCache, *, budget_s: float, pinned: str = "") -> Judge:
    """The judge of a profile, for one event loop.

    :param budget_s: bounds one question with all its attempts.
    :param pinned: the model that must serve; "" if the first reply is still to come.
    """
    if profile.judge == "lexical":
        return LexicalJudge()
    config = settings.EVALSERVICE
    model = config["MODEL"]
    return OpenAIJudge(
        base_url=profile.base_url,
        api_key=config["OPENAI_API_KEY"],
        model=profile.model,
        pinned=pinned,
        fence_key=bytes.fromhex(config["FENCE_KEY"]),
        sampling={"temperature": profile.parameters["temperature"]},
        cache=replies,
        prices=_prices(profile),
        limits=Limits(
            in_flight=model["in_flight"],
            attempts=model["attempts"],
            timeout_s=model["timeout_s"],
            budget_s=budget_s,
        ),
        ladder=_ladder(profile.base_url, profile.model),
        breaker=breaker_of(profile.base_url, profile.model, model["in_flight"] * model["attempts"]),
    )


def _prices(profile: JudgeProfile) -> PriceTable:
    if not profile.prices:
        return PriceTable()
    return PriceTable(digest(profile.prices)[:12], {profile.model: Price(**profile.prices)})


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
