"""Files of labels: what people say of claims and answers, one a line as JSON. Read strictly, all faults at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from judging.calibration.lines import Line, printable
from judging.calibration.listings import Listing, read_listing
from judging.canonical import digest
from judging.scorefile.strict import parse

__all__ = ["GRADES", "InvalidLabels", "Item", "LabelFault", "LabelSet", "Page", "read_labels"]

GRADES = ("1", "2", "3", "4")
# A criterion is met or not; a page without content says nothing of a claim.
WORDS: Mapping[str, str] = {
    "supported": "supported",
    "met": "supported",
    "refuted": "refuted",
    "unmet": "refuted",
    "undecided": "undecided",
    "unclear": "undecided",
    "not_assessed": "not_assessed",
}
COMMON = ("id", "verdict", "group", "adjudicated", "clean_twin", "task", "additional")
ABOUT_PAGE = (*COMMON, "claim", "page")
ABOUT_ANSWER = (*COMMON, "claim", "criterion", "criteria", "answer", "kind")
STATEMENTS = ("criterion", "claim", "criteria")

Kind = Literal["claim", "criterion", "rationality"]
KINDS: Mapping[str, Kind] = {"claim": "claim", "criterion": "criterion", "rationality": "rationality"}


class LabelFault(NamedTuple):
    """What is wrong with a line of a file (counted from 1; 0: with the whole)."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}: line {self.line}" if self.line else self.file
        return printable(f"{place}: {self.reason}")


class InvalidLabels(Exception):
    """The files cannot be used; ``faults`` holds everything that is wrong with them."""

    def __init__(self, faults: Sequence[LabelFault]) -> None:
        super().__init__("\n".join(map(str, faults)))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as its reader had it."""

    text: str
    url: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One question to a judge and what people say of it.

    ``verdict`` is ``supported`` (of a criterion: met), ``refuted``, ``undecided`` or ``not_assessed``; of an answer that
    is graded by three criteria, each harder than the one before, ``1`` to ``4``: one more than it meets in a row.
    ``adjudicated`` is what they say after having seen the judge's verdict too, "" where nobody looked again.
    """

    id: str
    kind: Kind
    statements: tuple[str, ...]  # one; three where it is graded
    verdict: str
    task: str = ""
    additional: str = ""  # what the judge is told besides
    answer: str | None = None
    page: Page | None = None
    group: str = ""
    adjudicated: str = ""
    clean_twin: str = ""  # of a probe: the id of the same question without the attack

    @property
    def graded(self) -> bool:
        """Whether the verdict is a grade."""
        return len(self.statements) > 1

    @property
    def truth(self) -> str:
        """The last word of people."""
        return self.adjudicated or self.verdict

    @property
    def question(self) -> str:
        """SHA-256 of what is asked."""
        page = (self.page.text, self.page.url, self.page.title) if self.page else None
        return digest([self.kind, self.statements, self.task, self.additional, self.answer, page])


@dataclass(frozen=True, slots=True)
class LabelSet:
    """``sha256`` is that of the files' bytes, one after the other."""

    items: tuple[Item, ...]
    sha256: str
    listings: tuple[Listing, ...] = ()  # answers with the claims they make

    @property
    def labels(self) -> tuple[Item, ...]:
        """What agreement is counted on: all but the probes."""
        return tuple(item for item in self.items if not item.clean_twin)

    @property
    def probes(self) -> tuple[Item, ...]:
        """Questions with an attack in them."""
        return tuple(item for item in self.items if item.clean_twin)

    @property
    def protocol(self) -> str:
        """What the labels are about: ``claims`` by pages, a ``cascade``'s dimensions, or criteria of a ``rubric_tree``.

        Twins of probes are about what was attacked, which need not be what the set is about.
        """
        twins = {probe.clean_twin for probe in self.probes}
        found = [item for item in self.labels if item.id not in twins] or self.labels
        if all(item.page for item in found):
            return "claims"
        cascade = any(item.graded or item.kind == "rationality" for item in found)
        return "cascade" if cascade else "rubric_tree"


def read_labels(files: Mapping[str, bytes]) -> LabelSet:
    """The labels of some files together.

    :param files: contents by the name that faults show.
    :raises InvalidLabels: with everything that is wrong.
    """
    faults: list[LabelFault] = []
    placed: list[tuple[str, int, Item]] = []
    listed: list[tuple[str, int, Listing]] = []
    for file, raw in files.items():
        for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if line.strip():
                found, reasons = _read(line)
                faults += [LabelFault(file, number, reason) for reason in reasons]
                if isinstance(found, Listing):
                    listed.append((file, number, found))
                else:
                    placed.append((file, number, found))
    if not faults:  # what is missing from a line would only be missed again
        faults = [*_faults_together(placed), *_taken_twice(placed, listed)]
    if not placed:
        faults = [LabelFault(file, 0, "holds no label") for file in files]
    if faults:
        raise InvalidLabels(faults)
    sha256 = hashlib.sha256(b"".join(files.values())).hexdigest()
    return LabelSet(tuple(item for *_, item in placed), sha256, tuple(one for *_, one in listed))


def _read(raw: bytes) -> tuple[Item | Listing, list[str]]:
    document, faults = parse(raw)
    if faults:
        return Item("", "claim", ("",), ""), [f"{f.path}: {f.reason}" if f.path else f.reason for f in faults]
    line = Line(document)
    if "claims" in line.record:
        return read_listing(line), line.faults
    item = _about_page(line) if "page" in line.record else _about_answer(line)
    return item, line.faults


def _about_page(line: Line) -> Item:
    line.known(ABOUT_PAGE)
    page = Line(line.record["page"], path="page")
    page.known(("text", "url", "title"))
    shown = Page(
        page.text("text", blank=True), page.text("url", optional=True), page.text("title", optional=True)
    )
    line.faults += page.faults
    return Item(kind="claim", statements=(line.text("claim"),), page=shown, **_common(line, graded=False))


def _about_answer(line: Line) -> Item:
    line.known(ABOUT_ANSWER)
    given = [name for name in STATEMENTS if name in line.record]
    if len(given) != 1:
        line.fault("must have a page, or one of criterion, claim and criteria")
    name = given[0] if given else "criterion"
    statements = (
        line.texts(name, len(GRADES) - 1) if name == "criteria" else (line.text(name),) if given else ("",)
    )
    kind = line.choice("kind", KINDS, default="claim" if name == "claim" else "criterion")
    if (name == "claim") != (kind == "claim"):
        line.fault(f"kind: does not go with {name}")
    common = _common(line, graded=name == "criteria")
    return Item(kind=KINDS[kind], statements=statements, answer=line.text("answer", blank=True), **common)


def _common(line: Line, *, graded: bool) -> dict[str, Any]:
    words = {int(grade): grade for grade in GRADES} if graded else WORDS
    return {
        "id": line.text("id"),
        "verdict": line.choice("verdict", words),
        "adjudicated": line.choice("adjudicated", words, default=""),
        "group": line.text("group", optional=True),
        "clean_twin": line.text("clean_twin", optional=True),
        "task": line.text("task", optional=True),
        "additional": line.text("additional", optional=True),
    }


def _faults_together(placed: Sequence[tuple[str, int, Item]]) -> Iterator[LabelFault]:
    """What no line alone shows: names and questions that occur twice, twins that are none, two kinds of verdicts."""
    items: dict[str, Item] = {}
    asked: dict[str, str] = {}
    for file, number, item in placed:
        if item.id in items:
            yield LabelFault(file, number, f"id: {item.id!r} is given twice")
        elif item.question in asked:
            yield LabelFault(file, number, f"asks the same as {asked[item.question]!r}")
        items.setdefault(item.id, item)
        asked.setdefault(item.question, item.id)
    graded = placed[0][2].graded if placed else False
    for file, number, item in placed:
        twin = items.get(item.clean_twin)
        if item.clean_twin and (twin is None or twin.clean_twin):
            yield LabelFault(file, number, f"clean_twin: {item.clean_twin!r} is no label without an attack")
        if item.graded is not graded:
            yield LabelFault(file, number, "grades and verdicts do not go into one set")


def _taken_twice(
    placed: Sequence[tuple[str, int, Item]], listed: Sequence[tuple[str, int, Listing]]
) -> Iterator[LabelFault]:
    """Names of answers that something else has."""
    taken = {item.id for *_, item in placed}
    for file, number, one in listed:
        if one.id in taken:
            yield LabelFault(file, number, f"id: {one.id!r} is given twice")
        taken.add(one.id)
