"""The task set that judging is measured on: its size, and that its pages decide every claim."""

from __future__ import annotations

from collections import Counter

import pytest

from judging.rubric import TreeRubric, parse_rubric, read_bundle
from judging.rubric.spec import NodeSpec
from tests.bench.judge.world import (
    NODES,
    TASKS,
    answer_text,
    bundle_files,
    data_of,
    page_text,
    statements,
    verdict_of,
)


def count(node: NodeSpec) -> int:
    """Nodes of a tree without loops."""
    return 1 + sum(map(count, node.children))


def test_the_set_can_be_imported_and_its_trees_have_fifty_nodes() -> None:
    bundle = read_bundle(bundle_files()).bundle
    assert bundle is not None
    assert len(bundle.tasks) == TASKS
    rubric = parse_rubric(bundle.tasks[7].rubric, bundle.protocol)
    assert isinstance(rubric, TreeRubric)
    assert count(rubric.tree) == NODES == 50


def test_a_page_is_a_hundred_thousand_characters_long() -> None:
    assert 100_000 <= len(page_text(3)) < 101_000


def test_a_page_decides_every_claim_of_its_answer_and_no_other_page_does() -> None:
    words = [verdict_of(one, page_text(3))["verdict"] for one in statements(3)]
    assert Counter(words) == {"supported": 28, "refuted": 7}
    assert {verdict_of(one, page_text(4))["verdict"] for one in statements(3)} == {"undecided"}


def test_a_verdict_quotes_its_page() -> None:
    page = page_text(3)
    assert all(verdict_of(one, page)["quote"] in page for one in statements(3))


@pytest.mark.parametrize("statement", ["nothing that the bench asks", ""])
def test_what_is_no_claim_of_the_bench_is_undecided(statement: str) -> None:
    assert verdict_of(statement, page_text(3))["verdict"] == "undecided"


def test_what_is_read_out_of_an_answer_is_what_stands_there() -> None:
    stations = data_of(answer_text(3))["stations"]
    assert len(stations) == len(statements(3)) == 35
    assert stations[1]["sources"] == ["https://rain.example/region/003"]
