"""Politeness across the service: one at a time, a rest in between, and nobody shut out for ever."""

from __future__ import annotations

import datetime as dt

import pytest

from judging.hosts import Claim, claim, host_of, release, seconds_to_wait
from judging.models import PageHost
from tests.integration.judging.locks import meeting_at
from tests.integration.submissions.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)

NOW = dt.datetime(2026, 5, 4, 12, 0, tzinfo=dt.UTC)


def after(seconds: float) -> dt.datetime:
    return NOW + dt.timedelta(seconds=seconds)


def names(claims: list[Claim]) -> list[str]:
    return [one.name for one in claims]


def test_a_host_is_held_by_one_until_it_is_given_back() -> None:
    (held,) = claim(["a.org"], most=8, now=NOW)
    assert claim(["a.org"], most=8, now=after(1)) == []
    release(held, rest_s=1.0, now=after(2))
    assert claim(["a.org"], most=8, now=after(2.9)) == []
    assert names(claim(["a.org"], most=8, now=after(3))) == ["a.org"]


def test_only_one_of_many_gets_a_host() -> None:
    results = at_once(8, lambda: claim(["a.org"], most=8, now=NOW))
    assert sorted(len(result) for result in results) == [0] * 7 + [1]
    assert PageHost.objects.count() == 1


def test_new_hosts_are_made_in_one_order_whoever_asks() -> None:
    hosts = [f"h{number}.org" for number in range(9)]
    results = meeting_at(
        PageHost(name="h4.org", next_at=NOW),
        [lambda: claim(hosts, most=9, now=NOW), lambda: claim(hosts[::-1], most=9, now=NOW)],
    )
    assert sorted(name for found in results for name in names(found)) == hosts


def test_hosts_are_taken_in_the_order_given_and_no_more_than_wanted() -> None:
    claim(["c.org"], most=1, now=NOW)
    assert names(claim(["d.org", "c.org", "b.org", "a.org"], most=2, now=NOW)) == ["d.org", "b.org"]
    assert names(claim(["d.org", "c.org", "b.org", "a.org"], most=2, now=NOW)) == ["a.org"]


def test_the_host_of_a_worker_that_died_is_free_after_two_minutes() -> None:
    (dead,) = claim(["a.org"], most=1, now=NOW)
    assert claim(["a.org"], most=1, now=after(119)) == []
    (alive,) = claim(["a.org"], most=1, now=after(120))
    release(dead, rest_s=1.0, now=after(121))  # late: it is somebody else's now
    assert claim(["a.org"], most=1, now=after(130)) == []
    release(alive, rest_s=1.0, now=after(131))
    assert len(claim(["a.org"], most=1, now=after(132))) == 1


def test_no_host_holds_submissions_up_for_longer_than_ten_minutes() -> None:
    (held,) = claim(["a.org"], most=1, now=NOW)
    release(held, rest_s=1e9, now=NOW)
    assert PageHost.objects.get().next_at == after(600)


def test_the_wait_is_that_for_the_first_host_to_be_free() -> None:
    (a, b) = claim(["a.org", "b.org"], most=2, now=NOW)
    assert seconds_to_wait(["a.org", "b.org"], now=NOW) == 1.0
    release(a, rest_s=20.0, now=NOW)
    release(b, rest_s=10.0, now=NOW)
    assert seconds_to_wait(["a.org", "b.org"], now=after(4)) == 6.0
    assert seconds_to_wait(["a.org", "b.org"], now=after(15)) == 0.0
    assert seconds_to_wait([], now=NOW) == 0.0


@pytest.mark.parametrize(
    ("key", "host"),
    [
        ("https://a.org/b", "a.org"),
        ("http://a.org:8080/", "a.org"),
        ("https://user:pw@a.org/", "a.org"),
        ("http://[2001:db8::1]/", "[2001:db8::1]"),
        ("https://" + "a" * 300 + ".org/", "a" * 255),
        ("https:///", ""),
    ],
)
def test_the_host_of_a_page(key: str, host: str) -> None:
    assert host_of(key) == host
