"""What is remembered of one answer's judging: the scoring replayed, with the row behind every verdict and reading."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from judging.bygone import pages_seen
from judging.callsheets import Sheet, read_sheet
from judging.case import AnswerWork, Case, key_or_none
from judging.desk import Desk, Judgement, Reading, settle
from judging.loading import load_case, load_works
from judging.models import Extraction, JudgeRun, Verdict
from judging.pipeline import judge_answer
from judging.recording import known_rows, remember
from judging.results import AnswerResult

__all__ = [
    "PageShown", "Record", "Replayed", "Row", "case_as_judged", "load_record", "pages_of", "replay_noted", "sheet_of",
]  # fmt: skip

Row = Verdict | Extraction
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass
class NotingDesk(Desk):
    """A desk for replaying that notes what was looked up: (answer, check or name) → key."""

    checks: dict[tuple[int, str], str] = field(default_factory=dict)
    names: dict[tuple[int, str], str] = field(default_factory=dict)

    async def judgement(
        self, *, answer: int, rubric: int, check: str, key: str, decide: Callable[[], Awaitable[Judgement]]
    ) -> Judgement:
        """What is remembered."""
        self.checks[answer, check] = self.memory.stored.get((answer, key), key)
        return await super().judgement(answer=answer, rubric=rubric, check=check, key=key, decide=decide)

    async def reading(
        self, *, answer: int, name: str, key: str, decide: Callable[[], Awaitable[Reading]]
    ) -> Reading:
        """What is remembered."""
        self.names[answer, name] = key
        return await super().reading(answer=answer, name=name, key=key, decide=decide)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The results of some answers, in their order, and the keys they rest on, by (answer, check or name)."""

    results: list[AnswerResult]
    checks: Mapping[tuple[int, str], str]
    names: Mapping[tuple[int, str], str]


def replay_noted(run: JudgeRun, works: Sequence[AnswerWork], case: Case) -> Replayed:
    """Score these answers of a run again, as its scoring saw them. Nothing is asked."""
    desk = NotingDesk(remember(run, [work.id for work in works]))

    async def replay() -> list[AnswerResult]:
        return await settle(judge_answer(work, case, desk) for work in works)

    return Replayed(asyncio.run(replay()), desk.checks, desk.names)


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one answer with the rows it rests on: verdicts by check, readings by name."""

    result: AnswerResult
    verdicts: Mapping[str, Verdict]
    readings: Mapping[str, Extraction]


def load_record(run: JudgeRun, answer: int) -> Record:
    """All that is remembered of one answer.

    :raises judging.rubric.InvalidRubric: its rubric is no longer valid.
    """
    case = case_as_judged(run, answer=answer)
    found = replay_noted(run, load_works(run, [answer]), case)
    return Record(
        found.results[0],
        _by_name(run, Verdict, answer, found.checks),
        _by_name(run, Extraction, answer, found.names),
    )


def case_as_judged(run: JudgeRun, *, answer: int | None = None) -> Case:
    """What the answers of a run share, with the pages as it saw them once it has ended.

    :param answer: only what this answer was held against must be right.
    """
    case = load_case(run, now=run.started_at)
    return case if run.finished_at is None else replace(case, pages=pages_seen(run, _named(run, answer)))


def _named(run: JudgeRun, answer: int | None) -> dict[str, int | None]:
    """The captures of cited pages that verdicts name, by page key; of what was found twice the later."""
    rows = known_rows(Verdict, run)
    rows = rows if answer is None else rows.filter(answer=answer)
    evidence = rows.values_list("evidence", flat=True).iterator()
    pages = (page for pages in evidence for page in pages_of(pages) if page.source == "cited")
    named = {key_or_none(page.url): page.snapshot for page in pages}
    return {key: snapshot for key, snapshot in named.items() if key is not None}


def _by_name(
    run: JudgeRun, model: type[Row], answer: int, keys: Mapping[tuple[int, str], str]
) -> dict[str, Any]:
    rows = known_rows(model, run).filter(answer=answer, key__in=set(keys.values())).select_related("run")
    by_key = {row.key: row for row in rows}
    return {name: by_key[key] for (_, name), key in keys.items() if key in by_key}


# ------------------------------------------------------------------ what is shown of a row
@dataclass(frozen=True, slots=True)
class PageShown:
    """A page in the evidence of a verdict; ``number`` counts from 1.

    ``snapshot`` is None for a page that was not collected, and for what a search found: the text of that goes by its SHA-256,
    ``text_sha256``. ``ranges`` are half-open character ranges of the text.
    """

    number: int
    url: str
    source: str
    verdict: str
    standing: str
    finding: str
    relevance: str
    snapshot: int | None
    ranges: tuple[tuple[int, int], ...]
    truncated: bool
    text_sha256: str

    @property
    def has_text(self) -> bool:
        """Whether we keep a text of it."""
        return bool(self.snapshot or self.text_sha256)

    @property
    def characters(self) -> int:
        """How many of the text were shown to the judge."""
        return sum(end - start for start, end in self.ranges)


def pages_of(evidence: Any) -> list[PageShown]:
    """The pages of a verdict's evidence, whatever its age: what is missing is empty."""
    pages = evidence if isinstance(evidence, list) else []
    return [_page(number, page) for number, page in enumerate(pages, start=1) if isinstance(page, dict)]


def _page(number: int, page: Mapping[str, Any]) -> PageShown:
    def text(name: str) -> str:
        value = page.get(name)
        return value if isinstance(value, str) else ""

    snapshot = page.get("snapshot")
    return PageShown(
        number=number,
        url=text("url"),
        source=text("source"),
        verdict=text("verdict"),
        standing=text("standing"),
        finding=text("finding"),
        relevance=text("relevance"),
        snapshot=snapshot if isinstance(snapshot, int) else None,
        ranges=tuple(_ranges(page.get("ranges"))),
        truncated=page.get("truncated") is True,
        text_sha256=text("text_sha256") if _SHA256.fullmatch(text("text_sha256")) else "",
    )


def _ranges(given: Any) -> Iterator[tuple[int, int]]:
    for span in given if isinstance(given, list) else []:
        if isinstance(span, list) and len(span) == 2 and all(type(edge) is int for edge in span):
            yield span[0], span[1]


def sheet_of(row: Row) -> Sheet:
    """The calls behind a row."""
    return read_sheet(row.record)
