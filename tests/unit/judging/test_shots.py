"""Pictures of pages: which leaf shows which, what keys are made of, and what a verdict remembers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from judging.case import Case, Shot, Snapshot
from judging.checks import decide_leaves
from judging.checks.shots import SHORT
from judging.desk import Judgement
from judging.judges.base import CallRecord, Finding, Picture, VerifyReply
from judging.rubric import Claim
from tests.unit.judging.checking import SAID, WORK, A, B
from tests.unit.judging.scripted import YES, Scripted, case_of, desk_of, snapshot

SHOT = Shot("d" * 64, "image/png", 30, 20)
OTHER = Shot("e" * 64, "image/png", 30, 20)
PICTURED = snapshot(A, "The lake is deep", shot=SHOT, characters=SHORT)
SHORT_ONE = replace(PICTURED, characters=SHORT - 1)
BARE = replace(PICTURED, shot=None)
SEEN = VerifyReply(YES, CallRecord("scripted", picture="shown"), seen_in="picture")


def claim(screenshot: Any = "never", name: str = "c") -> Claim:
    """A claim that cites two pages."""
    return Claim(name, SAID, (A, B), screenshot=screenshot)


def case_with(page: Snapshot, *, gone: bool = False, **fields: Any) -> Case:
    """Pages of which one has a picture, perhaps no more."""
    return case_of(
        [page, snapshot(B, "Nothing")], picture=lambda shot: None if gone else shot.sha256.encode(), **fields
    )


def decided(
    checks: Sequence[Claim], case: Case, judge: Scripted | None = None
) -> tuple[list[Judgement], Scripted, dict[str, str]]:
    """Leaves, who was asked, and their keys."""
    scripted = judge or Scripted({(SAID, A): SEEN})
    desk, notes = desk_of(scripted)
    found = asyncio.run(decide_leaves(checks, WORK, case, desk))
    return found, scripted, notes.keys


def pictures(judge: Scripted) -> list[Picture | None]:
    return [request.page.picture for request in judge.requests if request.page]


@pytest.mark.parametrize(
    ("screenshot", "page", "shown"),
    [
        ("never", PICTURED, False),
        ("never", SHORT_ONE, False),
        ("always", PICTURED, True),
        ("always", BARE, False),
        ("auto", PICTURED, False),
        ("auto", SHORT_ONE, True),
        ("auto", replace(SHORT_ONE, shot=None), False),
    ],
)
def test_a_picture_is_shown_where_the_leaf_asks_for_it(screenshot: str, page: Snapshot, shown: bool) -> None:
    (found,), judge, _ = decided([claim(screenshot)], case_with(page))
    assert pictures(judge)[0] == (
        Picture(SHOT.sha256, "image/png", 30, 20, SHOT.sha256.encode()) if shown else None
    )
    assert ("picture" in found.evidence[0]) is shown
    if shown:
        assert found.evidence[0]["picture"] == "shown"
        assert found.evidence[0]["picture_sha256"] == SHOT.sha256
        assert found.evidence[0]["seen_in"] == "picture"


def test_a_leaf_shows_none_unless_it_says_so() -> None:
    assert Claim("c", SAID, (A,)).screenshot == "never"


def test_a_picture_that_is_gone_leaves_the_text_and_a_note() -> None:
    said = VerifyReply(YES, CallRecord("scripted"))
    (found,), judge, _ = decided(
        [claim("always")], case_with(PICTURED, gone=True), Scripted({(SAID, A): said})
    )
    assert (found.finding, pictures(judge)) == (Finding.SUPPORTED, [None])
    assert found.evidence[0]["picture"] == "missing"


def test_a_page_that_is_not_read_shows_no_picture_either() -> None:
    page = replace(PICTURED, verdict="login_wall")
    (found,), judge, keys = decided([claim("always")], case_with(page))
    assert pictures(judge) == [None]
    assert all("picture" not in one for one in found.evidence)
    assert keys == decided([claim()], case_with(page))[2]


def test_the_picture_is_part_of_the_key_where_it_is_shown_and_nowhere_else() -> None:
    def key(screenshot: str, page: Snapshot) -> str:
        return decided([claim(screenshot)], case_with(page))[2]["c"]

    plain = key("never", BARE)
    assert {key("never", PICTURED), key("always", BARE), key("auto", PICTURED)} == {plain}
    assert len({plain, key("always", PICTURED), key("always", replace(PICTURED, shot=OTHER))}) == 3
    assert key("always", SHORT_ONE) == key("auto", SHORT_ONE)


def test_leaves_with_and_without_a_picture_share_no_call() -> None:
    checks = [claim("always", "a"), claim("never", "b"), claim("always", "c"), claim("never", "d")]
    found, judge, _ = decided(checks, case_with(PICTURED, group_claims=20))
    assert len(judge.groups) == 2
    assert [picture is not None for picture in pictures(judge)] == [True, True, False, False]
    assert ["picture" in one.evidence[0] for one in found] == [True, False, True, False]
