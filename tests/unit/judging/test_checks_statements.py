"""Single checks: statements of a cascade, on references and cited pages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from judging.cascade import Finding
from judging.case import Case
from judging.checks import Stated, decide_statements
from judging.desk import Judgement
from tests.unit.judging.checking import READABLE, SAID, WORK, A, C
from tests.unit.judging.scripted import ABSTAINS, FAILS, NO, OPEN, YES, Scripted, case_of, desk_of, snapshot


def statement(
    judge: Scripted, cited: Sequence[str], references: Sequence[str] = (), case: Case | None = None
) -> Judgement:
    desk, _ = desk_of(judge)
    known = case or case_of(READABLE, [snapshot(C, "The lake is deep")])
    return asyncio.run(decide_statements([Stated("s/r/1", SAID, cited)], references, WORK, known, desk))[0]


def test_a_statement_without_any_page_is_undecided() -> None:
    judge = Scripted()
    found = statement(judge, [])
    assert (found.finding, found.code, found.error_class) == (OPEN, "no_sources", "attribution.missing")
    assert judge.asked == []


EVIDENCE = [
    # reference says, cited page says, finding
    (YES, NO, YES),
    (NO, YES, NO),
    (OPEN, YES, YES),
    (OPEN, NO, NO),
    (OPEN, OPEN, OPEN),
    (ABSTAINS, YES, ABSTAINS),
    (FAILS, YES, FAILS),
    (OPEN, FAILS, FAILS),
]


@pytest.mark.parametrize(("reference", "cited", "finding"), EVIDENCE)
def test_references_have_the_first_word(reference: Finding, cited: Finding, finding: Finding) -> None:
    found = statement(Scripted({(SAID, C): reference, (SAID, A): cited}), [A], [C])
    assert found.finding is finding
    assert [(page["source"], page["url"], page["finding"]) for page in found.evidence] == [
        ("reference", C, reference),
        ("cited", A, cited),
    ]
    assert len(found.records) == 2


def test_references_alone_decide_a_statement_without_citations() -> None:
    assert statement(Scripted({SAID: NO}), [], [C]).finding is NO
