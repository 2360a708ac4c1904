"""Judge and people side by side in the admin: who sees it from when on, who decides, and what is taken along."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from judging.models import Adjudication, Label, LabelStudy, StudyNode, StudyOpening
from tests.functional.staff import EVIL, signed_in, text, words
from tests.functional.studies import a_study, at, made, opened, say, say_all
from tests.judging_factories import (
    REPORT_RIGHT,
    cascade_files,
    import_set,
    judged,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> LabelStudy:
    return a_study()


def test_nobody_sees_verdicts_or_loses_a_label_by_following_a_link(study: LabelStudy) -> None:
    StudyNode.objects.update(reason="sentinelreason", finding="refuted")
    browser = signed_in("labeller", "validator")
    say(browser, study, "supported")
    shown = text(browser, at("compare", study.pk))
    assert "your labels of this study stand as they are" in shown
    assert not [word for word in ("sentinelreason", "refuted", "Check ") if word in words(shown)]
    assert browser.get(at("export", study.pk))["Location"] == at("compare", study.pk)
    assert not StudyOpening.objects.exists()
    say(browser, study, "undecided", place=1)
    assert "sentinelreason" in opened(browser, study)
    assert "sentinelreason" in text(browser, at("compare", study.pk))
    assert browser.get(at("export", study.pk)).status_code == 200
    assert StudyOpening.objects.count() == 1


def test_judge_and_people_are_compared_check_by_check(study: LabelStudy) -> None:
    nodes = list(StudyNode.objects.order_by("pk"))
    StudyNode.objects.update(finding="supported")
    for _ in range(2):
        say_all(signed_in("labeller"), study)
    Label.objects.filter(node=nodes[0]).update(verdict="refuted")
    browser = signed_in("validator")
    shown = words(opened(browser, study))
    n = len(nodes)
    assert f"{(n - 1) / n:.3f} {n - 1} of {n}; 95 %" in shown
    assert f"People with one another 1.000 {n} of {n};" in shown
    assert f"Judge errors after adjudication {1 / n:.3f} 1 of {n};" in shown
    only = browser.get(at("compare", study.pk) + "?only=differ")
    assert [row.node for row in only.context["page"]] == [nodes[0]]
    assert f"Who is right about check {nodes[0].pk} ?" in words(only.content.decode())


def test_people_who_differ_are_counted_apart(study: LabelStudy) -> None:
    for _ in range(2):
        say_all(signed_in("labeller"), study)
    node, n = StudyNode.objects.earliest("pk"), StudyNode.objects.count()
    Label.objects.filter(pk=Label.objects.filter(node=node).latest("pk").pk).update(verdict="refuted")
    shown = words(opened(signed_in("validator"), study))
    assert "No majority 1" in shown
    assert f"People with one another {(n - 1) / n:.3f} {n - 1} of {n};" in shown


@pytest.fixture
def difference(study: LabelStudy) -> StudyNode:
    """The judge supports what a person refutes."""
    say_all(signed_in("labeller"), study)
    StudyNode.objects.update(finding="supported")
    node = StudyNode.objects.earliest("pk")
    Label.objects.filter(node=node).update(verdict="refuted")
    return node


def test_a_difference_is_decided_and_the_last_word_counts(study: LabelStudy, difference: StudyNode) -> None:
    browser = signed_in("validator")
    opened(browser, study)
    decide = at("decide", study.pk, difference.pk)
    sent = browser.post(decide + "?only=differ&page=1&x=y", {"decision": "judge", "note": EVIL})
    assert sent["Location"] == f"{at('compare', study.pk)}?only=differ&page=1#check-{difference.pk}"
    after = text(browser, at("compare", study.pk))
    assert EVIL not in after
    assert "Judge errors after adjudication 0.000 0 of" in words(after)
    browser.post(decide, {"decision": "unclear"})
    assert Adjudication.objects.count() == 2
    shown = words(text(browser, at("compare", study.pk)))
    assert "0 not looked at again, 1 unclear: they count as errors unless the judge abstained" in shown


def test_a_check_leads_back_to_where_the_comparison_was_left(
    study: LabelStudy, difference: StudyNode
) -> None:
    browser = signed_in("validator")
    way = f"{at('decide', study.pk, difference.pk)}?only=differ&amp;page=1"
    assert f'href="{way}"' in opened(browser, study, "?only=differ&page=1")
    looked = text(browser, way.replace("&amp;", "&"))
    assert difference.statement in words(looked)
    assert f"{at('compare', study.pk)}?only=differ&amp;page=1#check-{difference.pk}" in looked


@pytest.mark.parametrize("form", [{}, {"decision": "nobody"}, {"decision": "judge", "note": "x" * 2001}])
def test_a_decision_that_decides_nothing_is_told(
    study: LabelStudy, difference: StudyNode, form: dict[str, str]
) -> None:
    browser = signed_in("validator")
    opened(browser, study)
    sent = browser.post(at("decide", study.pk, difference.pk), form, follow=True)
    assert "Nothing was saved: say who is right" in sent.content.decode()
    assert not Adjudication.objects.exists()


def test_only_a_difference_that_was_opened_is_decided(study: LabelStudy, difference: StudyNode) -> None:
    browser = signed_in("validator")
    sent = browser.post(at("decide", study.pk, difference.pk), {"decision": "judge"}, follow=True)
    assert "open the comparison first" in sent.content.decode()
    opened(browser, study)
    same = StudyNode.objects.latest("pk")
    sent = browser.post(at("decide", study.pk, same.pk), {"decision": "judge"}, follow=True)
    assert "do not differ about this check" in sent.content.decode()
    assert not Adjudication.objects.exists()


def test_a_comparison_without_labels_shows_the_checks(study: LabelStudy) -> None:
    browser = signed_in("judge operator")
    shown = words(opened(browser, study))
    assert f"Checks labelled 0 of {StudyNode.objects.count()}" in shown
    assert "No difference." in words(text(browser, at("compare", study.pk) + "?only=differ"))
    assert "Who is right" not in shown


def test_long_comparisons_come_in_pages(study: LabelStudy) -> None:
    node = StudyNode.objects.earliest("pk")
    fields = {
        "of": node.of, "rubric": node.rubric, "kind": node.kind, "check_id": node.check_id, "statement": "s",
    }  # fmt: skip
    StudyNode.objects.bulk_create(StudyNode(key=f"{number:064}", **fields) for number in range(50))
    browser = signed_in("judge operator")
    assert "page 1 of 2 · Next" in words(opened(browser, study))
    last = text(browser, at("compare", study.pk) + "?page=2")
    assert "Previous · page 2 of 2" in words(last)
    assert (
        f"{at('decide', study.pk, StudyNode.objects.order_by('of', 'check_id', 'pk').reverse()[0].pk)}?page=2"
        in last
    )


def test_labels_come_out_as_calibrate_reads_them(study: LabelStudy, tmp_path: Path) -> None:
    browser = signed_in("labeller", "validator")
    say_all(browser, study)
    nodes = list(StudyNode.objects.order_by("pk"))
    Label.objects.filter(node=nodes[-1]).update(verdict="cannot_tell")
    differs = next(node for node in nodes if node.finding not in {"supported", "not_assessed", ""})
    opened(browser, study)
    browser.post(at("decide", study.pk, differs.pk), {"decision": "judge"})
    sent = browser.get(at("export", study.pk))
    lines = [json.loads(line) for line in sent.content.decode().splitlines()]
    assert [line["id"] for line in lines] == [f"check-{node.pk}" for node in nodes[:-1]]
    assert [line["id"] for line in lines if line.get("adjudicated")] == [f"check-{differs.pk}"]
    assert sent["Content-Disposition"] == f'attachment; filename="study-{study.pk}.jsonl"'
    file = tmp_path / "labels.jsonl"
    out = StringIO()
    call_command("label_study", "export", "first", str(file), stdout=out)
    assert out.getvalue() == f"study {study.pk}: {len(lines)} label\n"
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
    study = made(signed_in("judge operator"), reports)
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
