"""Checked data → the frozen types. Everything here relies on the checks made before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judging.cascade import Importance
from judging.rubric.addresses import marked
from judging.rubric.faults import at
from judging.rubric.spec import (
    AssertSpec,
    CascadeRubric,
    ClaimSpec,
    Criterion,
    ExtractionSpec,
    FactualitySpec,
    ForEach,
    LeafSpec,
    NodeSpec,
    PageSpec,
    SubtaskSpec,
    TreeRubric,
)
from judging.rubric.tree_meaning import extraction_order
from judging.tree import Mode

__all__ = ["build_cascade", "build_tree"]


def build_tree(source: Mapping[str, Any], addresses: Sequence[Mapping[str, Any]]) -> TreeRubric:
    """A rubric of the protocol ``rubric_tree``; ``addresses`` are the parts of its schemas that hold URLs."""
    source = marked(source, addresses)
    extract = source.get("extract", {})
    order, _ = extraction_order(extract)
    return TreeRubric(
        extractions=tuple(ExtractionSpec(name=name, **extract[name]) for name in order),
        tree=_node(source["tree"], "tree", default_id="root"),
        truth=source.get("truth"),
    )


def _node(node: Mapping[str, Any], path: str, default_id: str = "") -> NodeSpec:
    return NodeSpec(
        id=node.get("id", default_id),
        path=path,
        critical=node.get("critical", False),
        mode=Mode(node.get("mode", Mode.PARALLEL)),
        description=node.get("description", ""),
        children=_children(node, path),
        for_each=_for_each(node.get("for_each")),
        leaf=_leaf(node),
    )


def _children(node: Mapping[str, Any], path: str) -> tuple[NodeSpec, ...]:
    if "node" in node:
        return (_node(node["node"], at(path, "node")),)
    return tuple(
        _node(child, at(path, "children", index)) for index, child in enumerate(node.get("children", ()))
    )


def _for_each(loop: Mapping[str, Any] | None) -> ForEach | None:
    return ForEach(items=loop["in"], name=loop["as"], count=loop.get("count")) if loop else None


def _leaf(node: Mapping[str, Any]) -> LeafSpec | None:
    if "claim" in node:
        return ClaimSpec(
            claim=node["claim"],
            sources=node.get("sources"),
            additional=node.get("additional", ""),
            votes=node.get("votes"),
            screenshot=node.get("screenshot", "never"),
        )
    if "extract" in node:
        return PageSpec(
            name=node["extract"]["as"],
            instruction=node["extract"]["instruction"],
            schema=node["extract"]["schema"],
            from_url=node["from_url"],
            expression=node["assert"],
            error=node.get("error"),
        )
    return AssertSpec(node["assert"], node.get("error")) if "assert" in node else None


def build_cascade(source: Mapping[str, Any]) -> CascadeRubric:
    """A rubric of the protocol ``cascade``."""
    return CascadeRubric(tuple(_subtask(subtask) for subtask in source["subtasks"]))


def _subtask(subtask: Mapping[str, Any]) -> SubtaskSpec:
    return SubtaskSpec(
        id=subtask["id"],
        title=subtask.get("title", subtask["id"]),
        importance=Importance(subtask["importance"]),
        instruction=tuple(Criterion(**one) for one in subtask.get("instruction", ())),
        factuality=tuple(_factuality(one) for one in subtask.get("factuality", ())),
        rationality=tuple(Criterion(**one) for one in subtask.get("rationality", ())),
    )


def _factuality(rubric: Mapping[str, Any]) -> FactualitySpec:
    references = tuple(rubric.get("references", ()))
    claims = rubric.get("claims", "auto")
    return FactualitySpec(
        id=rubric["id"],
        criterion=rubric.get("criterion", ""),
        claims=None if claims == "auto" else tuple(claims),
        evidence=tuple(rubric.get("evidence", ("cited", "reference") if references else ("cited",))),
        references=references,
    )
