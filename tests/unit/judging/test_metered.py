"""A judge whose every call is noted says what the judge behind it says."""

from __future__ import annotations

import asyncio

from judging.judges.base import CallRecord, ClaimsRequest, ExtractRequest, VerifyRequest
from judging.judges.lexical import LexicalJudge
from judging.metered import Metered


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
