"""The judge beside people, check by check, with the figures of a calibration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from judging.calibration.asking import Answered
from judging.calibration.labels import KINDS, Item, LabelSet
from judging.calibration.report import SILENT, make_report
from judging.calibration.statistics import confusion, kappa, share
from judging.models import Adjudication, Label, LabelStudy, StudyNode

__all__ = ["Compared", "compared", "differs", "figures", "people_said"]

CANNOT_TELL = Label.Verdict.CANNOT_TELL.value


@dataclass(frozen=True, slots=True)
class Compared:
    """A check with what everybody said of it.

    ``people`` is the verdict of more than half of those who could tell, "" where there is none. ``decision`` and its
    note are the last word on a difference, "" where nobody looked again.
    """

    node: StudyNode
    labels: tuple[Label, ...]
    people: str
    decision: str = ""
    note: str = ""

    @property
    def asked(self) -> bool:
        """Whether the judge was."""
        return bool(self.node.finding)

    @property
    def both(self) -> bool:
        """Whether there is something to compare."""
        return self.asked and bool(self.people)

    @property
    def differs(self) -> bool:
        """Whether judge and people say different things."""
        return self.both and self.people != self.node.finding

    @property
    def adjudicated(self) -> str:
        """What is so after somebody looked at both; "" where that is not known."""
        if not self.differs:
            return ""
        last = {Adjudication.Decision.JUDGE: self.node.finding, Adjudication.Decision.PEOPLE: self.people}
        found = last.get(Adjudication.Decision(self.decision), "") if self.decision else ""
        return "" if found in SILENT else found


def people_said(verdicts: Iterable[str]) -> str:
    """The verdict of more than half of those who could tell; "" if there is none."""
    told = Counter(verdict for verdict in verdicts if verdict != CANNOT_TELL)
    return next((verdict for verdict, count in told.items() if 2 * count > told.total()), "")


def differs(node: StudyNode) -> bool:
    """Whether judge and people say different things of one check now."""
    return _compared(node, list(node.labels.all()), None).differs


def compared(study: LabelStudy) -> list[Compared]:
    """Every check of a study, in the order of its answers."""
    nodes = (
        StudyNode.objects.filter(of__study=study).select_related("of__answer__task").defer("of__answer__text")
    )
    labels: dict[int, list[Label]] = defaultdict(list)
    for label in (
        Label.objects.filter(node__of__study=study).select_related("labeller").order_by("labeller", "id")
    ):
        labels[label.node_id].append(label)
    last = {row.node_id: row for row in Adjudication.objects.filter(node__of__study=study).order_by("id")}
    return [
        _compared(node, labels[node.pk], last.get(node.pk))
        for node in nodes.order_by("of_id", "check_id", "pk")
    ]


def _compared(node: StudyNode, labels: Sequence[Label], last: Adjudication | None) -> Compared:
    people = people_said(label.verdict for label in labels)
    return Compared(node, tuple(labels), people, last.decision if last else "", last.note if last else "")


def figures(rows: Sequence[Compared]) -> dict[str, Any]:
    """How far the judge agrees with people, as a calibration states it, and people with one another.

    ``judge`` is None where nothing can be compared.
    """
    both = [row for row in rows if row.both]
    differ = [row for row in both if row.differs]
    return {
        "judge": _report(both) if both else None,
        "differ": len(differ),
        "open": sum(not row.decision for row in differ),
        "unclear": sum(row.decision == Adjudication.Decision.UNCLEAR for row in differ),
        "checks": len(rows),
        "labelled": sum(bool(row.labels) for row in rows),
        "unasked": sum(not row.asked for row in rows),
        "people_differ": sum(bool(row.labels) and not row.people for row in rows),
        "people": _people(rows),
    }


def _report(rows: Sequence[Compared]) -> dict[str, Any]:
    items = tuple(
        Item(
            str(row.node.pk),
            KINDS[row.node.kind],
            (row.node.statement,),
            row.people,
            adjudicated=row.adjudicated,
        )
        for row in rows
    )
    return make_report(
        LabelSet(items, ""), [(Answered(row.node.finding, row.node.code, ()),) for row in rows]
    )


def _people(rows: Sequence[Compared]) -> dict[str, Any]:
    """Two people on the same check, however many there are; those who could not tell are left out."""
    pairs = [
        (one.verdict, other.verdict)
        for row in rows
        for one, other in combinations(row.labels, 2)
        if CANNOT_TELL not in {one.verdict, other.verdict}
    ]
    agreed = share(sum(one == other for one, other in pairs), len(pairs))
    return {"agreement": asdict(agreed), "kappa": kappa(pairs), "confusion": confusion(pairs)}
