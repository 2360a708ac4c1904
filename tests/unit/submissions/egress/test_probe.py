"""Whether we reach anything at all."""

import pytest

from submissions.egress import known_good_answers
from tests.unit.submissions.egress.world import World, over_tls, page, run, trusting


def answers(world: World, *hosts: str) -> bool:
    async def story() -> bool:
        async with world:
            return await known_good_answers(
                hosts, contact="ops@us.org", resolver=world.resolve, dialer=world.dial, tls=trusting()
            )

    return run(story())


@pytest.mark.parametrize("status", ["200 OK", "302 Found", "404 Not Found", "503 Busy"])
def test_any_status_of_a_known_good_host_will_do(status: str) -> None:
    world = World({("x.org", 443): over_tls(page(b"a", "Location: https://y.org/", status=status))})
    assert answers(world, "x.org")
    assert len(world.requests) == 1


def test_one_of_several_suffices() -> None:
    world = World({("x.org", 443): over_tls(page(b"a"))})
    assert answers(world, "gone.org", "x.org", "never.org")
    assert world.asked == ["gone.org", "x.org"]


def test_nothing_reached_is_no() -> None:
    world = World({("x.org", 443): over_tls(page(b"a"), "other"), ("x.org", 80): page(b"a")})
    assert not answers(world, "gone.org", "x.org")


def test_no_known_good_host_is_no() -> None:
    assert not answers(World({}))
