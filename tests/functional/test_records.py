"""The record of an answer: every vote, every call, every page with its quote in place; nothing of strangers unescaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.models import Extraction, JudgeRun, PageSnapshot, Rubric, Verdict
from submissions.blobs import blob_name
from submissions.models import Answer, Submission
from tests.endpoint import Endpoint
from tests.functional.staff import EVIL, page_of, signed_in, text, tree_page, words
from tests.integration.judging.modelled import again, judged_by
from tests.judging_factories import (
    REPORT_RIGHT,
    archive,
    cascade_files,
    import_set,
    judged,
    lake_answer,
    lake_task,
    model_judges,
    run_jobs,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)
PRICES = {"judge-1": {"prompt": 100.0, "completion": 200.0}}


@pytest.fixture(scope="module")
def running() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running: Endpoint, settings: Any, tmp_path: Path) -> Endpoint:
    """A model judges, with three votes and a price."""
    running.reset()
    model_judges(settings, running.base_url, attempts=3, timeout_s=5)
    judged_by(settings, tmp_path, votes=3, sampling={"temperature": 0.5}, prices=PRICES)
    return running


def evidence(verdict: Verdict, number: int = 1) -> str:
    """The address of a page of the evidence."""
    return reverse("admin:judging_verdict_page", args=[verdict.pk, number])


def with_quote() -> Verdict:
    """A verdict that quotes its page."""
    return Verdict.objects.exclude(quote="").exclude(evidence=[]).earliest("pk")


# ------------------------------------------------------------------ the answer's page
def test_every_vote_is_told_with_its_model_tokens_cost_and_time(endpoint: Endpoint) -> None:
    endpoint.script.next = ["server_error"]
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
    page = text(signed_in("judge operator"), tree_page(made, "brume"))
    shown = words(page)
    for part in (
        "- Depth: 212 m", "revision 1", "2 questions · 2 calls ·", "1 failed", "server_error HTTP 500",
        "judge-1", "prices ", '"temperature": 0.5', "relevant", "characters shown, all of it",
    ):  # fmt: skip
        assert part in shown, part
    verdict = Verdict.objects.get(check_id="depth")
    votes = [call["sample"] for call in verdict.record["calls"]]
    assert votes == [0, 1]
    assert re.search(r"\d+ tokens · \$[\d.]+ · [\d.]+ s", shown)
    assert verdict.record["calls"][0]["prompt_hash"] in page
    assert page_of(verdict) in page
    assert evidence(verdict) in page


def test_calls_about_several_pages_say_which(endpoint: Endpoint) -> None:
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "law", "brume")})
    assert len(Verdict.objects.get(check_id="length").evidence) == 2
    page = text(signed_in("judge operator"), tree_page(made, "brume"))
    assert '<th scope="col">Page</th>' in page
    assert "<bdi>https://lakes.example/law</bdi></td>" in page


def test_a_reply_from_the_cache_and_a_verdict_of_an_earlier_round_are_told_as_such(
    endpoint: Endpoint,
) -> None:
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
    again(made)
    shown = words(text(signed_in("judge operator"), tree_page(made, "brume")))
    assert "found in round 1" in shown
    other = judged(made.task_set, {"brume": lake_answer(212, 15, "brume")})
    shown = words(text(signed_in("judge operator"), tree_page(other, "brume")))
    assert "answered from the cache" in shown
    assert "found in round" not in shown


def test_a_cascade_tells_the_calls_of_criteria_claims_and_their_listing(endpoint: Endpoint) -> None:
    made = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    page = text(signed_in("judge operator"), tree_page(made, "report"))
    rows = [*Verdict.objects.all(), *Extraction.objects.all()]
    assert len(rows) > 5
    assert [row for row in rows if page_of(row) not in page] == []


def test_what_no_model_was_asked_is_told_too(submission: Submission) -> None:
    shown = words(text(signed_in("judge operator"), tree_page(submission, "brume")))
    assert "decided without a judge" in shown
    assert "1 question · no call" in shown


@pytest.mark.parametrize(
    "record", [{}, {"x": EVIL}, [], {"calls": [{"judge": EVIL, "model_served": EVIL, "attempts": [{"error": EVIL}]}]}]
)  # fmt: skip
def test_old_and_odd_records_are_shown_as_far_as_they_go(submission: Submission, record: Any) -> None:
    old = {"url": EVIL, "source": "cited", "standing": "readable", "verdict": "ok", "finding": "refuted"}
    Verdict.objects.update(record=record, evidence=[old, {**old, "ranges": [[1], "x"], "snapshot": "x"}])
    Extraction.objects.update(record=record)
    page = text(signed_in("judge operator"), tree_page(submission, "brume"))
    assert EVIL not in page
    assert "&lt;script&gt;" in page


def test_the_page_of_an_answer_costs_the_same_however_many_answers_there_are() -> None:
    counts = []
    browser = signed_in("judge operator")
    for number in (10, 100):
        tasks = {f"t{n}": lake_task() for n in range(number)}
        made = judged(
            import_set(tree_files(tasks, slug=f"lakes-{number}")),
            dict.fromkeys(tasks, lake_answer(212, 14, "brume")),
        )
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            text(browser, tree_page(made, "t7"))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 30


# ------------------------------------------------------------------ a page of the evidence
def test_the_quote_stands_marked_in_what_the_judge_saw(submission: Submission) -> None:
    verdict = with_quote()
    page = text(signed_in("judge operator"), evidence(verdict))
    assert f'<mark class="quote">{verdict.quote}</mark>' in page
    assert '<mark class="seen">' in page
    shown = words(page)
    for part in (
        verdict.statement,
        "stands here 1 time",
        "https://lakes.example/brume",
        f"Verdict {verdict.pk}, page 1",
    ):
        assert part in shown
    title = page.split("<title>")[1].split("</title>")[0]
    assert verdict.statement not in title


def test_of_a_long_page_the_neighbourhood_is_shown_and_the_whole_on_demand() -> None:
    long = ". ".join(f"Filler sentence number {n} on nothing at all" for n in range(40_000))
    pages = archive({"brume": f"{long}. Lake Brume is 212 metres deep. {long}"})
    judged(
        import_set(tree_files({"brume": lake_task()}, pages=pages)), {"brume": lake_answer(212, 14, "brume")}
    )
    verdict = with_quote()
    (span,) = verdict.evidence
    assert span["truncated"]
    browser = signed_in("judge operator")
    page = text(browser, evidence(verdict))
    assert len(page) < 120_000
    assert f'<mark class="quote">{verdict.quote}</mark>' in page
    assert "characters left out" in page
    assert '<a href="?whole=1">' in page
    whole = text(browser, f"{evidence(verdict)}?whole=1")
    assert len(whole) > 1_900_000
    assert "characters left out" not in whole
    assert '<a href="?">' in whole


def test_a_quote_that_is_not_there_and_a_page_that_was_not_shown_are_told(submission: Submission) -> None:
    verdict = with_quote()
    browser = signed_in("judge operator")
    Verdict.objects.filter(pk=verdict.pk).update(quote="nothing of the kind")
    assert "does not stand here" in text(browser, evidence(verdict))
    bare = [{**verdict.evidence[0], "ranges": [], "finding": None}]
    Verdict.objects.filter(pk=verdict.pk).update(quote="", evidence=bare)
    shown = text(browser, evidence(verdict))
    assert "has no quote" in shown
    assert "shown nothing of it" in shown


def test_what_was_not_captured_or_is_lost_or_is_not_there(submission: Submission) -> None:
    verdict = with_quote()
    browser = signed_in("judge operator")
    for number in (0, 2, 10**30):
        text(browser, f"/admin/judging/verdict/{verdict.pk}/pages/{number}/", 404)
    text(browser, f"/admin/judging/verdict/{10**30}/pages/1/", 404)
    snapshot = PageSnapshot.objects.get(pk=verdict.evidence[0]["snapshot"])
    default_storage.delete(blob_name(snapshot.text_sha256))
    assert "not in the blob store" in text(browser, evidence(verdict))
    for gone in (None, 10**9):
        Verdict.objects.filter(pk=verdict.pk).update(evidence=[{**verdict.evidence[0], "snapshot": gone}])
        text(browser, evidence(verdict), 404)


@pytest.mark.parametrize(
    ("role", "status"),
    [("judge operator", 200), ("validator", 403), ("task author", 403), ("set owner", 403), ("viewer", 403)],
)
def test_the_text_of_a_page_is_for_those_who_may_read_pages(
    submission: Submission, role: str, status: int
) -> None:
    text(signed_in(role), evidence(with_quote()), status)


def test_who_may_not_read_pages_is_not_led_to_them(submission: Submission) -> None:
    address = evidence(with_quote())
    assert address in text(signed_in("judge operator"), tree_page(submission, "brume"))
    assert address not in text(signed_in("validator"), tree_page(submission, "brume"))


def test_a_page_without_text_says_so(submission: Submission) -> None:
    verdict = with_quote()
    PageSnapshot.objects.filter(pk=verdict.evidence[0]["snapshot"]).update(verdict="empty", text_sha256="")
    assert "There is no text." in text(signed_in("judge operator"), evidence(verdict))


# ------------------------------------------------------------------ the answer
def answer_quoting() -> Verdict:
    """A verdict on an answer alone, which quotes it."""
    judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    verdict = Verdict.objects.filter(evidence=[]).earliest("pk")
    Verdict.objects.filter(pk=verdict.pk).update(quote="a glacier  carved it")
    verdict.refresh_from_db()
    return verdict


def test_a_quote_of_the_answer_stands_marked_in_the_answer() -> None:
    verdict = answer_quoting()
    address = reverse("admin:judging_verdict_answer", args=[verdict.pk])
    browser = signed_in("validator")
    assert address in text(browser, tree_page(verdict.answer.submission, "report"))
    page = text(browser, address)
    assert '<mark class="quote">a glacier carved it</mark>' in page
    assert "Text of the answer" in page
    assert verdict.statement not in page.split("<title>")[1].split("</title>")[0]
    Verdict.objects.filter(pk=verdict.pk).update(quote="")
    assert address not in text(browser, tree_page(verdict.answer.submission, "report"))


def test_of_a_long_answer_the_neighbourhood_of_the_quote_is_shown() -> None:
    verdict = answer_quoting()
    long = "x " * 400_000
    Answer.objects.filter(pk=verdict.answer_id).update(text=f"{long}a glacier carved it {long}{EVIL}")
    address = reverse("admin:judging_verdict_answer", args=[verdict.pk])
    page = text(signed_in("judge operator"), address)
    assert len(page) < 120_000
    assert '<mark class="quote">a glacier carved it</mark>' in page
    whole = text(signed_in("judge operator"), f"{address}?whole=1")
    assert len(whole) > 1_600_000
    assert EVIL not in whole


@pytest.mark.parametrize("role", ["task author", "set owner", "viewer"])
def test_the_answer_is_for_those_who_may_read_answers_and_verdicts(role: str) -> None:
    address = reverse("admin:judging_verdict_answer", args=[answer_quoting().pk])
    text(signed_in(role), address, 403)
    text(signed_in(superuser=True), f"/admin/judging/verdict/{10**9}/answer/", 404)


# ------------------------------------------------------------------ hostile text
HOSTILE = f"{EVIL}\u202egnp.exe\u2066 \ufffd </pre></mark><mark class=quote>"


def test_hostile_text_of_answers_quotes_pages_and_models_stays_text() -> None:
    pages = archive({"brume": f"Lake Brume is 212 metres deep. {HOSTILE.replace('<', '&lt;')} end"})
    made = judged(
        import_set(tree_files({"brume": lake_task()}, pages=pages)),
        {"brume": f"{HOSTILE}\n\n{lake_answer(212, 14, 'brume')}"},
    )
    PageSnapshot.objects.update(title=HOSTILE, url=HOSTILE, final_url=HOSTILE)
    verdict = with_quote()
    call = {"judge": HOSTILE, "model_served": HOSTILE, "model_asked": EVIL, "page": HOSTILE, "finding": EVIL, "code": EVIL,
            "finish_reason": EVIL, "prompt_version": EVIL, "prompt_hash": f'"{EVIL}', "parameters": {EVIL: HOSTILE, "price_table": EVIL},
            "attempts": [{"error": EVIL, "detail": HOSTILE}]}  # fmt: skip
    Verdict.objects.filter(pk=verdict.pk).update(
        quote=f"{EVIL}", statement=HOSTILE, reason=HOSTILE, record={"calls": [call]},
        evidence=[{**verdict.evidence[0], "url": HOSTILE, "source": EVIL, "relevance": EVIL, "standing": EVIL}],
    )  # fmt: skip
    browser = signed_in("judge operator")
    for address in (tree_page(made, "brume"), evidence(verdict), f"{evidence(verdict)}?whole=1"):
        page = text(browser, address)
        assert EVIL not in page
        assert "<mark class=quote>" not in page
        assert "&lt;script&gt;" in page
        assert HOSTILE not in page.split("<title>")[1].split("</title>")[0]
    assert '<mark class="quote">&lt;script&gt;' in text(browser, evidence(verdict))


def test_a_rubric_that_is_none_any_more_still_shows_the_record(endpoint: Endpoint) -> None:
    made = judged(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
    Rubric.objects.update(source={})
    page = text(signed_in("judge operator"), tree_page(made, "brume"))
    assert "2 questions · 2 calls" in page
    assert evidence(Verdict.objects.get(check_id="depth")) in page
    assert Answer.objects.get(task__key="brume", submission=made).text.splitlines()[0] in page


def test_a_page_of_a_run_leads_to_every_record(submission: Submission) -> None:
    assert tree_page(submission, "brume") in text(
        signed_in("judge operator"), page_of(JudgeRun.objects.get())
    )


def test_an_answer_that_is_being_judged_shows_what_there_is() -> None:
    made = submit(import_set(tree_files()), {"brume": lake_answer(212, 15, "brume")})
    run_jobs(made, slices=1)
    shown = words(text(signed_in("judge operator"), tree_page(made, "brume")))
    assert "not_judged" in shown
    assert "the row as stored" not in shown
