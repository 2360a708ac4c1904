"""A rubric as plain data → its frozen types, or every fault it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judging.rubric.build import build_cascade, build_tree
from judging.rubric.cascade_meaning import check_cascade
from judging.rubric.conformance import check_shape
from judging.rubric.faults import Fault, FaultList, InvalidRubric
from judging.rubric.rehearsal import rehearse
from judging.rubric.schema import PROTOCOLS, TREE
from judging.rubric.spec import CascadeRubric, TreeRubric
from judging.rubric.tree_meaning import check_tree

__all__ = ["check_rubric", "parse_rubric"]


def parse_rubric(source: Any, protocol: str) -> TreeRubric | CascadeRubric:
    """Read the private half of a task, as :class:`~judging.rubric.spec.TaskSpec` keeps it.

    :raises InvalidRubric: with every fault.
    """
    faults = FaultList("")
    if protocol not in PROTOCOLS:
        raise InvalidRubric(
            [Fault("", "protocol", f"must be one of {', '.join(PROTOCOLS)}, is {protocol!r}")]
        )
    check_shape(f"{protocol}_rubric", source, faults)
    rubric = check_rubric(source, protocol, faults) if isinstance(source, Mapping) else None
    if rubric is None:
        raise InvalidRubric(faults.errors)
    return rubric


def check_rubric(
    source: Mapping[str, Any], protocol: str, faults: FaultList
) -> TreeRubric | CascadeRubric | None:
    """Check what the shape cannot say; the rubric, if ``faults`` holds none of it nor of its shape."""
    if protocol != TREE:
        check_cascade(source, faults)
        return None if faults.errors else build_cascade(source)
    addresses = check_tree(source, faults)
    if faults.errors:
        return None
    rubric = build_tree(source, addresses)
    rehearse(rubric, faults)
    return None if faults.errors else rubric
