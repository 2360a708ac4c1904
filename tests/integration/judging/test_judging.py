"""Submissions from finalizing to their scores, in this process, judged offline; every score worked out by hand."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

from judging.models import CitedPage, JudgeRun, PageSnapshot
from judging.rounds import rejudge
from submissions.models import OrganisationDomain, Submission, TaskSet
from tests.factories import make_system, make_team
from tests.judging_factories import (
    REPORT_RIGHT,
    SITE,
    answer_of,
    archive,
    cascade_files,
    dead,
    findings,
    import_set,
    judged,
    lake_answer,
    lake_task,
    run_jobs,
    scores_of,
    submit,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

RIGHT = lake_answer(212, 14, "brume")
BOTH = {"brume": RIGHT, "sallow": lake_answer(48, 5, "sallow")}


def states(submission: Submission) -> list[str]:
    return [event.to_state for event in submission.events.order_by("id")]


def later(monkeypatch: pytest.MonkeyPatch, days: float) -> dt.datetime:
    """Rounds that open from now on do so in some days."""
    now = dt.datetime.now(dt.UTC) + dt.timedelta(days=days)
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    return now


# ------------------------------------------------------------------ whole submissions
def test_a_tree_submission_goes_from_queue_to_scores() -> None:
    submission = submit(import_set(tree_files()), {"brume": RIGHT, "sallow": lake_answer(48, 6, "sallow")})
    assert run_jobs(submission) == ["collect: done", "judge: done", "score: done"]
    assert states(submission) == ["queued", "collecting", "judging", "judged"]
    # Sallow is 48 m deep, which earns one of two points; it is 5 km long, not 6.
    assert scores_of(submission) == {"brume": 1.0, "sallow": 0.5}
    assert findings(submission) == {
        "brume/given": "supported",
        "brume/depth": "supported",
        "brume/length": "supported",
        "sallow/given": "supported",
        "sallow/depth": "supported",
        "sallow/length": "refuted",
    }
    summary = submission.summary
    assert summary is not None
    # (1 + ½) / 2; one of two perfect; all six checks judged; one of four cited claims unsupported.
    assert (summary["partial_completion"], summary["success_rate"]) == (0.75, 0.5)
    assert (summary["coverage"], submission.coverage, summary["answers"]) == (1.0, 1.0, 2)
    assert (summary["reference_ratio"], summary["reference_support"]) == (1.0, 0.75)
    assert summary["hallucination_rate"] == 0.5
    assert submission.incomplete_reasons == []


def test_a_cascade_submission_goes_from_queue_to_scores() -> None:
    submission = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    assert submission.state == Submission.State.JUDGED
    assert findings(submission) == {
        "report/depth/states-depth": "supported",
        "report/depth/depth-facts/1": "supported",
        "report/depth/depth-facts/2": "supported",
        "report/depth/why": "supported",
        "report/law/names-act": "supported",
        "report/law/law-facts/1": "supported",
    }
    answer = answer_of(submission, "report")
    assert (answer.score, answer.user_pref, answer.coverage) == (1.0, 4, 1.0)
    assert submission.summary is not None
    assert (submission.summary["user_pref"], submission.summary["reference_support"]) == (4.0, 1.0)


def test_a_cascade_loses_what_its_facts_lose() -> None:
    wrong = REPORT_RIGHT.replace("14 kilometres", "41 kilometres").replace(
        "of 1968 forbids", "of 1986 forbids"
    )
    submission = judged(import_set(cascade_files()), {"report": wrong})
    found = findings(submission)
    assert found["report/depth/depth-facts/2"] == "refuted"
    assert found["report/law/names-act"] == "refuted"
    # P0: 1 · mean(½, 1) = ¾, weak. P1: its instruction fails, 0. O = (1 · ¾ + ½ · 0) / 1½ = ½; a weak P0 is a 2.
    answer = answer_of(submission, "report")
    assert (answer.score, answer.user_pref) == (0.5, 2)


def test_blank_answers_count_and_cost_nothing() -> None:
    submission = judged(import_set(tree_files(runs=2)), {"brume": [RIGHT, RIGHT]})
    assert scores_of(submission) == {"brume": 1.0, "brume#2": 1.0, "sallow": 0.0, "sallow#2": 0.0}
    assert submission.summary is not None
    assert (submission.summary["partial_completion"], submission.summary["answers"]) == (0.5, 2)
    assert submission.summary["pass_at"] == {"1": 0.5, "2": 0.5}


def test_an_answer_that_gives_up_is_zero_and_no_hallucination() -> None:
    submission = judged(import_set(tree_files()), {"brume": lake_answer(None, None)})
    assert findings(submission)["brume/given"] == "refuted"
    assert submission.summary is not None
    assert (scores_of(submission)["brume"], submission.summary["hallucination_rate"]) == (0.0, 0.0)


def test_a_dev_set_gives_feedback_and_a_test_set_none() -> None:
    dev = judged(import_set(tree_files()), BOTH)
    assert answer_of(dev, "brume").feedback is not None
    test_set = import_set(
        tree_files(slug="held", split="test", delivery="open", delivery_reason="for this test")
    )
    held = judged(test_set, BOTH)
    assert answer_of(held, "brume").feedback is None
    assert scores_of(held) == scores_of(dev)
    assert JudgeRun.objects.get(submission=held).short_circuit
    assert not JudgeRun.objects.get(submission=dev).short_circuit


def test_scores_come_with_where_they_come_from() -> None:
    task_set = import_set(cascade_files())
    submission = judged(task_set, {"report": REPORT_RIGHT})
    run = JudgeRun.objects.get(submission=submission)
    provenance = submission.provenance
    assert provenance is not None
    assert {
        name: provenance[name] for name in ("judge", "profile", "round", "offline", "judged_in_full")
    } == {
        "judge": "lexical",
        "profile": "lexical/1",
        "round": 1,
        "offline": True,
        "judged_in_full": True,
    }
    assert (provenance["task_set"], provenance["task_set_hash"]) == ("reports/1.0", task_set.content_hash)
    assert (provenance["scoring_profile"], provenance["pages"]) == ("cascade/1", {"ok": 2})
    assert run.finished_at is not None
    assert (run.calls, provenance["profile_hash"]) == (0, run.profile.content_hash)


# ------------------------------------------------------------------ pages
PAGES: list[tuple[str, float | None, str, str, str]] = [
    # page cited, score, finding of the depth, its code, state
    ("brume", 1.0, "supported", "", "judged"),
    ("gone", 0.0, "undecided", "page_dead", "judged"),
    ("nowhere", 0.0, "undecided", "page_dead", "judged"),
    ("unsure", None, "error", "page_retry", "incomplete"),
    ("blocked", None, "not_assessed", "page_blocked", "incomplete"),
    # The archive met the wall long ago; the submission meets it now.
    ("long-blocked", None, "not_assessed", "page_blocked", "incomplete"),
    ("not-in-the-archive", None, "error", "page_retry", "incomplete"),
    ("https://999.999.999.999/", 0.0, "undecided", "page_dead", "judged"),
]


@pytest.mark.parametrize(("page", "score", "finding", "code", "state"), PAGES)
def test_a_page_counts_as_the_table_says(
    page: str, score: float | None, finding: str, code: str, state: str
) -> None:
    submission = judged(import_set(tree_files({"brume": lake_task()})), {"brume": lake_answer(212, 14, page)})
    assert submission.state == state
    assert scores_of(submission) == {"brume": score}
    verdict = submission.judge_runs.get().verdicts.get(check_id="depth")
    assert (verdict.finding, verdict.code) == (finding, code)
    assert verdict.error_class == ("attribution.invalid" if code == "page_dead" else "")


def test_incomplete_says_why_and_shows_what_is_known() -> None:
    submission = judged(import_set(tree_files()), {**BOTH, "brume": lake_answer(212, 14, "missing")})
    assert submission.incomplete_reasons == ["score_unknown", "errors_left", "coverage_low"]
    assert submission.state_reason == "checks_missing"
    assert scores_of(submission) == {"brume": None, "sallow": 1.0}
    assert submission.summary is not None
    # The root of Brume lies between 0 and 1, that of Sallow is 1.
    assert submission.summary["partial_completion"] is None
    assert (submission.summary["partial_completion_low"], submission.summary["partial_completion_high"]) == (
        0.5,
        1.0,
    )


def test_in_archive_mode_no_socket_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    task_set = import_set(tree_files())

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("nothing may be fetched")

    monkeypatch.setattr("judging.collecting.capture_many", refuse)
    submission = judged(
        task_set, {"brume": lake_answer(212, 14, "missing", "brume"), "sallow": BOTH["sallow"]}
    )
    assert scores_of(submission) == {"brume": 1.0, "sallow": 1.0}


@pytest.mark.parametrize("age", [0, 400])
def test_what_blocked_us_settles_two_weeks_after_it_was_cited(
    monkeypatch: pytest.MonkeyPatch, age: int
) -> None:
    now = dt.datetime.now(dt.UTC)
    met = now - dt.timedelta(days=age)
    wall = dead("wall", "login_wall", status=200, fetched_at=met.isoformat())
    task_set = import_set(tree_files({"brume": lake_task()}, pages=archive({}, wall)))
    submission = judged(task_set, {"brume": lake_answer(212, 14, "wall")})
    assert (submission.state, scores_of(submission)) == ("incomplete", {"brume": None})
    later(monkeypatch, 13.9)
    rejudge(submission, actor="test", now=now + dt.timedelta(days=13.9))
    run_jobs(submission)
    assert submission.state == "incomplete"
    later(monkeypatch, 14.1)
    rejudge(submission, actor="test", now=now + dt.timedelta(days=14.1))
    run_jobs(submission)
    assert (submission.state, scores_of(submission)) == ("judged", {"brume": 0.0})
    assert findings(submission)["brume/depth"] == "undecided"


def test_a_page_on_the_teams_own_domain_decides_nothing() -> None:
    system = make_system(make_team())
    organisation = system.team.organisation
    OrganisationDomain.objects.create(
        organisation=organisation, name="Lakes.example", verified_at=dt.datetime.now(dt.UTC)
    )
    task_set = import_set(tree_files())
    submission = judged(task_set, BOTH, system=system)
    assert scores_of(submission) == {"brume": 0.0, "sallow": 0.0}
    assert scores_of(judged(task_set, BOTH)) == {"brume": 1.0, "sallow": 1.0}


def test_a_domain_that_nobody_verified_is_not_the_teams_own() -> None:
    system = make_system(make_team())
    OrganisationDomain.objects.create(organisation=system.team.organisation, name="lakes.example")
    assert scores_of(judged(import_set(tree_files()), BOTH, system=system)) == {"brume": 1.0, "sallow": 1.0}


def test_every_citation_keeps_its_snapshot_when_judged_again() -> None:
    task_set = import_set(tree_files())
    submission = judged(task_set, BOTH)
    taken = list(
        CitedPage.objects.filter(submission=submission).order_by("pk").values_list("url", "snapshot")
    )
    assert [url for url, _ in taken] == [f"{SITE}/brume", f"{SITE}/sallow"]
    newer = PageSnapshot.objects.get(page__url=f"{SITE}/brume")
    newer.pk, newer.number, newer.verdict, newer.text_sha256 = None, 2, "not_found", ""
    newer.save()
    rejudge(submission, actor="test", now=dt.datetime.now(dt.UTC))
    run_jobs(submission)
    assert (
        list(CitedPage.objects.filter(submission=submission).order_by("pk").values_list("url", "snapshot"))
        == taken
    )
    assert scores_of(submission) == {"brume": 1.0, "sallow": 1.0}


def test_an_archive_serves_its_own_set_alone() -> None:
    import_set(tree_files())
    other = import_set(tree_files(slug="others", pages=archive({"sallow": "Nothing here."})))
    submission = judged(other, BOTH)
    assert findings(submission)["brume/depth"] == "error"


# ------------------------------------------------------------------ fairness
def test_swapping_two_systems_answers_swaps_their_scores() -> None:
    task_set = import_set(cascade_files())
    wrong = REPORT_RIGHT.replace("212", "221")
    first, second = make_system(make_team()), make_system(make_team())
    before = [
        judged(task_set, {"report": text}, system=one)
        for one, text in ((first, REPORT_RIGHT), (second, wrong))
    ]
    after = [
        judged(task_set, {"report": text}, system=one)
        for one, text in ((first, wrong), (second, REPORT_RIGHT))
    ]
    told = [
        (answer.score, answer.user_pref, answer.metrics)
        for answer in (answer_of(one, "report") for one in before)
    ]
    swapped = [
        (answer.score, answer.user_pref, answer.metrics)
        for answer in (answer_of(one, "report") for one in after)
    ]
    assert told == swapped[::-1]
    assert told[0] != told[1]


@pytest.mark.parametrize("seed", range(3))
def test_neither_order_nor_shards_nor_calls_in_flight_change_a_score(seed: int, settings: Any) -> None:
    chance = random.Random(seed)
    tasks = {f"t{n}": lake_task() for n in range(5)}
    answers = {
        f"t{n}": lake_answer(chance.choice([212, 221]), chance.choice([14, 41]), "brume") for n in range(5)
    }
    task_set = import_set(tree_files(tasks, runs=2))
    plain = judged(task_set, {key: [text, text] for key, text in answers.items()})
    settings.EVALSERVICE = {
        **settings.EVALSERVICE,
        "SHARD_ANSWERS": chance.choice([1, 3, 4]),
        "MODEL": {**settings.EVALSERVICE["MODEL"], "in_flight": chance.choice([1, 2])},
    }
    shuffled = list(answers)
    chance.shuffle(shuffled)
    sharded = judged(task_set, {key: [answers[key]] * 2 for key in shuffled})
    assert sharded.jobs.filter(kind="judge").count() > 1
    assert scores_of(sharded) == scores_of(plain)
    assert sharded.summary == plain.summary


def test_a_score_depends_on_the_split_in_nothing() -> None:
    files = tree_files(split="test", delivery="open", delivery_reason="for this test")
    assert scores_of(judged(import_set(files), {"brume": lake_answer(221, 14, "brume")})) == {
        "brume": 0.5,
        "sallow": 0.0,
    }
    assert TaskSet.objects.get().split == "test"
