"""Labels of a study: who may give them, what they come to, and how they leave."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError
from django.utils import timezone
from structlog.testing import capture_logs

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
    turns_of,
)
from judging.models import Adjudication, Label, LabelStudy, StudyNode
from tests.factories import make_user
from tests.integration.judging.modelled import BOTH
from tests.integration.judging.studied import (
    command,
    findings,
    kept,
    labelled,
    studied,
)
from tests.judging_factories import (
    REPORT_RIGHT,
    cascade_files,
    import_set,
    judged,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_an_equal_answer_and_another_judge_of_the_same_one_are_seen_as_well() -> None:
    task_set = import_set(tree_files())
    first, equal = judged(task_set, BOTH), judged(task_set, BOTH)
    person = make_user()
    open_study(studied(first), person, now=timezone.now())
    assert turns_of(studied(equal, name="equal"), person).nodes == ()
    for node in StudyNode.objects.filter(of__answer__submission=equal):
        StudyNode.objects.filter(pk=node.pk).update(key=f"of another profile {node.pk}")
    open_study(LabelStudy.objects.get(name="equal"), person, now=timezone.now())
    assert turns_of(studied(equal, name="again"), person).nodes == ()
    assert turns_of(studied(equal, name="anew"), make_user()).nodes != ()


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
