"""What the pages of a record show: the calls behind a verdict, and a page of its evidence with the quote in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from judging.admin.pages import LOST
from judging.amounts import counted, money, seconds
from judging.callsheets import Sheet
from judging.excerpts import stretches
from judging.models import Extraction, JudgeRun, PageSnapshot, Verdict
from judging.pages.store import read_text
from judging.quotes import Span, locate
from judging.records import PageShown, Record, Row, pages_of, sheet_of

# Who reads a verdict tree reads the rubric, the answer and what the judge said of it.
READERS = ("judging.view_verdict", "judging.view_rubric", "submissions.view_answer")
PAGE_READERS = (*READERS, "judging.view_pagesnapshot", "judging.view_searchreply")


# ------------------------------------------------------------------ the calls behind a row
@dataclass(frozen=True, slots=True)
class RowShown:
    """A verdict or an extraction as a part of a page: its row, the round that found it, its calls and pages.

    Each page stands with the address of its text, "" for those who may not read it. ``in_answer`` is where a quote of the
    answer is shown in its place.
    """

    address: str
    round: int
    reused: bool
    sheet: Sheet
    pages: list[tuple[PageShown, str]]
    in_answer: str

    @property
    def summary(self) -> str:
        """The calls in one line."""
        return " · ".join(_summary(self.sheet))

    @property
    def names_pages(self) -> bool:
        """Whether the calls were about different pages, so that each must say which."""
        return len({call.page for call in self.sheet.calls}) > 1

    @property
    def prompts(self) -> list[tuple[str, str, str]]:
        """Version and hash of the prompts, and version of the prices, each only once."""
        told = ((call.prompt, call.prompt_hash, call.price_table) for call in self.sheet.calls)
        return [one for one in dict.fromkeys(told) if any(one)]

    @property
    def parameters(self) -> list[str]:
        """What was sent beside the text, each only once."""
        sent = (call.parameters for call in self.sheet.calls if call.parameters)
        return list(dict.fromkeys(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in sent))


def _summary(sheet: Sheet) -> Iterator[str]:
    if not sheet.calls:
        yield "decided without a judge"
        return
    yield counted(len(sheet.calls), "question")
    if not sheet.attempts:
        yield "answered from the cache" if sheet.from_cache else "no call"
        return
    yield counted(sheet.attempts, "call")
    if sheet.failures:
        yield f"{sheet.failures} failed"
    yield counted(sheet.tokens["prompt"] + sheet.tokens["completion"], "token")
    yield money(sheet.cost_usd)
    yield seconds(sheet.seconds)


def row_shown(row: Row, run: JudgeRun, *, reads_pages: bool) -> RowShown:
    """A row on the page of a run."""
    name = f"admin:judging_{row._meta.model_name}_change"
    pages = pages_of(row.evidence) if isinstance(row, Verdict) else []
    return RowShown(
        address=reverse(name, args=[row.pk]),
        round=row.run.round,
        reused=row.run_id != run.pk,
        sheet=sheet_of(row),
        pages=[(page, _text_address(row, page) if reads_pages else "") for page in pages],
        in_answer=_answer_address(row) if isinstance(row, Verdict) and not pages else "",
    )


def _answer_address(row: Verdict) -> str:
    return reverse("admin:judging_verdict_answer", args=[row.pk]) if row.quote else ""


def _text_address(row: Row, page: PageShown) -> str:
    return reverse("admin:judging_verdict_page", args=[row.pk, page.number]) if page.has_text else ""


# ------------------------------------------------------------------ the feedback with its rows
def with_rows(record: Record, run: JudgeRun, *, reads_pages: bool) -> Mapping[str, Any]:
    """The feedback of a result, each verdict and reading in it with its row."""
    feedback = record.result.feedback
    for check, verdict in _verdicts(feedback):
        if check in record.verdicts:
            verdict["row"] = row_shown(record.verdicts[check], run, reads_pages=reads_pages)
    for name, reading in _readings(feedback):
        if name in record.readings:
            reading["row"] = row_shown(record.readings[name], run, reads_pages=reads_pages)
    return feedback


def _verdicts(feedback: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every verdict by its check."""
    if "tree" in feedback:
        yield from _of_node(feedback["tree"])
    for subtask in feedback.get("subtasks", ()):
        for one in (*subtask["instruction"], *subtask["rationality"]):
            if one["verdict"]:
                yield f"{subtask['id']}/{one['id']}", one["verdict"]
        for rubric in subtask["factuality"]:
            for number, claim in enumerate(rubric["claims"], start=1):
                yield f"{subtask['id']}/{rubric['id']}/{number}", claim


def _of_node(node: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "verdict" in node:
        yield node["id"], node["verdict"]
    for child in node.get("children", ()):
        yield from _of_node(child)


def _readings(feedback: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every reading by its name."""
    for one in feedback.get("extracted", ()):
        yield one["name"], one
    for subtask in feedback.get("subtasks", ()):
        for rubric in subtask["factuality"]:
            yield f"{subtask['id']}/{rubric['id']}", rubric


# ------------------------------------------------------------------ a page of the evidence
def page_context(verdict: Verdict, number: int, *, whole: bool) -> dict[str, Any]:
    """The text of a page in a verdict's evidence, or of what a search found: what the judge was shown of it, and where the
    quote stands.

    :raises Http404: the evidence has no such page, or there is no text of it.
    """
    page = next((page for page in pages_of(verdict.evidence) if page.number == number), None)
    if page is None or not page.has_text:
        raise Http404("no such page")
    snapshot = get_object_or_404(PageSnapshot, pk=page.snapshot) if page.snapshot else None
    try:
        text = read_text(snapshot.text_sha256 if snapshot else page.text_sha256)
    except FileNotFoundError:
        return {"page": page, "snapshot": snapshot, "lost": LOST}
    return {"page": page, "snapshot": snapshot, **_in_place(text, verdict.quote, page.ranges, whole=whole)}


def answer_in_place(verdict: Verdict, *, whole: bool) -> dict[str, Any]:
    """The answer, all of which the judge was shown, and where the quote stands in it."""
    text = verdict.answer.text
    return _in_place(text, verdict.quote, [(0, len(text))], whole=whole)


def _in_place(text: str, quote: str, seen: Sequence[Span], *, whole: bool) -> dict[str, Any]:
    quoted = locate(text, quote, seen)
    parts, behind = stretches(text, seen=seen, quoted=quoted, whole=whole)
    cut = behind > 0 or any(part.skipped for part in parts)
    return {"seen": seen, "quoted": quoted, "parts": parts, "behind": behind, "cut": cut, "whole": whole}


def stored_row(row: Verdict | Extraction, run: JudgeRun, *, reads_pages: bool) -> dict[str, Any]:
    """A row by itself, where no tree can be made of the rows."""
    names = ("error_class", "statement", "quote", "code", "check_id", "name", "finding", "outcome", "reason")
    shown = {name: getattr(row, name) for name in names if hasattr(row, name)}
    return shown | {"row": row_shown(row, run, reads_pages=reads_pages)}
