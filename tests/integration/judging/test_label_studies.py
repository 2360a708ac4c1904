"""Studies: what is drawn, what the judge is asked besides, and what never changes by it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from judging.desk import Memory
from judging.labelling.comparing import compared
from judging.labelling.exporting import exported
from judging.labelling.questions import questions_of
from judging.labelling.showing import shown_of
from judging.labelling.studies import NameTaken, NothingToLabel, _named, fill, make_study, opened_runs
from judging.models import LabelStudy, Spending, StudyNode
from judging.pages.store import read_text
from submissions.models import Answer, OrganisationDomain
from tests.endpoint import Endpoint
from tests.factories import make_system, make_team
from tests.integration.judging.modelled import BOTH, changed
from tests.integration.judging.studied import (
    HELD,
    WRONG,
    break_rubric,
    command,
    findings,
    kept,
    labelled,
    studied,
)
from tests.integration.judging.test_judging_by_pictures import judged_by_pictures
from tests.judging_factories import (
    cascade_files,
    import_set,
    judged,
    lake_answer,
    model_judges,
    tree_files,
)
from tests.provider import SearchProvider, hit
from tests.searched import ANSWER, law, searched_files

pytestmark = pytest.mark.django_db(transaction=True)


# ------------------------------------------------------------------ what is in a study
def test_a_check_that_the_round_left_out_is_asked_about_all_the_same() -> None:
    submission = judged(import_set(tree_files(**HELD)), WRONG)
    study = studied(submission)
    full = judged(import_set(tree_files()), WRONG)
    assert {check for _, check in findings(study)} == {
        check for _, check in findings(studied(full, name="f"))
    }
    assert "" in findings(study).values()
    assert "" not in findings(LabelStudy.objects.get(name="f")).values()


def test_blank_answers_and_unfinished_rounds_are_in_no_study() -> None:
    submission = judged(import_set(tree_files()), {"brume": BOTH["brume"]})
    assert studied(submission).answers.count() == 1
    submission.judge_runs.update(finished_at=None)
    with pytest.raises(NothingToLabel):
        studied(submission, name="none")
    assert LabelStudy.objects.count() == 1


def test_a_study_is_held_against_the_last_round_that_ended() -> None:
    from judging.rounds import rejudge
    from tests.judging_factories import run_jobs

    submission = judged(import_set(tree_files()), BOTH)
    rejudge(submission, actor="test", now=timezone.now())
    assert {one.run.round for one in studied(submission).answers.select_related("run")} == {1}
    run_jobs(submission)
    assert {one.run.round for one in studied(submission, name="n").answers.select_related("run")} == {2}


def test_a_claim_with_several_pages_shows_all_of_them_in_the_order_of_their_addresses() -> None:
    answer = lake_answer(212, 14, "brume", "sallow")
    study = studied(judged(import_set(tree_files()), {"brume": answer}))
    pages = [[page["url"] for page in node.pages] for node in StudyNode.objects.filter(of__study=study)]
    assert max(map(len, pages)) == 2
    assert all(urls == sorted(urls) for urls in pages)


def test_of_what_was_never_read_out_nothing_is_asked() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    (opened,) = opened_runs(study)
    assert asyncio.run(questions_of(opened.works, opened.case, opened.memory)) != []
    assert asyncio.run(questions_of(opened.works, opened.case, Memory())) == []


def test_checks_that_share_a_call_are_put_to_people_one_by_one() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    (opened,) = opened_runs(study)
    alone, together = (
        asyncio.run(questions_of(opened.works, replace(opened.case, group_claims=number), opened.memory))
        for number in (1, 3)
    )
    shown = [
        sorted((one.answer, one.check, one.statement, str(one.pages)) for one in some)
        for some in (alone, together)
    ]
    assert shown[0] == shown[1] != []


def test_equal_answers_have_their_own_checks() -> None:
    both = {"brume": BOTH["brume"], "sallow": BOTH["brume"]}
    study = studied(judged(import_set(tree_files()), both))
    assert StudyNode.objects.values("of").distinct().count() == study.answers.count() == 2


def test_a_rubric_that_is_no_longer_valid_is_left_out_and_named() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    task = break_rubric("brume")
    answers = Answer.objects.filter(submission=submission)
    study, broken = make_study(name="s", seed=1, size=9, answers=answers, actor="t", now=timezone.now())
    assert broken == [task]
    assert [one.answer.task.key for one in study.answers.all()] == ["sallow"]
    assert findings(study)


def test_a_study_of_nothing_but_broken_rubrics_leaves_its_name_free() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    for key in BOTH:
        break_rubric(key)
    with pytest.raises(NothingToLabel):
        studied(submission)
    assert not LabelStudy.objects.exists()


def test_a_rubric_that_broke_later_keeps_nobody_from_asking_the_rest() -> None:
    study = studied(judged(import_set(tree_files(**HELD)), WRONG))
    task = break_rubric("brume")
    err = StringIO()
    call_command("label_study", "judge", "s", stdout=StringIO(), stderr=err)
    assert f"1 answer; left out, the rubric is no longer valid: {task}" in err.getvalue()
    assert set(study.answers.filter(asked_at=None).values_list("answer__task__public_id", flat=True)) == {
        task
    }


def test_a_name_is_taken_once() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    first = studied(submission)
    with pytest.raises(NameTaken):
        studied(submission)
    with pytest.raises(NameTaken):  # somebody was faster
        _named(LabelStudy(name="s", seed=1, actor="t", created_at=timezone.now()))
    assert list(LabelStudy.objects.all()) == [first]


def test_filling_a_study_again_adds_nothing() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    before = list(StudyNode.objects.order_by("pk").values())
    (opened,) = opened_runs(study)
    fill(study, opened, opened.memory)
    assert list(StudyNode.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(("screenshot", "checks"), [("always", 0), ("never", 1)])
def test_what_rests_on_a_picture_is_not_put_to_people(screenshot: str, checks: int) -> None:
    study = studied(judged_by_pictures(screenshot=screenshot))
    assert len(findings(study)) == checks


@pytest.mark.usefixtures("provider")
def test_of_a_search_people_and_files_get_what_the_judge_was_shown(provider: SearchProvider) -> None:
    system = make_system(make_team())
    OrganisationDomain.objects.create(
        organisation=system.team.organisation, name="copy.example", verified_at=timezone.now()
    )
    own = hit("Mine", "https://copy.example/1", f"sentinelself. {ANSWER}"[:2000], "2026-05-01")
    provider.found = lambda query: [*law(query), own] if law(query) else []
    study = studied(judged(import_set(searched_files()), {"report": ANSWER}, system=system))
    labelled(study, "supported")
    (node,) = [one for one in StudyNode.objects.all() if "search:" in str(one.pages)]
    (page,) = node.pages
    assert "sentinelself" in read_text(page["sha256"])
    told = next(
        line for line in map(json.loads, exported(compared(study))) if line["id"] == f"check-{node.pk}"
    )
    assert "sentinelself" not in told["page"]["text"]
    assert "https://law.example/1968" in told["page"]["text"]
    assert told["page"]["text"] == shown_of(page)


# ------------------------------------------------------------------ asking the rest
def test_the_rest_is_asked_and_nothing_that_scores_rest_on_changes() -> None:
    study = studied(judged(import_set(tree_files(**HELD)), WRONG))
    before, known = kept(), findings(study)
    told = command("judge", "s")
    assert told == f"study {study.pk}: {len(known)} checks, 0 without a verdict\n"
    after = findings(study)
    assert "" not in after.values()
    assert {key: after[key] for key, finding in known.items() if finding} == {
        k: f for k, f in known.items() if f
    }
    assert kept() == before
    full = studied(judged(import_set(tree_files()), WRONG), name="full")
    assert sorted(after.values()) == sorted(findings(full).values())


def test_a_gate_that_was_shut_hides_no_claims_for_ever() -> None:
    bad = "Nothing of what was asked."
    study = studied(judged(import_set(cascade_files(**HELD)), {"report": bad}))
    full = studied(judged(import_set(cascade_files()), {"report": bad}), name="full")
    command("judge", str(study.pk))
    assert sorted(c for _, c in findings(study)) == sorted(c for _, c in findings(full))
    assert "" not in findings(study).values()


def test_only_what_has_no_verdict_is_asked_and_it_is_charged(endpoint: Endpoint, settings: Any) -> None:
    model_judges(settings, endpoint.base_url)
    study = studied(judged(import_set(tree_files(**HELD)), WRONG))
    before, asked = kept(), endpoint.calls
    open_ = sum(not finding for finding in findings(study).values())
    command("judge", "s")
    assert endpoint.calls - asked > 0
    assert Spending.objects.get(run=None).calls == endpoint.calls - asked
    assert open_ > 0
    assert "" not in findings(study).values()
    assert kept() == before
    now = endpoint.calls
    command("judge", "s")
    assert endpoint.calls == now


def test_a_judge_that_does_not_answer_is_told(endpoint: Endpoint, settings: Any) -> None:
    model_judges(settings, endpoint.base_url)
    studied(judged(import_set(tree_files(**HELD)), WRONG))
    endpoint.script.always = "insufficient_quota"
    with pytest.raises(CommandError, match=r"does not answer: quota"):
        command("judge", "s")
    changed(settings, BUDGET={**settings.EVALSERVICE["BUDGET"], "day_tokens": 1})
    with pytest.raises(CommandError, match="go on tomorrow"):
        command("judge", "s")
