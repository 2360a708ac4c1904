"""Studies: what is drawn, what the judge is asked besides, and what never changes by it."""

from __future__ import annotations

import asyncio
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.utils import timezone

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
from judging.labelling.studies import NothingToLabel, make_study, opened_runs
from judging.models import Adjudication, Extraction, Label, LabelStudy, Spending, StudyNode, Verdict
from submissions.models import Answer, Submission
from tests.endpoint import Endpoint
from tests.factories import make_user
from tests.integration.judging.modelled import BOTH, changed
from tests.judging_factories import (
    REPORT_RIGHT,
    cascade_files,
    import_set,
    judged,
    lake_answer,
    model_judges,
    tree_files,
)

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
    return make_study(name=name, seed=seed, size=size, answers=answers, actor="test", now=timezone.now())


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
