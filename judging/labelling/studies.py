"""Studies: some answers with every question about them and what the judge said, set apart from all scores."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.db import transaction
from django.db.models import Max, QuerySet

from judging.canonical import plain, storable
from judging.case import AnswerWork, Case
from judging.desk import Judgement, Memory
from judging.labelling.choosing import choose
from judging.labelling.questions import Question, questions_of
from judging.loading import load_case, load_works
from judging.models import JudgeRun, LabelStudy, StudyAnswer, StudyNode
from judging.recording import remember
from submissions.models import Answer

__all__ = ["MOST", "NameTaken", "NothingToLabel", "Opened", "fill", "make_study", "opened_runs"]

MOST = 200  # answers of one study


class NothingToLabel(Exception):
    """None of the answers was given and judged."""


class NameTaken(Exception):
    """There is a study of this name."""


def make_study(
    *, name: str, seed: int, size: int, answers: QuerySet[Answer], actor: str, now: dt.datetime
) -> LabelStudy:
    """A study of some of these answers; nobody is asked, so a check that the round left out has no verdict yet.

    :param size: answers at most; no more than ``MOST``.
    :raises NameTaken, NothingToLabel: as named.
    """
    study = _drawn(LabelStudy(name=name, seed=seed, actor=actor, created_at=now), answers, min(size, MOST))
    for opened in opened_runs(study):
        fill(study, opened, opened.memory)
    return study


@transaction.atomic
def _drawn(study: LabelStudy, answers: QuerySet[Answer], size: int) -> LabelStudy:
    """The study with its answers; their questions take longer to gather than a transaction should."""
    if LabelStudy.objects.filter(name=study.name).exists():
        raise NameTaken(study.name)
    runs = _last_runs(answers)
    given = answers.filter(given=True, submission__in=runs).exclude(text="").order_by("pk")
    submission_of = dict(given.values_list("pk", "submission_id"))
    places = [(submission, answer) for answer, submission in submission_of.items()]
    chosen = choose(places, seed=study.seed, size=size)
    if not chosen:
        raise NothingToLabel
    study.save()
    StudyAnswer.objects.bulk_create(
        StudyAnswer(study=study, answer_id=answer, run_id=runs[submission_of[answer]]) for answer in chosen
    )
    return study


def _last_runs(answers: QuerySet[Answer]) -> dict[int, int]:
    """By submission the last round that came to its end."""
    ended = JudgeRun.objects.filter(submission__in=answers.values("submission"), finished_at__isnull=False)
    last = ended.values("submission").annotate(last=Max("round")).values_list("submission", "last")
    rounds = dict(last)
    rows = ended.values_list("submission", "round", "pk").order_by("pk")
    return {submission: pk for submission, number, pk in rows if rounds[submission] == number}


class Opened:
    """A round of judging with the answers of a study that it judged."""

    def __init__(self, run: JudgeRun, answers: Sequence[int]) -> None:
        self.run = run
        self.answers = answers
        self.case: Case = replace(load_case(run, now=run.started_at), short_circuit=False)
        self.works: list[AnswerWork] = load_works(run, answers)
        self.memory: Memory = remember(run, answers)


def opened_runs(study: LabelStudy) -> Iterable[Opened]:
    """Every round of a study with the answers that the judge was not asked about besides, one after the other."""
    rows = study.answers.filter(asked_at=None).order_by("run_id", "pk")
    runs = JudgeRun.objects.filter(pk__in=rows.values("run")).select_related(
        "submission__task_set", "submission__system__team", "profile"
    )
    for run in runs.order_by("pk"):
        yield Opened(run, list(rows.filter(run=run).values_list("answer_id", flat=True)))


def fill(study: LabelStudy, opened: Opened, memory: Memory) -> None:
    """Add the questions that are not there yet, and the verdicts that were not known."""
    questions = asyncio.run(questions_of(opened.works, opened.case, memory))
    places = dict(study.answers.values_list("answer_id", "pk"))
    nodes = [_node(places[one.answer], one) for one in questions]
    with transaction.atomic():
        StudyNode.objects.bulk_create(nodes, ignore_conflicts=True)
        _tell_all(study, opened, memory)


def _tell_all(study: LabelStudy, opened: Opened, memory: Memory) -> None:
    open_ = StudyNode.objects.filter(of__study=study, of__run=opened.run, finding="").select_related("of")
    told = [node for node in open_.order_by("pk") if _tell(node, memory.judgements)]
    StudyNode.objects.bulk_update(told, ["finding", "code", "reason", "quote"])


def _node(of: int, question: Question) -> StudyNode:
    return StudyNode(
        of_id=of,
        rubric_id=question.rubric,
        check_id=storable(question.check)[:300],
        key=question.key,
        kind=question.kind,
        statement=storable(question.statement),
        additional=storable(question.additional),
        pages=plain(question.pages),
    )


def _tell(node: StudyNode, known: Mapping[tuple[int, str], Judgement]) -> bool:
    """Whether the verdict is known now."""
    found = known.get((node.of.answer_id, node.key))
    if found is None:
        return False
    node.finding, node.code = found.finding.value, found.code[:60]
    node.reason, node.quote = storable(found.reason), storable(found.quote)
    return True
