"""Studies: what is drawn, what the judge is asked besides, and what never changes by it."""

from __future__ import annotations

import asyncio
import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.utils import timezone
from structlog.testing import capture_logs

from judging.desk import Memory
from judging.labelling.comparing import compared, figures, people_said
from judging.labelling.exporting import exported
from judging.labelling.labels import (
    Frozen,
    NotAsked,
    NothingToDecide,
    Unopened,
    adjudicate,
    give_label,
    open_study,
)
from judging.labelling.questions import questions_of
from judging.labelling.showing import shown_of
from judging.labelling.studies import NameTaken, NothingToLabel, _named, fill, make_study, opened_runs
from judging.models import Adjudication, Extraction, Label, LabelStudy, Rubric, Spending, StudyNode, Verdict
from judging.pages.store import read_text
from submissions.models import Answer, Submission
from tests.endpoint import Endpoint
from tests.factories import make_user
from tests.integration.judging.modelled import BOTH, changed
from tests.integration.judging.test_judging_by_pictures import judged_by_pictures
from tests.judging_factories import (
    REPORT_RIGHT,
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
HELD: dict[str, Any] = {
    "slug": "held",
    "split": "test",
    "delivery": "open",
    "delivery_reason": "for this test",
}
WRONG = {"brume": lake_answer(None, 14, "brume"), "sallow": BOTH["sallow"]}


def studied(*submissions: Submission, name: str = "s", size: int = 50, seed: int = 1) -> LabelStudy:
    answers = Answer.objects.filter(submission__in=submissions)
    return make_study(name=name, seed=seed, size=size, answers=answers, actor="test", now=timezone.now())[0]


def findings(study: LabelStudy) -> dict[tuple[int, str], str]:
    rows = StudyNode.objects.filter(of__study=study).values_list("of__answer", "check_id", "finding")
    return {(answer, check): finding for answer, check, finding in rows}


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("label_study", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def kept() -> list[Any]:
    """All that scores rest on."""
    rows = [list(model.objects.order_by("pk").values()) for model in (Verdict, Extraction)]
    scores = list(Answer.objects.order_by("pk").values_list("score", "metrics", "feedback"))
    return [*rows, scores, list(Submission.objects.order_by("pk").values("summary", "state", "provenance"))]


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


def test_equal_answers_have_their_own_checks() -> None:
    both = {"brume": BOTH["brume"], "sallow": BOTH["brume"]}
    study = studied(judged(import_set(tree_files()), both))
    assert StudyNode.objects.values("of").distinct().count() == study.answers.count() == 2


def break_rubric(key: str) -> str:
    """As if the rules had become stricter; the task's public id."""
    rubrics = Rubric.objects.filter(task__key=key)
    rubrics.update(source={"tree": {"claim": "{{ open"}}, ready={})
    return rubrics.earliest("pk").task.public_id


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
    own = hit("Mine", "https://copy.example/1", f"sentinelself. {ANSWER}"[:2000], "2026-05-01")
    provider.found = lambda query: [*law(query), own] if law(query) else []
    study = studied(judged(import_set(searched_files()), {"report": ANSWER}))
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


@pytest.mark.parametrize("name", ["nobody", "999", "9" * 30])
def test_an_unknown_study_is_refused(name: str) -> None:
    with pytest.raises(CommandError, match=rf"^No study {name}\.$"):
        command("judge", name)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    studied(judged(import_set(tree_files()), BOTH))
    with pytest.raises(CommandError, match=r"nowhere/labels\.jsonl: No such file"):
        command("export", "s", str(tmp_path / "nowhere" / "labels.jsonl"))


def test_an_export_is_its_owners_alone_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    labelled(study, "supported")
    file = tmp_path / "labels.jsonl"
    with capture_logs() as logs:
        command("export", "s", str(file))
    assert [line for line in logs if line["event"] == "study_exported"] == [
        {"event": "study_exported", "study": study.pk, "by": "command", "log_level": "info"}
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    whole = file.read_bytes()
    file.write_text("mine")
    with pytest.raises(CommandError, match="is there already; --force replaces it"):
        command("export", "s", str(file))
    assert file.read_text() == "mine"
    command("export", "s", str(file), "--force")
    assert file.read_bytes() == whole


# ------------------------------------------------------------------ deleting
def test_a_deleted_study_leaves_everything_else_as_it_was() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    study, other = studied(submission), studied(submission, name="other")
    for one in (study, other):
        labelled(one, "supported")
        open_study(one, make_user(), now=timezone.now())
    before, theirs = kept(), findings(other)
    assert command("delete", "s") == f"study {study.pk} is deleted\n"
    assert list(LabelStudy.objects.all()) == [other]
    assert (kept(), findings(other)) == (before, theirs)
    assert Label.objects.count() == len(theirs)


def test_a_study_with_decisions_is_deleted_by_force_alone() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    node = StudyNode.objects.earliest("pk")
    Adjudication.objects.create(node=node, person=make_user(), decision="judge", created_at=timezone.now())
    with pytest.raises(CommandError, match="has decisions on differences; --force deletes them too"):
        command("delete", str(study.pk))
    assert Adjudication.objects.exists()
    command("delete", str(study.pk), "--force")
    assert not LabelStudy.objects.exists()


# ------------------------------------------------------------------ figures and lines
@pytest.mark.parametrize(
    ("said", "people"),
    [
        ([], ""),
        (["supported"], "supported"),
        (["supported", "refuted"], ""),
        (["supported", "refuted", "refuted"], "refuted"),
        (["cannot_tell"], ""),
        (["cannot_tell", "undecided"], "undecided"),
    ],
)
def test_people_say_what_more_than_half_say(said: list[str], people: str) -> None:
    assert people_said(said) == people


def labelled(study: LabelStudy, *verdicts: str) -> None:
    """So many people, each of whom says the same of every check."""
    for verdict in verdicts:
        person = make_user()
        for node in StudyNode.objects.filter(of__study=study):
            Label.objects.create(
                node=node,
                labeller=person,
                verdict=verdict,
                created_at=timezone.now(),
                changed_at=timezone.now(),
            )


def test_people_who_differ_are_counted_and_exported_nowhere() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    labelled(study, "supported", "refuted")
    rows = compared(study)
    found = figures(rows)
    assert (found["judge"], found["people_differ"], found["people"]["agreement"]["count"]) == (
        None,
        len(rows),
        0,
    )
    assert list(exported(rows)) == []


def test_a_question_that_two_answers_share_is_exported_once() -> None:
    task_set = import_set(tree_files())
    study = studied(judged(task_set, BOTH), judged(task_set, BOTH))
    labelled(study, "supported")
    rows = compared(study)
    assert len(list(exported(rows))) == len(rows) / 2


def test_an_export_says_what_else_the_judge_was_told() -> None:
    study = studied(judged(import_set(cascade_files()), {"report": REPORT_RIGHT}))
    labelled(study, "supported")
    StudyNode.objects.update(additional="Count the islands too.")
    assert all('"additional": "Count the islands too."' in line for line in exported(compared(study)))


def test_who_has_seen_the_comparison_labels_no_more() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    person, node = make_user(), StudyNode.objects.earliest("pk")
    said: dict[str, Any] = {
        "study": study,
        "node": node.pk,
        "person": person,
        "note": "",
        "now": timezone.now(),
    }
    give_label(**said, verdict="supported")
    open_study(study, person, now=timezone.now())
    with pytest.raises(Frozen):
        give_label(**said, verdict="refuted")
    assert Label.objects.get().verdict == "supported"


def test_a_check_of_another_study_is_not_labelled_here() -> None:
    submission = judged(import_set(tree_files()), BOTH)
    study, other = studied(submission), studied(submission, name="other")
    said: dict[str, Any] = {"verdict": "supported", "note": "", "now": timezone.now()}
    theirs = StudyNode.objects.filter(of__study=other).earliest("pk").pk
    with pytest.raises(NotAsked):
        give_label(study=study, node=theirs, person=make_user(), **said)
    person = make_user()
    open_study(study, person, now=timezone.now())
    with pytest.raises(NotAsked):  # seen judged elsewhere
        give_label(study=other, node=theirs, person=person, **said)
    assert not Label.objects.exists()


def test_only_a_person_who_has_seen_both_sides_decides_a_difference() -> None:
    study = studied(judged(import_set(tree_files()), BOTH))
    node, person = StudyNode.objects.earliest("pk"), make_user()
    said: dict[str, Any] = {"node": node, "decision": "judge", "note": "", "now": timezone.now()}
    for nobody in (person, AnonymousUser()):
        with pytest.raises(Unopened):
            adjudicate(person=nobody, **said)
    open_study(study, person, now=timezone.now())
    with pytest.raises(NothingToDecide):
        adjudicate(person=person, **said)
    labelled(study, "refuted")
    StudyNode.objects.update(finding="supported")
    adjudicate(person=person, **said)
    assert Adjudication.objects.get().person == person
