"""People label in the admin: what they see and what they do not, and until when."""

from __future__ import annotations

import pytest
from django.core.files.storage import default_storage

from judging.models import Label, LabelStudy, StudyNode, StudyOpening
from submissions.blobs import blob_name
from submissions.models import Submission
from tests.functional.staff import EVIL, listing, page_of, signed_in, text, words
from tests.functional.studies import a_study, at, made, opened, say, say_all
from tests.judging_factories import REPORT_RIGHT, cascade_files, import_set, judged

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> LabelStudy:
    return a_study()


def test_a_page_whose_text_is_lost_is_said_to_be(study: LabelStudy) -> None:
    node = next(node for node in StudyNode.objects.filter(of__study=study) if node.pages)
    default_storage.delete(blob_name(node.pages[0]["sha256"]))
    browser = signed_in("labeller")
    places = range(1, StudyNode.objects.filter(of__study=study).count() + 1)
    shown = [text(browser, at("place", study.pk, place)) for place in places]
    assert any("not in the blob store" in one for one in shown)


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


def test_each_person_has_an_order_of_their_own() -> None:
    reports = judged(import_set(cascade_files()), {"report": REPORT_RIGHT})
    study = made(signed_in("judge operator"), reports)

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
    opened(browser, study)
    assert StudyOpening.objects.count() == 1
    node = page.context["node"].pk
    sent = browser.post(at("place", study.pk, 1), {"verdict": "supported", "node": node}, follow=True)
    assert "your labels stand as they are" in sent.content.decode()
    assert browser.get(at("place", study.pk, 1))["Location"] == at("label", study.pk)
    assert Label.objects.filter(verdict="refuted").count() == 1
    opened(browser, study)
    assert StudyOpening.objects.count() == 1


def test_who_has_compared_may_compare_again_though_the_study_has_grown(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    say_all(browser, study)
    opened(browser, study)
    Label.objects.earliest("pk").delete()  # as if a check had joined
    assert "Judge and people" in text(browser, at("compare", study.pk))


def test_nobody_compares_before_all_own_labels_are_given(study: LabelStudy) -> None:
    browser = signed_in("labeller")
    say(browser, study, "supported")
    assert browser.get(at("compare", study.pk)).status_code == 403
    assert browser.post(at("compare", study.pk)).status_code == 403
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
    other = made(signed_in("judge operator"), Submission.objects.get(), name="second")
    browser = signed_in("labeller")
    say_all(browser, study)
    opened(browser, study)
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
    shown = opened(browser, study)
    assert EVIL not in shown
    assert "&lt;script&gt;" in shown
