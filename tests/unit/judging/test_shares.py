"""Who may have how many calls in flight: max-min fair, in one order, never more than there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.shares import Share, fair


@pytest.mark.parametrize(
    ("wanted", "limit", "shares"),
    [
        ([], 8, []),
        ([5], 8, [5]),
        ([50], 8, [8]),
        ([50, 50], 8, [4, 4]),
        ([50, 50, 50], 8, [3, 3, 2]),  # what is left over goes round in order
        ([50, 1, 50], 8, [4, 1, 3]),  # nobody gets more than he wants, the others share the rest
        ([2, 2, 2], 8, [2, 2, 2]),
        ([50] * 5, 3, [1, 1, 1, 0, 0]),
        ([0, 50], 8, [0, 8]),
        ([50, 50], 0, [0, 0]),
        # The worked case of Bertsekas and Gallager: 2, 2.6, 4 and 5 of 10, in tenths.
        ([20, 26, 40, 50], 100, [20, 26, 27, 27]),
    ],
)
def test_shares_are_max_min_fair(wanted: list[int], limit: int, shares: list[int]) -> None:
    assert fair(wanted, limit) == shares


@given(st.lists(st.integers(0, 200), max_size=12), st.integers(0, 300))
def test_nobody_gets_more_than_wanted_and_nothing_is_left_while_somebody_wants(
    wanted: list[int], limit: int
) -> None:
    shares = fair(wanted, limit)
    assert all(0 <= share <= wish for share, wish in zip(shares, wanted, strict=True))
    assert sum(shares) == min(limit, sum(wanted))
    # Whoever gets less than he wants has no less, but for the last one left over, than anybody else.
    short = [share for share, wish in zip(shares, wanted, strict=True) if share < wish]
    assert all(share >= max(shares) - 1 for share in short)


@pytest.mark.parametrize(
    ("limits", "in_flight", "part"),
    [
        (Share(32, 0), 8, Share(8, 0)),
        (Share(32, 64_000), 8, Share(8, 16_000)),
        (Share(32, 64_000), 0, Share(0, 1)),  # 0 would set no limit
    ],
)
def test_tokens_go_with_the_calls(limits: Share, in_flight: int, part: Share) -> None:
    assert limits.part(in_flight) == part
