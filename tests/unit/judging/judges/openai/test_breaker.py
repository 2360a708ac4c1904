"""When an endpoint is held to be down, for how long, and what sets it right."""

from __future__ import annotations

import pytest

from judging.judges.openai.breaker import CONFIGURATION, DOWN, Breaker
from judging.judges.openai.faults import Fault

NOW = 1_000.0


def failed(breaker: Breaker, times: int, fault: Fault = Fault.SERVER, *, now: float = NOW) -> None:
    for _ in range(times):
        breaker.begin(now)
        breaker.end(fault, "it said so", now=now)


@pytest.mark.parametrize("fault", sorted(DOWN))
def test_an_endpoint_that_fails_often_enough_in_a_row_is_held_to_be_down(fault: Fault) -> None:
    breaker = Breaker(after=3)
    failed(breaker, 2, fault)
    assert not breaker.holds(NOW)
    failed(breaker, 1, fault)
    assert breaker.holds(NOW)
    assert (breaker.fault, breaker.detail) == (fault, "it said so")


@pytest.mark.parametrize("fault", sorted(CONFIGURATION))
def test_a_fault_that_only_a_person_mends_suffices_once(fault: Fault) -> None:
    breaker = Breaker(after=3)
    failed(breaker, 1, fault)
    assert breaker.holds(NOW)
    assert breaker.fault is fault
    breaker.ask_anew()
    assert not breaker.holds(NOW)


def test_taking_up_work_brings_no_dead_endpoint_back() -> None:
    breaker = Breaker(after=1)
    failed(breaker, 1, Fault.CONNECTION)
    breaker.ask_anew()
    assert breaker.holds(NOW)


@pytest.mark.parametrize("fault", sorted(set(Fault) - DOWN - CONFIGURATION))
def test_who_answers_anything_else_is_there(fault: Fault) -> None:
    breaker = Breaker(after=2)
    for _ in range(3):
        failed(breaker, 1)
        failed(breaker, 1, fault)
    assert not breaker.holds(NOW)
    failed(breaker, 2)
    assert breaker.holds(NOW)
    breaker.end(fault, "", now=NOW)  # a call that had gone out before
    assert not breaker.holds(NOW)


def test_after_a_while_one_call_finds_out_and_its_failure_holds_as_long_again() -> None:
    breaker = Breaker(after=2, hold_s=10)
    failed(breaker, 2)
    assert breaker.holds(NOW + 9.9)
    assert not breaker.holds(NOW + 10)
    assert breaker.begin(NOW + 10)
    assert breaker.trying
    breaker.end(Fault.TIMEOUT, "", now=NOW + 11)
    assert breaker.holds(NOW + 20.9)
    assert not breaker.holds(NOW + 21)


def test_a_call_that_succeeds_sets_it_right_at_once() -> None:
    breaker = Breaker(after=2)
    failed(breaker, 2)
    assert breaker.begin(NOW + 30)
    breaker.end(Fault.NONE, "", now=NOW + 31)
    assert not breaker.begin(NOW + 31)
    failed(breaker, 1, now=NOW + 32)
    assert not breaker.holds(NOW + 32)


def test_what_failed_long_ago_says_nothing_of_now() -> None:
    breaker = Breaker(after=2, forget_s=60)
    failed(breaker, 1)
    failed(breaker, 1, now=NOW + 61)
    assert not breaker.holds(NOW + 61)
    failed(breaker, 1, now=NOW + 62)
    assert breaker.holds(NOW + 62)
    assert not breaker.begin(NOW + 123)


def test_of_a_call_that_finds_out_others_are_no_part() -> None:
    breaker = Breaker(after=1)
    failed(breaker, 1)
    assert breaker.begin(NOW + 30)
    breaker.end(Fault.NONE, "", now=NOW + 30)  # an earlier call
    assert not breaker.begin(NOW + 30)
    assert breaker.trying
