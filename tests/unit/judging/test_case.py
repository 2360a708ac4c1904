"""What all answers of a submission share, and what can be done with a page."""

from __future__ import annotations

import datetime as dt

import pytest

from judging.case import key_or_none
from judging.citations import MalformedUrl
from judging.evidence import Standing
from tests.unit.judging.scripted import NOW, case_of, snapshot, tree_rubric, work_on

URL = "https://lakes.example/brume"
RUBRIC = tree_rubric({"id": "root", "children": [{"id": "a", "claim": "Water is wet", "evidence": "none"}]})


def test_a_page_is_found_by_its_identity_not_by_its_spelling() -> None:
    case = case_of([snapshot(URL)])
    assert case.snapshot("HTTPS://Lakes.Example/brume") == case.pages[key_or_none(URL) or ""]
    assert case.snapshot("https://lakes.example/BRUME") is None


def test_references_are_looked_up_apart_from_what_is_cited() -> None:
    case = case_of([snapshot(URL, id=1)], [snapshot(URL, id=2)])
    cited, reference = case.snapshot(URL), case.snapshot(URL, reference=True)
    assert cited is not None
    assert reference is not None
    assert (cited.id, reference.id) == (1, 2)


def test_what_is_no_address_has_no_page() -> None:
    with pytest.raises(MalformedUrl):
        case_of().snapshot("https://")
    assert key_or_none("https://") is None


@pytest.mark.parametrize(
    ("final_url", "standing"),
    [
        ("https://lab.example/paper", Standing.OWN),
        ("https://www.Lab.Example./paper", Standing.OWN),
        ("https://lab.example:8443/paper", Standing.OWN),
        ("https://notlab.example/paper", Standing.READABLE),
        ("https://lab.example.org/paper", Standing.READABLE),
        ("https://a[b@www.lab.example/paper", Standing.OWN),
        ("https://a[b@www.institute-of-ice.example/x", Standing.READABLE),
        ("https://a\u2100b@lab.example/paper", Standing.OWN),
        ("https://l\u2100b.example/paper", Standing.READABLE),
        ("https://[::1/paper", Standing.READABLE),
        ("", Standing.READABLE),
    ],
)
def test_a_page_of_the_teams_own_is_told_by_where_it_was_in_the_end(
    final_url: str, standing: Standing
) -> None:
    case = case_of(own_domains=frozenset({"lab.example"}))
    assert case.standing(snapshot(URL, final_url=final_url)) is standing


@pytest.mark.parametrize("domain", ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example."])
@pytest.mark.parametrize("url", ["https://www.bücher.example/a", "https://xn--bcher-kva.example/a"])
def test_an_own_domain_in_other_letters_is_own_in_either_spelling(domain: str, url: str) -> None:
    assert case_of(own_domains=frozenset({domain})).is_own(url)


def test_a_domain_that_is_none_owns_nothing() -> None:
    assert not case_of(own_domains=frozenset({"", "[", "not a domain"})).is_own(URL)


def test_an_own_page_that_redirects_nowhere_is_told_by_its_url() -> None:
    case = case_of(own_domains=frozenset({"lakes.example"}))
    assert case.standing(snapshot(URL, final_url="")) is Standing.OWN


def test_the_clock_of_a_snapshot_runs_from_when_the_submission_first_looked() -> None:
    old = snapshot(URL, verdict="blocked_status", collected_at=NOW - dt.timedelta(days=14))
    young = snapshot(URL, verdict="blocked_status", collected_at=NOW - dt.timedelta(days=13))
    assert case_of().standing(old) is Standing.BLOCKED_SETTLED
    assert case_of().standing(young) is Standing.BLOCKED


def test_a_url_nobody_collected_is_our_failure_until_the_clock_settles_it() -> None:
    assert case_of().standing(None) is Standing.RETRY
    later = case_of(collected_at=NOW - dt.timedelta(days=14))
    assert later.standing(None) is Standing.BLOCKED_SETTLED


@pytest.mark.parametrize(
    ("split", "verdict", "standing"),
    [
        ("test", "ok", Standing.REVIEW),
        ("test", "not_found", Standing.DEAD),
        ("dev", "ok", Standing.READABLE),
    ],
)
def test_html_that_no_browser_has_shown_proves_nothing_on_a_test_set(
    split: str, verdict: str, standing: Standing
) -> None:
    assert case_of(split=split).standing(snapshot(URL, verdict=verdict, static_only=True)) is standing


@pytest.mark.parametrize(("text", "blank"), [("", True), (" \n\t ", True), ("No.", False)])
def test_white_space_is_no_answer(text: str, blank: bool) -> None:
    assert work_on(RUBRIC, text).blank is blank
