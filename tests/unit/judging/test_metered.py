"""A judge whose every call is noted says what the judge behind it says."""

from __future__ import annotations

import asyncio

import pytest

from judging.judges.base import (
    Attempt,
    CallRecord,
    ClaimsRequest,
    ExtractRequest,
    JudgeUnavailable,
    Usage,
    VerifyReply,
    VerifyRequest,
)
from judging.judges.lexical import LexicalJudge
from judging.metered import Metered
from tests.unit.judging.scripted import Scripted


def test_every_reply_is_passed_on_and_noted() -> None:
    noted: list[CallRecord] = []
    plain = LexicalJudge()
    metered = Metered(plain, noted.append)
    answer = "The lake is 212 m deep."
    extract = ExtractRequest("lake", "", {"type": "object"}, "How deep?", answer)
    claims = ClaimsRequest("depth", "How deep?", answer)
    check = VerifyRequest("c", "claim", "The lake is 212 m deep", "How deep?", answer)

    async def scene() -> None:
        assert await metered.extract(extract) == await plain.extract(extract)
        assert await metered.claims(claims) == await plain.claims(claims)
        assert await metered.verify(check) == await plain.verify(check)
        assert await metered.verify_group([check, check]) == await plain.verify_group([check, check])
        metered.set_share(in_flight=1, tokens_per_minute=0)
        await metered.aclose()

    asyncio.run(scene())
    assert [record.judge for record in noted] == ["lexical"] * 5
    assert (metered.votes(3), metered.name, metered.offline) == (1, "lexical", True)


class Gone(Scripted):
    """A judge that answers nothing any more."""

    def __init__(self, *attempts: Attempt) -> None:
        super().__init__()
        self.attempts = attempts

    async def verify(self, request: VerifyRequest) -> VerifyReply:
        """Nothing."""
        raise JudgeUnavailable("judge_quota", attempts=self.attempts)


@pytest.mark.parametrize(
    ("attempts", "costs"),
    [
        ([], []),
        ([Attempt("quota")], [0.0]),
        ([Attempt("garbage", usage=Usage(9, 1)), Attempt("quota")], [None]),
    ],
)
def test_the_call_that_found_no_credit_left_is_noted(
    attempts: list[Attempt], costs: list[float | None]
) -> None:
    noted: list[CallRecord] = []
    metered = Metered(Gone(*attempts), noted.append)
    with pytest.raises(JudgeUnavailable):
        asyncio.run(metered.verify(VerifyRequest("c", "claim", "It is deep", "How deep?")))
    assert [record.cost_usd for record in noted] == costs
    assert [list(record.attempts) for record in noted] == ([attempts] if attempts else [])
