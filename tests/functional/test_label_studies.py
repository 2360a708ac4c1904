"""People label in the admin: who may, what they see and what they do not, and how the judge stands beside them."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from judging.models import Adjudication, Label, LabelStudy, StudyNode, StudyOpening, Verdict
from submissions.blobs import blob_name
from submissions.models import Answer, Submission
from submissions.roles import ROLES
from tests.factories import make_user
from tests.functional.staff import EVIL, listing, page_of, signed_in, text, words
from tests.judging_factories import (
    REPORT_RIGHT,
    cascade_files,
    import_set,
    judged,
    lake_answer,
    lake_task,
    tree_files,
)

pytestmark = pytest.mark.django_db(transaction=True)

ANSWER = lake_answer(999, 14, "brume")


def at(name: str, *parts: int) -> str:
    return reverse(f"admin:judging_labelstudy_{name}", args=parts)


def made(browser: Client, *rows: Any, name: str = "first", size: int = 20, seed: int = 1) -> LabelStudy:
    """A study of these rows, by the way of their list."""
    model = rows[0]._meta.model_name
    action = {"action": "label_study", "_selected_action": [row.pk for row in rows]}
    sent = browser.post(reverse(f"admin:submissions_{model}_changelist"), action)
    assert sent.status_code == 302
    assert browser.get(sent["Location"]).status_code == 200
    done = browser.post(sent["Location"], {"name": name, "size": size, "seed": seed})
    assert done.status_code == 302, done.content.decode()
    return LabelStudy.objects.get(name=name)


def say(browser: Client, study: LabelStudy, verdict: str, *, place: int = 0, note: str = "") -> str:
    """Label a check (the next one unless its place is named); where the page goes on."""
    address = at("place", study.pk, place) if place else browser.get(at("label", study.pk))["Location"]
    node = browser.get(address).context["node"].pk
    return str(browser.post(address, {"verdict": verdict, "note": note, "node": node})["Location"])


def say_all(browser: Client, study: LabelStudy, verdict: str = "supported") -> None:
    for _ in range(StudyNode.objects.filter(of__study=study).count()):
        say(browser, study, verdict)


@pytest.fixture
def submission() -> Submission:
    """An answer that states the depth wrongly: with one check met, others not, on a page with markup in it."""
    evil = f"{ANSWER}\n{EVIL}"
    return judged(import_set(tree_files({"brume": lake_task()})), {"brume": evil})


@pytest.fixture
def study(submission: Submission) -> LabelStudy:
    return made(signed_in("validator", "judge operator"), submission)


# ------------------------------------------------------------------ making
def test_answers_and_submissions_become_studies(submission: Submission) -> None:
    browser = signed_in("validator", "judge operator")
    answer = submission.answers.get(given=True)
    first = made(browser, submission)
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


def test_a_page_whose_text_is_lost_is_said_to_be(study: LabelStudy) -> None:
    node = next(node for node in StudyNode.objects.filter(of__study=study) if node.pages)
    default_storage.delete(blob_name(node.pages[0]["sha256"]))
    browser = signed_in("labeller")
    places = range(1, StudyNode.objects.filter(of__study=study).count() + 1)
    shown = [text(browser, at("place", study.pk, place)) for place in places]
    assert any("not in the blob store" in one for one in shown)


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


@pytest.mark.parametrize(
    "query", ["", "?of=answer", "?of=team&ids=1", "?of=answer&ids=x,-1,99999999999999999999"]
)
def test_nothing_picked_says_how_to_pick(query: str, submission: Submission) -> None:
    shown = text(signed_in("validator"), at("make") + query)
    assert "Pick answers or submissions" in shown


def test_too_many_rows_are_refused(submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.admin.studies.PICKED", 0)
    browser = signed_in("validator")
    action = {"action": "label_study", "_selected_action": [submission.answers.get(given=True).pk]}
    sent = browser.post(reverse("admin:submissions_answer_changelist"), action, follow=True)
    assert "No more than 0 rows at once." in sent.content.decode()


# ------------------------------------------------------------------ rights
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
    assert {name for name, status in found.items() if status == 200} == RIGHTS[role]
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


# ------------------------------------------------------------------ labelling
def test_nothing_of_what_the_judge_said_is_on_the_pages_of_a_labeller(study: LabelStudy) -> None:
    StudyNode.objects.update(
        reason="sentinelreason", quote="sentinelquote", code="abstained", finding="refuted"
    )
    browser = signed_in("labeller")
    pages = [text(browser, at("place", study.pk, place)) for place in range(1, StudyNode.objects.count() + 1)]
    pages += [text(browser, page_of(study)), text(browser, listing("labelstudy"))]
    for page in pages:
        for word in ("sentinelreason", "sentinelquote", "abstained", "heuristic", "m-refuted", "m-supported"):
            assert word not in page
    StudyNode.objects.update(finding="supported", code="", reason="", quote="")
    again = [text(browser, at("place", study.pk, place)) for place in range(1, StudyNode.objects.count() + 1)]
    assert [words(one) for one in again] == [words(one) for one in pages[: len(again)]]


def test_what_is_asked_is_shown_with_task_answer_and_every_page_as_text(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    node = StudyNode.objects.exclude(pages=[]).earliest("pk")
    places = range(1, StudyNode.objects.count() + 1)
    (page,) = (
        one for one in (browser.get(at("place", study.pk, p)) for p in places) if one.context["node"] == node
    )
    shown = page.content.decode()
    assert EVIL not in shown
    assert "&lt;script&gt;" in shown
    for part in (node.statement, node.pages[0]["url"], node.of.answer.task.prompt.split("\n")[0]):
        assert part in words(shown)
    assert shown.count("<script") == shown.count("<script src=")  # the admin's own


def test_checks_come_one_by_one_until_all_are_done(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    count = StudyNode.objects.count()
    seen = []
    for done in range(count):
        address = browser.get(at("label", study.pk))["Location"]
        page = browser.get(address)
        assert f"Check {done + 1} of {count}" in page.content.decode()
        assert f"{done} labelled" in page.content.decode()
        seen.append(page.context["node"].pk)
        target = say(browser, study, "supported", note="as it stands" if not done else "")
    assert sorted(seen) == sorted(StudyNode.objects.values_list("pk", flat=True))
    assert target == at("label", study.pk)
    assert f"{count} of {count} labelled." in words(text(browser, target))
    assert Label.objects.exclude(note="").get().note == "as it stands"
    assert f"{count} of {count}" in words(text(browser, page_of(study)))


def test_each_person_has_an_order_of_their_own(study: LabelStudy) -> None:
    def order() -> list[int]:
        browser = signed_in("labeller")
        return [
            browser.get(at("place", study.pk, p)).context["node"].pk
            for p in range(1, StudyNode.objects.count() + 1)
        ]

    orders = [order() for _ in range(6)]
    assert len({tuple(one) for one in orders}) > 1
    assert len({tuple(sorted(one)) for one in orders}) == 1


def test_a_label_may_be_changed_until_its_giver_opens_the_comparison(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    say_all(browser, study)
    say(browser, study, "refuted", place=1)
    assert Label.objects.filter(verdict="refuted").count() == 1
    page = browser.get(at("place", study.pk, 1))
    assert page.context["form"].initial["verdict"] == "refuted"
    assert text(browser, at("compare", study.pk))
    assert StudyOpening.objects.count() == 1
    node = page.context["node"].pk
    sent = browser.post(at("place", study.pk, 1), {"verdict": "supported", "node": node}, follow=True)
    assert "your labels stand as they are" in sent.content.decode()
    assert browser.get(at("place", study.pk, 1))["Location"] == at("label", study.pk)
    assert Label.objects.filter(verdict="refuted").count() == 1
    text(browser, at("compare", study.pk))
    assert StudyOpening.objects.count() == 1


def test_nobody_compares_before_all_own_labels_are_given(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    say(browser, study, "supported")
    assert browser.get(at("compare", study.pk)).status_code == 403
    assert not StudyOpening.objects.exists()


@pytest.mark.parametrize("form", [{}, {"verdict": "yes"}, {"verdict": "supported", "note": "x" * 2001}])
def test_a_label_that_says_nothing_is_asked_for_again(study: LabelStudy, form: dict[str, str]) -> None:
    browser = signed_in("labeller")
    node = browser.get(at("place", study.pk, 1)).context["node"].pk
    assert browser.post(at("place", study.pk, 1), {**form, "node": node}).status_code == 200
    assert not Label.objects.exists()


def test_a_label_for_a_check_that_stands_elsewhere_by_now_is_not_kept(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    sent = browser.post(at("place", study.pk, 1), {"verdict": "supported", "node": 0}, follow=True)
    assert "nothing was saved" in sent.content.decode()
    assert not Label.objects.exists()


def test_what_somebody_has_seen_judged_elsewhere_is_not_put_to_them_again(study: LabelStudy) -> None:
    other = made(signed_in("validator", "judge operator"), Submission.objects.get(), name="second")
    browser = signed_in("labeller")
    say_all(browser, study)
    text(browser, at("compare", study.pk))
    shown = words(text(browser, at("label", other.pk)))
    assert "There is nothing to label in this study." in shown
    assert browser.get(at("compare", other.pk)).status_code == 403


def test_hostile_notes_are_kept_and_shown_as_text(study: LabelStudy) -> None:
    browser = signed_in("labeller", "validator")
    say(browser, study, "undecided", note=EVIL)
    again = browser.get(at("label", study.pk))["Location"]
    sent = browser.post(
        again, {"verdict": "supported", "note": "\x00", "node": browser.get(again).context["node"].pk}
    )
    assert "Null characters are not allowed" in sent.content.decode()
    shown = text(browser, at("compare", study.pk))
    assert EVIL not in shown
    assert "&lt;script&gt;" in shown


# ------------------------------------------------------------------ comparing
def test_judge_and_people_are_compared_check_by_check(study: LabelStudy) -> None:
    one, other = signed_in("labeller"), signed_in("labeller")
    nodes = list(StudyNode.objects.order_by("pk"))
    StudyNode.objects.update(finding="supported")
    say_all(one, study)
    say_all(other, study)
    Label.objects.filter(node=nodes[0]).update(verdict="refuted")
    Label.objects.filter(node=nodes[1], labeller__username__endswith="x").update(verdict="refuted")
    browser = signed_in("validator")
    shown = words(text(browser, at("compare", study.pk)))
    n = len(nodes)
    assert f"{(n - 1) / n:.3f} {n - 1} of {n}; 95 %" in shown
    assert f"People with one another 1.000 {n} of {n};" in shown
    assert f"Judge errors after adjudication {1 / n:.3f} 1 of {n};" in shown
    only = text(browser, at("compare", study.pk) + "?only=differ")
    assert [row.node for row in browser.get(at("compare", study.pk) + "?only=differ").context["page"]] == [
        nodes[0]
    ]
    assert "Who is right?" in only
    sent = browser.post(
        at("decide", study.pk, nodes[0].pk) + "?only=differ", {"decision": "judge", "note": EVIL}
    )
    assert sent["Location"].endswith(f"?only=differ#check-{nodes[0].pk}")
    after = text(browser, at("compare", study.pk))
    assert EVIL not in after
    assert f"Judge errors after adjudication 0.000 0 of {n};" in words(after)
    browser.post(at("decide", study.pk, nodes[0].pk), {"decision": "unclear"})
    browser.post(at("decide", study.pk, nodes[0].pk), {"decision": "nobody"})
    assert Adjudication.objects.count() == 2
    assert "0 not looked at again, 1 unclear" in words(text(browser, at("compare", study.pk)))
    looked = text(browser, at("decide", study.pk, nodes[0].pk))
    assert nodes[0].statement in words(looked)


def test_a_comparison_without_labels_shows_the_checks(study: LabelStudy) -> None:
    shown = words(text(signed_in("judge operator"), at("compare", study.pk)))
    assert f"Checks labelled 0 of {StudyNode.objects.count()}" in shown
    assert "No difference." in words(
        text(signed_in("judge operator"), at("compare", study.pk) + "?only=differ")
    )
    assert "Who is right?" not in shown


def test_long_comparisons_come_in_pages(study: LabelStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judging.admin.comparing.SHOWN", 1)
    browser = signed_in("judge operator")
    count = StudyNode.objects.count()
    assert f"page 1 of {count} · After" in words(text(browser, at("compare", study.pk)))
    assert f"Before · page {count} of {count}" in words(
        text(browser, at("compare", study.pk) + f"?page={count}")
    )


# ------------------------------------------------------------------ export
def test_labels_come_out_as_calibrate_reads_them(study: LabelStudy, tmp_path: Path) -> None:
    browser = signed_in("labeller", "validator")
    say_all(browser, study)
    nodes = list(StudyNode.objects.order_by("pk"))
    Label.objects.filter(node=nodes[-1]).update(verdict="cannot_tell")
    differs = next(node for node in nodes if node.finding not in {"supported", "not_assessed", ""})
    browser.post(at("decide", study.pk, differs.pk), {"decision": "judge"})
    sent = browser.get(at("export", study.pk))
    lines = [json.loads(line) for line in sent.content.decode().splitlines()]
    assert [line["id"] for line in lines] == [f"check-{node.pk}" for node in nodes[:-1]]
    assert [line["id"] for line in lines if line.get("adjudicated")] == [f"check-{differs.pk}"]
    assert sent["Content-Disposition"] == f'attachment; filename="study-{study.pk}.jsonl"'
    file = tmp_path / "labels.jsonl"
    out = StringIO()
    call_command("label_study", "export", "first", str(file), stdout=out)
    assert out.getvalue() == f"study {study.pk}: {len(lines)} labels\n"
    assert file.read_bytes() == sent.content
    shown = StringIO()
    call_command("calibrate", "current", str(file), "--json", stdout=shown, stderr=StringIO())
    found = json.loads(shown.getvalue())
    assert (found["labels"], found["judge_errors"]["adjudicated"]) == (len(lines), 1)
    # The judge says now what it said then: the questions are the same.
    wrong = [node for node in nodes[:-1] if node.finding != "supported"]
    assert len(found["disagreements"]) == len(wrong)


def test_a_cascade_is_labelled_by_its_kinds(tmp_path: Path) -> None:
    reports = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    study = made(signed_in("validator", "judge operator"), reports)
    browser = signed_in("labeller", "validator")
    assert set(StudyNode.objects.values_list("kind", flat=True)) == {"claim", "criterion", "rationality"}
    asked = set()
    for _ in range(StudyNode.objects.count()):
        page = browser.get(browser.get(at("label", study.pk))["Location"])
        asked |= {
            q
            for q in ("Is this so?", "Does the answer satisfy this?", "Does the reasoning")
            if q in page.content.decode()
        }
        say(browser, study, "supported")
    assert len(asked) == 3
    file = tmp_path / "labels.jsonl"
    call_command("label_study", "export", str(study.pk), str(file), stdout=StringIO())
    shown = StringIO()
    call_command("calibrate", "current", str(file), "--json", stdout=shown, stderr=StringIO())
    found = json.loads(shown.getvalue())
    assert found["protocol"] == "cascade"
    assert {one["id"] for one in found["disagreements"]} == {
        f"check-{node.pk}" for node in StudyNode.objects.exclude(finding="supported")
    } & {json.loads(line)["id"] for line in file.read_text().splitlines()}


def test_the_page_of_a_study_says_what_the_judge_was_not_asked(study: LabelStudy) -> None:
    assert "nobody has begun" in text(signed_in("labeller"), page_of(study))
    StudyNode.objects.update(finding="")
    assert f"label_study judge {study.pk}" in text(signed_in("labeller"), page_of(study))
    assert f"label_study judge {study.pk}" in words(text(signed_in("validator"), at("compare", study.pk)))


def test_lists_say_nothing_of_tasks(study: LabelStudy) -> None:
    shown = text(signed_in("labeller"), listing("labelstudy"))
    assert "first" in shown
    task = Answer.objects.filter(given=True).earliest("pk").task
    assert task.prompt.split("\n")[0] not in shown
    assert StudyNode.objects.earliest("pk").statement not in shown
