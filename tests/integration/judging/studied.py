"""Studies without a browser: made, labelled, and what they must not change."""

from __future__ import annotations

from io import StringIO
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from judging.labelling.studies import make_study
from judging.models import Extraction, Label, LabelStudy, Rubric, StudyNode, Verdict
from submissions.models import Answer, Submission
from tests.factories import make_user
from tests.integration.judging.modelled import BOTH
from tests.judging_factories import (
    lake_answer,
)

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


def break_rubric(key: str) -> str:
    """As if the rules had become stricter; the task's public id."""
    rubrics = Rubric.objects.filter(task__key=key)
    rubrics.update(source={"tree": {"claim": "{{ open"}}, ready={})
    return rubrics.earliest("pk").task.public_id
