"""Studies: some answers with every question about them and what the judge said, set apart from all scores."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from judging.canonical import plain, storable
from judging.case import AnswerWork, Case
from judging.desk import Judgement, Memory
from judging.labelling.choosing import choose
from judging.labelling.questions import Question, questions_of
from judging.loading import load_case, load_works
from judging.models import Adjudication, JudgeRun, Label, LabelStudy, StudyAnswer, StudyNode, StudyOpening
from judging.recording import remember
from judging.rubric import InvalidRubric
from submissions.models import Answer

__all__ = [
    "MOST",
    "Decided",
    "NameTaken",
    "NothingToLabel",
    "Opened",
    "delete_study",
    "fill",
    "make_study",
    "opened_runs",
]

MOST = 200  # answers of one study


class NothingToLabel(Exception):
    """None of the answers was given and judged."""


class Decided(Exception):
    """Somebody has decided differences of the study."""


class NameTaken(Exception):
    """There is a study of this name."""


def make_study(
    *, name: str, seed: int, size: int, answers: QuerySet[Answer], actor: str, now: dt.datetime
) -> tuple[LabelStudy, list[str]]:
    """A study of some of these answers, whole or not at all; nobody is asked, so a check that the round left out has no verdict yet.

    :param size: answers at most; no more than ``MOST``.
    :returns: the study, and the public ids of tasks whose rubric is no longer valid: their answers are left out.
    :raises NameTaken, NothingToLabel: as named.
    """
    if LabelStudy.objects.filter(name=name).exists():
        raise NameTaken(name)
    drawn = [Opened(run, chosen) for run, chosen in _drawn(answers, seed, min(size, MOST))]
    if not any(opened.works for opened in drawn):
        raise NothingToLabel
    # Gathering takes longer than a transaction should.
    asked = [(opened, _questions(opened, opened.memory)) for opened in drawn]
    study = LabelStudy(name=name, seed=seed, actor=actor, created_at=now)
    with transaction.atomic():
        _named(study)
        for opened, questions in asked:
            rows = (StudyAnswer(study=study, answer_id=work.id, run=opened.run) for work in opened.works)
            StudyAnswer.objects.bulk_create(rows)
            _write(study, opened, questions, opened.memory)
    return study, sorted({task for opened in drawn for task in opened.broken})


def _named(study: LabelStudy) -> None:
    """Take the name, unless somebody has taken it meanwhile."""
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError as error:
        raise NameTaken(study.name) from error


def _drawn(answers: QuerySet[Answer], seed: int, size: int) -> Iterator[tuple[JudgeRun, list[int]]]:
    """The rounds of the answers that were chosen, with these."""
    runs = _last_runs(answers)
    given = answers.filter(given=True, submission__in=runs).exclude(text="").order_by("pk")
    submission_of = dict(given.values_list("pk", "submission_id"))
    places = [(submission, answer) for answer, submission in submission_of.items()]
    by_run: dict[int, list[int]] = defaultdict(list)
    for answer in choose(places, seed=seed, size=size):
        by_run[runs[submission_of[answer]]].append(answer)
    for run in _with_all(JudgeRun.objects.filter(pk__in=by_run)):
        yield run, by_run[run.pk]


def _with_all(runs: QuerySet[JudgeRun]) -> QuerySet[JudgeRun]:
    return runs.select_related("submission__task_set", "submission__system__team", "profile").order_by("pk")


def _last_runs(answers: QuerySet[Answer]) -> dict[int, int]:
    """By submission the last round that came to its end."""
    ended = JudgeRun.objects.filter(submission__in=answers.values("submission"), finished_at__isnull=False)
    last = ended.values("submission").annotate(last=Max("round")).values_list("submission", "last")
    rounds = dict(last)
    rows = ended.values_list("submission", "round", "pk").order_by("pk")
    return {submission: pk for submission, number, pk in rows if rounds[submission] == number}


class Opened:
    """A round of judging with the answers of a study that it judged.

    ``broken``: public ids of tasks whose rubric does not stand up to today's rules; ``works`` is without their answers.
    """

    def __init__(self, run: JudgeRun, answers: Sequence[int]) -> None:
        self.run = run
        self.case: Case = replace(load_case(run, now=run.started_at), short_circuit=False)
        self.works, self.broken = _loaded(run, answers)
        self.answers = [work.id for work in self.works]
        self.memory: Memory = remember(run, self.answers)


def _loaded(run: JudgeRun, answers: Sequence[int]) -> tuple[list[AnswerWork], list[str]]:
    """The answers with their rubrics, and the tasks of which there is no rubric."""
    try:
        return load_works(run, answers), []
    except InvalidRubric:
        by_task: dict[str, list[int]] = defaultdict(list)
        for answer, task in Answer.objects.filter(pk__in=answers).values_list("pk", "task__public_id"):
            by_task[task].append(answer)
    works: list[AnswerWork] = []
    broken: list[str] = []
    for task, own in sorted(by_task.items()):
        try:
            works += load_works(run, own)
        except InvalidRubric:
            broken.append(task)
    return works, broken


def opened_runs(study: LabelStudy) -> Iterator[Opened]:
    """Every round of a study with the answers that the judge was not asked about besides, one after the other."""
    rows = study.answers.filter(asked_at=None).order_by("run_id", "pk")
    for run in _with_all(JudgeRun.objects.filter(pk__in=rows.values("run"))):
        yield Opened(run, list(rows.filter(run=run).values_list("answer_id", flat=True)))


def fill(study: LabelStudy, opened: Opened, memory: Memory) -> None:
    """Add the questions that are not there yet, and the verdicts that were not known; again, it adds nothing."""
    _write(study, opened, _questions(opened, memory), memory)


def _questions(opened: Opened, memory: Memory) -> list[Question]:
    return asyncio.run(questions_of(opened.works, opened.case, memory))


@transaction.atomic
def _write(study: LabelStudy, opened: Opened, questions: Iterable[Question], memory: Memory) -> None:
    places = dict(study.answers.values_list("answer_id", "pk"))
    nodes = [_node(places[one.answer], one) for one in questions]
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


@transaction.atomic
def delete_study(study: LabelStudy, *, decided: bool) -> None:
    """Delete a study with all that was said in it; nothing that scores rest on is touched.

    :param decided: also one in which differences were decided.
    :raises Decided: there are decisions, and they were to be kept.
    """
    LabelStudy.objects.select_for_update().get(pk=study.pk)
    decisions = Adjudication.objects.filter(node__of__study=study)
    if decisions.exists() and not decided:
        raise Decided
    for rows in (
        decisions,
        Label.objects.filter(node__of__study=study),
        StudyOpening.objects.filter(study=study),
        StudyNode.objects.filter(of__study=study),
        StudyAnswer.objects.filter(study=study),
        LabelStudy.objects.filter(pk=study.pk),
    ):
        rows.delete()
