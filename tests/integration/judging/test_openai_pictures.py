"""Pictures of pages at an endpoint: what is sent, what a verdict may rest on, and models without eyes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from judging.judges.base import Finding, Picture, VerifyReply, VerifyRequest
from judging.judges.openai import Ladder, Seat
from judging.prompts.templates import CLAIM_BY_PAGE, CLAIM_BY_PICTURE
from tests.endpoint import Endpoint
from tests.endpoint.faults import BLIND
from tests.endpoint.parts import Parts
from tests.endpoint.sense import Sense
from tests.integration.judging.asking import CLAIM, PAGE, Remembered, errors, judge_at, run, verify
from tests.pictures import jpeg, png

DATA = png(30, 20)
PICTURE = Picture(hashlib.sha256(DATA).hexdigest(), "image/png", 30, 20, DATA)
SHOWN = replace(CLAIM, page=replace(PAGE, picture=PICTURE))
DRAWN = replace(SHOWN, statement="A bear is drawn on the door")


class Looking(Sense):
    """Sees in the picture what a test says; of all else it has read."""

    def __init__(self, **seen: Any) -> None:
        super().__init__()
        self.seen = {"verdict": "supported", "quote": "", "seen_in": "picture", **seen}

    async def __call__(self, parts: Parts) -> Mapping[str, Any]:
        """The object of the reply."""
        found = await super().__call__(parts)
        drawn = {check.id for check in parts.checks if "drawn" in check.statement}
        return {
            "verdicts": [
                {**verdict, **self.seen} if verdict["id"] in drawn else verdict
                for verdict in found["verdicts"]
            ]
        }


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(brain=Looking()) as endpoint:
        yield endpoint


def parts(endpoint: Endpoint, number: int = -1) -> list[dict[str, Any]]:
    """The parts of a question with a picture."""
    found: list[dict[str, Any]] = endpoint.log[number].body["messages"][1]["content"]
    return found


def test_a_picture_stands_between_the_text_of_its_page_and_the_claim(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint), SHOWN)
    page, image, rest = parts(endpoint)
    assert page["text"].startswith("<<<BEGIN page")
    assert page["text"].splitlines()[-1].startswith("<<<END page")
    assert image["image_url"] == {
        "url": f"data:image/png;base64,{base64.b64encode(DATA).decode()}",
        "detail": "auto",
    }
    assert rest["text"].startswith("<<<BEGIN task")
    assert SHOWN.statement in rest["text"]
    assert (reply.finding, reply.record.picture, reply.seen_in) == (Finding.SUPPORTED, "shown", "text")
    assert reply.record.prompt_version == CLAIM_BY_PICTURE.label


def test_how_closely_to_look_is_a_parameter(endpoint: Endpoint) -> None:
    verify(judge_at(endpoint, picture_detail="low"), SHOWN)
    assert parts(endpoint)[1]["image_url"]["detail"] == "low"


def test_without_a_picture_nothing_is_asked_otherwise(endpoint: Endpoint) -> None:
    reply = verify(judge_at(endpoint))
    body = endpoint.log[0].body
    assert isinstance(body["messages"][1]["content"], str)
    assert "seen_in" not in str(body)
    assert (reply.record.picture, reply.record.prompt_version, reply.seen_in) == ("", CLAIM_BY_PAGE.label, "")


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        ({}, ""),
        ({"verdict": "refuted"}, ""),
        ({"quote": PAGE.text[:20]}, ""),  # more than it needs
        ({"seen_in": "text", "quote": PAGE.text[:20]}, ""),
        ({"seen_in": "text"}, "quote_mismatch"),
        ({"seen_in": ""}, "quote_mismatch"),
        ({"seen_in": ["picture"]}, "quote_mismatch"),
        ({"quote": "A bear"}, "quote_mismatch"),
        ({"verdict": "undecided"}, ""),
    ],
)
def test_an_empty_quote_stands_where_the_picture_alone_decides(
    endpoint: Endpoint, seen: dict[str, Any], code: str
) -> None:
    endpoint.brain = Looking(**seen)
    reply = verify(judge_at(endpoint), DRAWN)
    assert (reply.code, endpoint.calls) == (code, 2 if code else 1)
    if not code:
        wanted = seen.get("verdict", "supported")
        assert (reply.finding, reply.seen_in) == (wanted, seen.get("seen_in", "picture"))


def test_nothing_rests_on_a_picture_that_was_not_shown(endpoint: Endpoint) -> None:
    assert verify(judge_at(endpoint), replace(DRAWN, page=PAGE)).code == "quote_mismatch"


# ------------------------------------------------------------------ reuse
def test_another_picture_is_another_question(endpoint: Endpoint) -> None:
    cache = Remembered()
    other = Picture("b" * 64, "image/jpeg", 3, 2, jpeg())
    for picture in (PICTURE, PICTURE, other, None):
        verify(judge_at(endpoint, cache=cache), replace(SHOWN, page=replace(PAGE, picture=picture)))
    verify(judge_at(endpoint, cache=cache, picture_detail="high"), SHOWN)
    assert endpoint.calls == 4


# ------------------------------------------------------------------ models without eyes
WITHOUT_EYES = ["openai", "vllm", "vllm_0", "deepseek", "router", "llama"]


@pytest.mark.parametrize("words", WITHOUT_EYES)
def test_a_model_that_takes_no_picture_is_asked_by_text_and_not_shown_another(
    endpoint: Endpoint, words: str
) -> None:
    endpoint.reset(images=words)
    judge = judge_at(endpoint)

    async def twice(_: Any) -> list[VerifyReply]:
        return [
            await judge.verify(SHOWN),
            await judge.verify(replace(SHOWN, statement="It was built in 1923")),
        ]

    replies = run(judge, twice)
    assert [reply.finding for reply in replies] == [Finding.SUPPORTED] * 2
    assert [reply.record.picture for reply in replies] == ["refused"] * 2
    assert [errors(reply) for reply in replies] == [["unsupported", ""], [""]]
    assert replies[0].record.parameters["stepped_down"] == ["picture"]
    assert replies[0].record.prompt_version == CLAIM_BY_PAGE.label
    assert endpoint.calls == 3


@pytest.mark.parametrize("words", sorted(set(BLIND) - set(WITHOUT_EYES)))
def test_one_picture_that_is_refused_says_nothing_of_others(endpoint: Endpoint, words: str) -> None:
    endpoint.reset(images=words)
    ladder = Ladder()
    assert verify(judge_at(endpoint, ladder=ladder), SHOWN).record.picture == "refused"
    endpoint.reset()
    assert verify(judge_at(endpoint, ladder=ladder), SHOWN).record.picture == "shown"
    assert ladder.steps == []


def test_each_model_of_an_endpoint_has_eyes_of_its_own(endpoint: Endpoint) -> None:
    seeing = Seat(model="judge-2")
    judge = judge_at(
        endpoint, ladder=Ladder(blind=True), panel=[Seat(model="judge-1"), seeing, Seat(model="judge-3")]
    )
    assert run(judge, lambda asked: asked.verify(SHOWN)).record.picture == "refused"
    assert run(judge, lambda asked: asked.verify(replace(SHOWN, sample=1))).record.picture == "shown"


def test_what_else_the_endpoint_refuses_is_stepped_down_first(endpoint: Endpoint) -> None:
    endpoint.reset(refuses=["temperature"])
    reply = verify(judge_at(endpoint), SHOWN)
    assert (reply.record.picture, errors(reply)) == ("shown", ["unsupported", ""])
    assert reply.record.parameters["stepped_down"] == ["temperature"]


def test_a_refusal_of_the_picture_is_paid_once_by_the_first_of_a_group(endpoint: Endpoint) -> None:
    endpoint.reset(images="openai")
    group = [SHOWN, replace(SHOWN, statement="The hut was built in 1923")]
    replies = run(judge_at(endpoint), lambda judge: judge.verify_group(group))
    assert [errors(reply) for reply in replies] == [["unsupported", ""], []]
    assert [reply.record.picture for reply in replies] == ["refused"] * 2
    assert [reply.record.shared for reply in replies] == [2, 2]


def test_a_group_is_shown_its_picture_once(endpoint: Endpoint) -> None:
    replies = run(judge_at(endpoint), lambda judge: judge.verify_group([SHOWN, DRAWN]))
    assert [part["type"] for part in parts(endpoint)] == ["text", "image_url", "text"]
    assert [reply.seen_in for reply in replies] == ["text", "picture"]
    assert endpoint.calls == 1


def test_a_page_without_text_is_judged_by_its_picture_if_the_model_has_eyes(endpoint: Endpoint) -> None:
    blank: VerifyRequest = replace(DRAWN, page=replace(PAGE, text=" ", ranges=(), picture=PICTURE))
    assert verify(judge_at(endpoint), blank).finding is Finding.SUPPORTED
    assert verify(judge_at(endpoint, ladder=Ladder(blind=True)), blank).code == "empty_page"


def test_what_comes_of_a_check_does_not_hang_on_whether_the_model_was_known_to_be_without_eyes(
    endpoint: Endpoint,
) -> None:
    endpoint.reset(images="openai")
    blank = replace(SHOWN, page=replace(PAGE, text=" ", ranges=(), picture=PICTURE))
    for request in (SHOWN, DRAWN, blank):
        known, new = (
            verify(judge_at(endpoint, ladder=Ladder(blind=blind)), request) for blind in (True, False)
        )
        assert (new.finding, new.code, new.quote) == (known.finding, known.code, known.quote)
        assert (new.record.picture, known.record.picture) == ("refused", "refused")


def test_what_is_left_of_a_group_is_known_by_its_text_where_the_picture_is_refused(
    endpoint: Endpoint,
) -> None:
    endpoint.reset(images="openai")
    cache = Remembered()
    group = [SHOWN, replace(SHOWN, statement="The hut was built in 1923")]
    first = run(judge_at(endpoint, cache=cache), lambda judge: judge.verify_group(group))
    left = run(judge_at(endpoint, cache=cache), lambda judge: judge.verify_group(group[1:], group=group))
    assert [reply.finding for reply in left] == [first[1].finding]
    assert (left[0].record.shared, left[0].record.picture, endpoint.calls) == (2, "refused", 3)
