"""Giving labels: whose turn is which check, what may still be changed, and who has seen the judge's verdicts.

What may be said is decided here, under a lock, whoever asks.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import cast

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from judging.canonical import storable
from judging.labelling.choosing import shuffled
from judging.labelling.comparing import differs
from judging.models import Adjudication, Label, LabelStudy, StudyNode, StudyOpening
from judging.models.labels import NOTE

__all__ = [
    "Frozen",
    "NotAsked",
    "NothingToDecide",
    "Person",
    "Turns",
    "Unopened",
    "adjudicate",
    "give_label",
    "has_opened",
    "open_study",
    "turns_of",
]

Person = AbstractBaseUser | AnonymousUser


class Frozen(Exception):
    """This person has seen the judge's verdict of the check: a label would not be blind."""


class NotAsked(Exception):
    """The study does not put this check to this person."""


class Unopened(Exception):
    """This person has not seen both sides."""


class NothingToDecide(Exception):
    """Judge and people do not differ about the check."""


@dataclass(frozen=True, slots=True)
class Turns:
    """The checks of a study in one person's order, and which of them have a label of that person's."""

    nodes: tuple[int, ...]
    done: frozenset[int]

    @property
    def finished(self) -> bool:
        """Whether nothing is left to label."""
        return self.done.issuperset(self.nodes)

    def next_after(self, place: int) -> int | None:
        """The place (from 1) of the next check without a label behind ``place``, else the first of all; None: all done."""
        open_ = [number for number, node in enumerate(self.nodes, 1) if node not in self.done]
        return next((number for number in open_ if number > place), open_[0] if open_ else None)


def turns_of(study: LabelStudy, person: Person) -> Turns:
    """In an order of this person's own, so that no check is always the first or the last.

    What the person has seen judged in another study is left out: the same check would not be labelled blind.
    """
    nodes = StudyNode.objects.filter(of__study=study).exclude(pk__in=_seen_elsewhere(study, person))
    done = Label.objects.filter(node__of__study=study, labeller=person.pk).values_list("node", flat=True)
    order = shuffled(nodes.order_by("pk").values_list("pk", flat=True), study.seed, person.pk or 0)
    return Turns(tuple(order), frozenset(done))


def _seen_elsewhere(study: LabelStudy, person: Person) -> QuerySet[StudyNode, int]:
    """Also an equal answer's, and what another profile's judge was asked about the same one."""
    opened = StudyOpening.objects.filter(person=person.pk).exclude(study=study).values("study")
    answer = Q(of__answer=OuterRef("of__answer"), rubric=OuterRef("rubric"), check_id=OuterRef("check_id"))
    seen = StudyNode.objects.filter(Q(key=OuterRef("key")) | answer, of__study__in=opened)
    return StudyNode.objects.filter(Exists(seen), of__study=study).values_list("pk", flat=True)


def has_opened(study: LabelStudy, person: Person) -> bool:
    """Whether this person has seen the judge's verdicts of a study."""
    return StudyOpening.objects.filter(study=study, person=person.pk).exists()


@transaction.atomic
def open_study(study: LabelStudy, person: Person, *, now: dt.datetime) -> None:
    """Note that this person sees the judge's verdicts now; from here on they label nothing of it."""
    _alone(person)
    StudyOpening.objects.get_or_create(study=study, person_id=person.pk, defaults={"opened_at": now})


@transaction.atomic
def give_label(
    *, study: LabelStudy, node: int, person: Person, verdict: str, note: str, now: dt.datetime
) -> None:
    """Say something of a check, or something else than before.

    :raises Frozen: the person has opened the comparison.
    :raises NotAsked: the check is not of this study, or the person has seen it judged in another.
    """
    _alone(person)
    if has_opened(study, person):
        raise Frozen
    if node not in turns_of(study, person).nodes:
        raise NotAsked
    said = {"verdict": verdict, "note": storable(note)[:NOTE], "changed_at": now}
    Label.objects.update_or_create(
        node_id=node, labeller_id=person.pk, defaults=said, create_defaults={**said, "created_at": now}
    )


def _alone(person: Person) -> None:
    """Let the person do one thing at a time: a comparison opened meanwhile, of any study, waits or is seen."""
    get_user_model().objects.select_for_update(no_key=True).get(pk=cast("int", person.pk))


@transaction.atomic
def adjudicate(*, node: StudyNode, person: Person, decision: str, note: str, now: dt.datetime) -> None:
    """Say who is right about a check on which judge and people differ; what was said before is kept.

    :raises Unopened: the person has not opened the comparison.
    :raises NothingToDecide: judge and people say the same, or one of them nothing.
    """
    if not has_opened(node.of.study, person):
        raise Unopened
    if not differs(node):
        raise NothingToDecide
    said = {"decision": decision, "note": storable(note)[:NOTE]}
    Adjudication.objects.create(node=node, person_id=cast("int", person.pk), created_at=now, **said)
