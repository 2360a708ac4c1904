"""Commands that ask a judge keep to the endpoint's limits and to the day's budget, and end cleanly."""

from __future__ import annotations

import os
import signal
import threading
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections

from judging import apart
from judging.models import Calibration, Seat, Spending
from tests.endpoint import Endpoint
from tests.integration.judging.modelled import changed
from tests.integration.judging.test_calibrating import calibrate, easy, written

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_openai")]
RICH = {"submission_usd": 0.0, "submission_tokens": 0, "day_usd": 0.0, "day_tokens": 0}


def seen_while(endpoint: Endpoint, command: Any) -> list[list[tuple[str, int]]]:
    """The seats that there are while a command runs."""
    found: list[list[tuple[str, int]]] = []
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.02):
            found.append(list(Seat.objects.values_list("endpoint__base_url", "in_flight")))
        connections.close_all()

    watching = threading.Thread(target=look)
    watching.start()
    try:
        command()
    finally:
        done.set()
        watching.join()
    return found


def test_a_command_holds_a_seat_while_it_asks_and_gives_it_back(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.script.delay_s = 0.05
    found = seen_while(endpoint, lambda: calibrate("current", written(tmp_path, *easy(20)), "--dry-run"))
    assert (endpoint.base_url, 8) in [seat for seats in found for seat in seats]
    assert not Seat.objects.exists()


def test_what_a_command_asks_is_charged_to_the_day(tmp_path: Path, endpoint: Endpoint, settings: Any) -> None:
    changed(settings, JUDGE_PRICES={"judge-1": {"prompt": 1.0, "completion": 2.0}})
    calibrate("current", written(tmp_path, *easy(5)), "--dry-run")
    row = Spending.objects.get()
    assert (row.run, row.calls, row.unpriced_calls) == (None, endpoint.calls, 0)
    assert row.cost_usd > 0
    calibrate("current", written(tmp_path, *easy(5)))
    row = Spending.objects.get()
    assert row.calls == endpoint.calls == 12
    assert row.cost_usd == pytest.approx(2 * Calibration.objects.get().report["cost"]["cost_usd"])


def test_a_used_up_day_lets_nothing_be_asked(tmp_path: Path, endpoint: Endpoint, settings: Any) -> None:
    labels = written(tmp_path, *easy(3))
    calibrate("current", labels)
    asked = endpoint.calls
    changed(settings, BUDGET=RICH | {"day_tokens": 1})
    with pytest.raises(CommandError, match="has cost today what it may cost; go on tomorrow"):
        calibrate("current", labels)
    assert (endpoint.calls, Calibration.objects.count()) == (asked, 1)


def test_a_budget_that_is_used_up_meanwhile_ends_the_asking(
    tmp_path: Path, endpoint: Endpoint, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "BEAT_SECONDS", 0.01)
    changed(settings, BUDGET=RICH | {"day_tokens": 1})
    endpoint.script.delay_s = 0.1
    with pytest.raises(CommandError, match="has cost today what it may cost"):
        calibrate("current", written(tmp_path, *easy(60)))
    assert 0 < endpoint.calls < 61
    assert Spending.objects.get().calls == endpoint.calls
    assert not Seat.objects.exists()
    assert not Calibration.objects.exists()


def test_an_interrupted_command_leaves_no_seat_and_pays_for_what_it_asked(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.script.at = dict.fromkeys(range(4, 60), "hang")

    def interrupt() -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and endpoint.calls < 8:
            time.sleep(0.02)
        time.sleep(1)  # the replies of the first three are read meanwhile
        os.kill(os.getpid(), signal.SIGINT)

    # Tests that a shell started in the background ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    stopping = threading.Thread(target=interrupt)
    stopping.start()
    try:
        with pytest.raises(CommandError, match=r"^Interrupted\.$") as caught:
            calibrate("current", written(tmp_path, *easy(20)))
    finally:
        stopping.join()
        signal.signal(signal.SIGINT, before)
    assert caught.value.returncode == 130
    assert not Seat.objects.exists()
    assert Spending.objects.get().calls == 3
    assert not Calibration.objects.exists()


def test_what_cannot_be_counted_now_is_counted_later(
    tmp_path: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, failures = apart._charged, [1, 1, 1]
    monkeypatch.setattr(apart, "BEAT_SECONDS", 0.05)

    def charged(*args: Any, **kwargs: Any) -> bool:
        if failures:
            failures.pop()
            raise DatabaseError
        return counted(*args, **kwargs)

    monkeypatch.setattr(apart, "_charged", charged)
    endpoint.script.delay_s = 0.1
    calibrate("current", written(tmp_path, *easy(40)))
    assert failures == []
    assert Spending.objects.get().calls == endpoint.calls


def test_an_offline_judge_needs_neither_seat_nor_budget(tmp_path: Path, settings: Any) -> None:
    changed(settings, JUDGE="lexical", BUDGET=RICH | {"day_tokens": 1})
    call_command("calibrate", "current", written(tmp_path, *easy(3)), stdout=StringIO(), stderr=StringIO())
    assert not Spending.objects.exists()
