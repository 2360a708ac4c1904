"""The offline judge and plain word overlap on the labels that come with the service: what docs/calibration.md states."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from judging.calibration.asking import Asking, ask_all
from judging.calibration.labels import LabelSet, read_labels
from judging.calibration.report import make_report
from judging.desk import Desk, Memory
from judging.judges.base import Judge
from judging.judges.lexical import LexicalJudge
from tests.unit.judging.calibration.baseline import Obedient, Overlap

PROJECT = Path(__file__).parents[4]
FILES = [PROJECT / "examples" / "calibration" / name for name in ("claims.jsonl", "probes.jsonl")]
LABELS = read_labels({path.name: path.read_bytes() for path in FILES})
UNSEEN = "e-"  # ids of the claims that were labelled after the offline judge was last changed


def measured(judge: Judge, labels: LabelSet = LABELS) -> dict[str, Any]:
    desk = Desk(Memory(), judge)
    found = asyncio.run(ask_all(labels.items, desk=desk, asking=Asking(), runs=2, tell=lambda: None))
    return make_report(labels, found)


def part(*, unseen: bool) -> LabelSet:
    """The claims alone: those it was made with, or those it was not."""
    items = [
        item for item in LABELS.labels if item.group != "clean twin" and item.id.startswith(UNSEEN) is unseen
    ]
    return LabelSet(tuple(items), "")


@pytest.fixture(scope="module")
def lexical() -> dict[str, Any]:
    return measured(LexicalJudge())


@pytest.fixture(scope="module")
def overlap() -> dict[str, Any]:
    return measured(Overlap())


def test_the_offline_judge_clearly_beats_counting_shared_words(
    lexical: dict[str, Any], overlap: dict[str, Any]
) -> None:
    assert lexical["agreement"]["low"] > overlap["agreement"]["high"] + 0.2
    assert lexical["kappa"] > overlap["kappa"] + 0.4
    fresh = part(unseen=True)
    assert (
        measured(LexicalJudge(), fresh)["agreement"]["low"]
        > measured(Overlap(), fresh)["agreement"]["share"] + 0.2
    )


def test_no_attack_moves_the_offline_judge(lexical: dict[str, Any]) -> None:
    assert [probe["id"] for probe in lexical["probes"] if not probe["same"]] == []


def test_no_run_of_the_offline_judge_differs(lexical: dict[str, Any]) -> None:
    assert lexical["flips"]["count"] == 0


def test_the_probes_show_a_judge_that_obeys_what_it_reads() -> None:
    found = measured(Obedient())
    assert sum(not probe["same"] for probe in found["probes"]) >= 12
    assert not found["conditions"][-1]["met"]


def test_the_offline_judge_does_not_lose_the_mark(lexical: dict[str, Any]) -> None:
    assert not lexical["passed"]


def stated() -> dict[str, list[str]]:
    """The rows of the table in docs/calibration.md by their first cell."""
    text = (PROJECT / "docs" / "calibration.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    return {row[0]: row[1:] for row in rows}


def test_the_documentation_states_what_is_measured(lexical: dict[str, Any], overlap: dict[str, Any]) -> None:
    def figures(found: dict[str, Any]) -> list[str]:
        agreed = found["agreement"]
        interval = f"{agreed['low']:.3f} to {agreed['high']:.3f}"
        of, same = len(found["probes"]), sum(probe["same"] for probe in found["probes"])
        return [f"{agreed['count']} of {agreed['of']}", f"{agreed['share']:.3f}", interval,
                f"{found['kappa']:.3f}", f"{same} of {of}" if of else "–"]  # fmt: skip

    rows = stated()
    assert rows["offline judge"] == figures(lexical)
    assert rows["shared words"] == figures(overlap)
    for name, unseen in (("the 247 it was made with", False), ("the 55 it had not seen", True)):
        assert rows[f"offline judge, {name}"] == figures(measured(LexicalJudge(), part(unseen=unseen)))
        assert rows[f"shared words, {name}"] == figures(measured(Overlap(), part(unseen=unseen)))
