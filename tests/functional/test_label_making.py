"""Studies are made and read in the admin: of what, by whom, and what their pages say."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from judging.models import LabelStudy, Rubric, StudyNode, Verdict
from submissions.models import Answer, Submission
from submissions.roles import ROLES
from tests.factories import make_user
from tests.functional.staff import listing, page_of, signed_in, text, words
from tests.functional.studies import ANSWER, a_study, at, made, opened, wrong_answer
from tests.judging_factories import (
    import_set,
    judged,
    lake_task,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> LabelStudy:
    return a_study()


@pytest.fixture
def submission() -> Submission:
    return wrong_answer()


@pytest.mark.parametrize("role", ["validator", "judge operator"])
def test_answers_and_submissions_become_studies(submission: Submission, role: str) -> None:
    browser = signed_in(role)
    answer = submission.answers.get(given=True)
    # The list of submissions is the judge operator's; a validator makes studies of answers.
    first = made(browser, submission if role == "judge operator" else answer)
    second = made(browser, answer, name="second")
    assert [list(one.answers.values_list("answer", flat=True)) for one in (first, second)] == [
        [answer.pk]
    ] * 2
    kinds = [
        list(StudyNode.objects.filter(of__study=one).values_list("check_id", "finding"))
        for one in (first, second)
    ]
    assert kinds[0] == kinds[1] != []
    known = dict(Verdict.objects.filter(answer=answer).values_list("check_id", "finding"))
    assert all(known[check] == finding for check, finding in kinds[0])


def test_what_code_decides_is_not_labelled(study: LabelStudy) -> None:
    asked = set(StudyNode.objects.values_list("check_id", flat=True))
    for row in Verdict.objects.all():
        assert (row.check_id in asked) is bool(row.record["calls"]), row.check_id


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": "first"}, "There is a study of this name."),
        ({"size": "0"}, "greater than or equal to 1"),
        ({"size": "201"}, "less than or equal to 200"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"name": ""}, "required"),
    ],
)
def test_a_study_that_cannot_be_says_why(study: LabelStudy, form: dict[str, str], told: str) -> None:
    address = f"{at('make')}?of=submission&ids={Submission.objects.get().pk}"
    browser = signed_in("validator")
    sent = browser.post(address, {"name": "another", "size": "5", "seed": "1", **form})
    assert (sent.status_code, LabelStudy.objects.count()) == (200, 1)
    assert told in sent.content.decode()


def test_answers_that_were_not_judged_make_no_study() -> None:
    drafted = judged(import_set(tree_files({"brume": lake_task()})), {"brume": ANSWER})
    drafted.judge_runs.update(finished_at=None)
    address = f"{at('make')}?of=submission&ids={drafted.pk}"
    sent = signed_in("validator").post(address, {"name": "n", "size": "5", "seed": "1"})
    assert "None of these answers was given and judged." in sent.content.decode()
    assert not LabelStudy.objects.exists()


def test_a_broken_rubric_is_named_and_the_others_make_a_study() -> None:
    both = {"brume": ANSWER, "sallow": ANSWER}
    tasks = tree_files({"brume": lake_task(), "sallow": lake_task("Sallow")})
    submission = judged(import_set(tasks), both)
    rubrics = Rubric.objects.filter(task__key="sallow")
    rubrics.update(source={"tree": {"claim": "{{ open"}}, ready={})
    address = f"{at('make')}?of=submission&ids={submission.pk}"
    form = {"name": "n", "size": "5", "seed": "1"}
    sent = signed_in("validator").post(address, form, follow=True).content.decode()
    assert ": 1 answer." in sent
    assert f"their rubric is no longer valid: {rubrics.get().task.public_id}" in sent


@pytest.mark.parametrize(
    "query", ["", "?of=answer", "?of=team&ids=1", "?of=answer&ids=x,-1,99999999999999999999"]
)
def test_nothing_picked_says_how_to_pick(query: str, submission: Submission) -> None:
    shown = text(signed_in("validator"), at("make") + query)
    assert "Pick answers or submissions" in shown


def test_too_many_rows_are_refused(submission: Submission) -> None:
    answer = submission.answers.get(given=True)
    fields = {"submission": submission, "task": answer.task, "given": True, "text": "x"}
    Answer.objects.bulk_create(Answer(run=run, **fields) for run in range(2, 202))
    action = {"action": "label_study", "_selected_action": list(Answer.objects.values_list("pk", flat=True))}
    sent = signed_in("validator").post(reverse("admin:submissions_answer_changelist"), action, follow=True)
    assert "No more than 200 rows at once." in sent.content.decode()


def test_a_validator_sees_no_list_of_submissions_to_pick_from(submission: Submission) -> None:
    assert text(signed_in("validator"), listing("submission", "submissions"), 403)
    assert "list of submissions" not in text(signed_in("validator"), at("make"))


ALL = {"label", "place", "compare", "export", "decide", "make", "list", "study"}
RIGHTS: dict[str, set[str]] = {
    "viewer": set(),
    "task author": set(),
    "labeller": {"label", "place", "list", "study"},
    "validator": {"compare", "export", "decide", "make", "list", "study"},
    "judge operator": {"compare", "export", "make", "list", "study"},
    "set owner": set(),
}


@pytest.mark.parametrize("role", ROLES)
def test_who_may_what_is_a_table(study: LabelStudy, role: str) -> None:
    browser = signed_in(role)
    node = StudyNode.objects.earliest("pk").pk
    found = {
        "label": browser.get(at("label", study.pk), follow=True).status_code,
        "place": browser.get(at("place", study.pk, 1)).status_code,
        "decide": browser.post(at("decide", study.pk, node), {"decision": "judge"}, follow=True).status_code,
        "make": browser.get(at("make")).status_code,
        "list": browser.get(listing("labelstudy")).status_code,
        "study": browser.get(page_of(study)).status_code,
        "compare": browser.get(at("compare", study.pk)).status_code,
        "export": browser.get(at("export", study.pk)).status_code,
    }
    assert {name for name, status in found.items() if status in {200, 302}} == RIGHTS[role]
    assert {status for name, status in found.items() if name not in RIGHTS[role]} <= {403}


def test_strangers_are_sent_away(study: LabelStudy) -> None:
    browser = Client()
    browser.force_login(make_user())
    node = StudyNode.objects.earliest("pk").pk
    for client in (Client(), browser):
        for address in (at("label", study.pk), at("place", study.pk, 1), at("compare", study.pk), at("make"),
                        at("decide", study.pk, node), at("export", study.pk)):  # fmt: skip
            assert client.get(address).status_code == 302
            assert client.get(address)["Location"].startswith("/admin/login/")


def test_the_right_to_label_alone_shows_no_task(study: LabelStudy) -> None:
    user = make_user(staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="add_label"))
    browser = Client()
    browser.force_login(user)
    assert browser.get(at("place", study.pk, 1)).status_code == 403


def test_a_study_that_is_not_there_is_not_found(study: LabelStudy) -> None:
    browser = signed_in("labeller", "validator")
    assert browser.get(at("label", 999)).status_code == 404
    assert browser.get(at("compare", 999)).status_code == 404
    assert browser.get(at("place", study.pk, 999)).status_code == 404
    assert browser.get(at("place", study.pk, 0)).status_code == 404
    assert browser.post(at("decide", study.pk, 999), {"decision": "judge"}).status_code == 404


def test_the_page_of_a_study_says_what_the_judge_was_not_asked(study: LabelStudy) -> None:
    assert "nobody has begun" in text(signed_in("labeller"), page_of(study))
    StudyNode.objects.update(finding="")
    assert f"label_study judge {study.pk}" in text(signed_in("labeller"), page_of(study))
    assert f"label_study judge {study.pk}" in words(opened(signed_in("validator"), study))


def test_lists_say_nothing_of_tasks(study: LabelStudy) -> None:
    shown = text(signed_in("labeller"), listing("labelstudy"))
    assert "first" in shown
    task = Answer.objects.filter(given=True).earliest("pk").task
    assert task.prompt.split("\n")[0] not in shown
    assert StudyNode.objects.earliest("pk").statement not in shown
