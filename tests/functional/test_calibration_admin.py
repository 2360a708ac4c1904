"""Calibrations in the admin: who reads them, that nobody writes them, and that labels stay text."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.calibration.storing import store
from judging.models import Calibration, JudgeProfile
from submissions.roles import ROLES
from tests.factories import make_user
from tests.functional.staff import EVIL, listing, page_of, signed_in, text, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(tmp_path: Path) -> Calibration:
    """A calibration on one claim that is labelled wrongly, in a group with a hostile name."""
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        '{"id": "sentinel-7", "group": "' + EVIL + '", "claim": "It is 12 m deep", "page": {"text": "It is 12 m deep."},'
        ' "verdict": "refuted"}',
        encoding="utf-8",
    )  # fmt: skip
    call_command("calibrate", "current", str(labels), stdout=StringIO(), stderr=StringIO())
    return Calibration.objects.get()


@pytest.mark.parametrize("role", ROLES)
def test_who_reads_calibrations_is_the_judge_operator(row: Calibration, role: str) -> None:
    browser = signed_in(role)
    expected = 200 if role == "judge operator" else 403
    for address in (listing("calibration"), page_of(row)):
        assert browser.get(address).status_code == expected


def test_strangers_are_sent_away(row: Calibration) -> None:
    browser = Client()
    browser.force_login(make_user())
    for client in (Client(), browser):
        for address in (listing("calibration"), page_of(row)):
            assert client.get(address).status_code == 302


def test_nobody_adds_changes_or_deletes_one(row: Calibration) -> None:
    browser = signed_in(superuser=True)
    assert browser.get(reverse("admin:judging_calibration_add")).status_code == 403
    assert browser.post(page_of(row), {"passed": "on"}).status_code == 403
    assert browser.get(reverse("admin:judging_calibration_delete", args=[row.pk])).status_code == 403
    assert "delete_selected" not in text(browser, listing("calibration"))
    row.refresh_from_db()
    assert not row.passed


def test_the_report_is_read_as_the_command_printed_it(row: Calibration) -> None:
    shown = words(text(signed_in("judge operator"), page_of(row)))
    for part in ("agreement 0.000 (0 of 1;", "sentinel-7 label refuted, verdict supported", "not calibrated",
                 "at least 300 labels 1: NO", '"disagreements": ['):  # fmt: skip
        assert part in shown


def test_words_of_labels_are_text_and_stand_on_no_list(row: Calibration) -> None:
    browser = signed_in("judge operator")
    assert EVIL not in text(browser, page_of(row))
    assert text(browser, page_of(row)).count("&lt;script&gt;") >= 2
    shown = text(browser, listing("calibration"))
    assert "lexical/1" in shown
    assert not any(word in shown for word in ("sentinel-7", "script&gt;"))


def test_a_list_costs_the_same_however_long(row: Calibration, django_assert_max_num_queries: Any) -> None:
    profile = JudgeProfile.objects.get()
    for _ in range(30):
        store(profile=profile, report=row.report, actor="command", now=timezone.now())
    browser = signed_in("judge operator")
    with django_assert_max_num_queries(12):
        assert text(browser, listing("calibration")).count("lexical/1") >= 31


def test_the_list_of_profiles_says_for_which_protocols_one_is_calibrated(row: Calibration) -> None:
    browser = signed_in("judge operator")
    assert "lexical 1 lexical –" in words(text(browser, listing("judgeprofile"))).replace(" - ", " – ")
    Calibration.objects.update(passed=True)
    assert "rubric_tree" in text(browser, listing("judgeprofile"))
    assert "cascade" not in text(browser, listing("judgeprofile"))
