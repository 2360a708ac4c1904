"""Labelled questions before a judge: shown what a check would show, voted on, and asked anew in each run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from judging.calibration.asking import CHARACTERS, Answered, Asking, NoMemory, ask_all
from judging.calibration.labels import Item, Page
from judging.case import Case
from judging.desk import Desk, Memory, Unfinished
from judging.judges.base import CachedReply, JudgeUnavailable, Usage, VerifyReply, VerifyRequest
from judging.slots import Slots
from tests.unit.judging.scripted import ABSTAINS, FAILS, NO, OPEN, YES, Scripted

DEEP = Item(
    "deep", "claim", ("It is deep",), "supported", page=Page("It is deep.", "https://a.example/", "A")
)
LONG = Item("long", "criterion", ("Says how long",), "refuted", task="How long?", answer="Deep.")
GRADED = Item("graded", "criterion", ("some", "most", "all"), "3", answer="All.")


def asked(
    judge: Scripted, *items: Item, runs: int = 1, in_flight: int = 8, **asking: Any
) -> list[tuple[Answered, ...]]:
    told: list[int] = []
    desk = Desk(Memory(), judge, slots=Slots(in_flight))
    found = asyncio.run(
        ask_all(items, desk=desk, asking=Asking(**asking), runs=runs, tell=lambda: told.append(1))
    )
    assert len(told) == len(items) * runs
    return found


def verdicts(found: Sequence[tuple[Answered, ...]]) -> list[list[str]]:
    return [[one.verdict for one in runs] for runs in found]


def test_a_claim_is_asked_by_its_page_and_a_criterion_by_its_answer() -> None:
    judge = Scripted({"Says how long": NO})
    assert verdicts(asked(judge, DEEP, LONG)) == [["supported"], ["refuted"]]
    by_page, by_answer = judge.requests
    assert (by_page.kind, by_page.statement, by_page.answer, by_page.task) == (
        "claim",
        "It is deep",
        None,
        "",
    )
    assert by_page.page is not None
    assert (by_page.page.text, by_page.page.url, by_page.page.title) == (
        "It is deep.", "https://a.example/", "A",
    )  # fmt: skip
    assert (by_answer.kind, by_answer.page, by_answer.task, by_answer.answer) == (
        "criterion", None, "How long?", "Deep.",
    )  # fmt: skip


def test_of_a_long_page_is_shown_what_a_check_would_show() -> None:
    text = "".join(f"Line {number} is about nothing.\n" for number in range(4_000)) + "It is deep.\n"
    item = Item("long page", "claim", ("It is deep",), "supported", page=Page(text))
    judge = Scripted()
    asked(judge, item)
    asked(judge, item, tokens=300)
    shown = [request.page.text if request.page else "" for request in judge.requests]
    assert [("It is deep." in one, len(one) < len(text) / 4) for one in shown] == [(True, True)] * 2
    assert len(shown[1]) < 2_000 < len(shown[0]) <= CHARACTERS
    characters = {field: default for field, default in _defaults(Case) if field == "passage_characters"}
    assert characters == {"passage_characters": CHARACTERS}


def _defaults(made: Any) -> list[tuple[str, Any]]:
    return [(name, field.default) for name, field in made.__dataclass_fields__.items()]


def test_each_run_has_votes_of_its_own() -> None:
    judge = Scripted({"It is deep": [YES, YES, NO, NO, YES, NO, OPEN, OPEN, YES]})
    assert verdicts(asked(judge, DEEP, runs=3, votes=3)) == [["supported", "refuted", "undecided"]]
    assert sorted(request.sample for request in judge.requests) == [0, 1, 3, 4, 5, 6, 7]


def test_votes_without_a_majority_are_no_verdict() -> None:
    ((found,),) = asked(Scripted({"It is deep": [YES, NO, OPEN]}), DEEP, votes=3)
    assert (found.verdict, found.code, len(found.records)) == ("not_assessed", "disagreement", 3)
    assert sum((record.usage for record in found.records), Usage()) == Usage()


@pytest.mark.parametrize(
    ("said", "grade", "calls"),
    [
        ({"some": NO}, "1", 1),
        ({"most": OPEN}, "2", 2),
        ({"all": NO}, "3", 3),
        ({}, "4", 3),
        ({"some": YES, "most": ABSTAINS}, "not_assessed", 2),
        ({"all": FAILS}, "error", 3),
    ],
)
def test_a_grade_is_one_more_than_the_criteria_met_in_a_row(
    said: dict[str, Any], grade: str, calls: int
) -> None:
    ((found,),) = asked(Scripted(said), GRADED)
    assert (found.verdict, len(found.records)) == (grade, calls)


def test_no_more_calls_are_in_flight_than_allowed() -> None:
    class Slow(Scripted):
        now = most = 0

        async def verify(self, request: VerifyRequest) -> VerifyReply:
            self.now += 1
            self.most = max(self.most, self.now)
            for _ in range(5):
                await asyncio.sleep(0)
            self.now -= 1
            return await super().verify(request)

    judge = Slow()
    asked(judge, DEEP, LONG, runs=10, in_flight=3)
    assert judge.most == 3


def test_a_judge_that_is_gone_is_asked_no_more() -> None:
    class Gone(Scripted):
        async def verify(self, request: VerifyRequest) -> VerifyReply:
            raise JudgeUnavailable("judge_quota", "no credit")

    with pytest.raises(JudgeUnavailable, match="judge_quota"):
        asked(Gone(), DEEP, LONG, runs=2)


def test_a_desk_that_stops_ends_the_asking() -> None:
    desk = Desk(Memory(), Scripted(), stopping=lambda: True)
    with pytest.raises(Unfinished):
        asyncio.run(ask_all([DEEP], desk=desk, asking=Asking(), runs=1, tell=lambda: None))


def test_no_reply_is_remembered() -> None:
    async def scene() -> CachedReply | None:
        memory = NoMemory()
        await memory.put(CachedReply("k", "c", "m", "stop", Usage()))
        return await memory.get("k")

    assert asyncio.run(scene()) is None


# ------------------------------------------------------------------ groups
def on_page(name: str, *, text: str = "It is deep.") -> Item:
    """A claim by a page."""
    return Item(name, "claim", (name,), "supported", page=Page(text, "https://a.example/", "A"))


def test_what_shares_a_page_or_an_answer_is_asked_together_where_the_profile_does_so() -> None:
    said = [replace(LONG, id=f"say{n}", statements=(f"say{n}",)) for n in range(2)]
    items = [on_page("a"), said[0], on_page("b", text="Another."), on_page("c"), on_page("d"), said[1], DEEP]
    judge = Scripted({"c": NO, "say1": OPEN})
    found = asked(judge, *items, together=2, runs=2)
    assert judge.groups == [["a", "c"]] * 2 + [["d", "It is deep"]] * 2 + [["say0", "say1"]] * 2
    assert verdicts(found) == [
        ["supported"] * 2, ["supported"] * 2, ["supported"] * 2, ["refuted"] * 2,
        ["supported"] * 2, ["undecided"] * 2, ["supported"] * 2,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "grade"),
    [({}, "4"), ({"some": NO}, "1"), ({"most": OPEN}, "2"), ({"all": NO}, "3"), ({"most": FAILS}, "error")],
)
@pytest.mark.parametrize("together", [1, 2, 3, 20])
def test_a_grade_is_the_same_in_groups(said: Any, grade: str, together: int) -> None:
    judge = Scripted(said)
    assert verdicts(asked(judge, GRADED, together=together)) == [[grade]]
    assert len(judge.groups) == (together > 1)


def test_a_group_is_shown_what_matters_for_all_of_it() -> None:
    text = "\n".join([f"line {n} says nothing of note whatever happens" for n in range(900)])
    text = f"{text[:12_000]}\nalpha stands\n{text[12_000:24_000]}\nomega stands\n{text[24_000:]}"
    judge = Scripted()
    asked(judge, on_page("alpha stands", text=text), on_page("omega stands", text=text), together=2)
    (page,) = {request.page for request in judge.requests}
    assert page is not None
    assert page.truncated
    assert "alpha stands" in page.text
    assert "omega stands" in page.text
