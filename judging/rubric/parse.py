"""A rubric as plain data → its frozen types, or every fault it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from judging.canonical import digest
from judging.rubric.addresses import marked
from judging.rubric.build import build_cascade, build_tree
from judging.rubric.cascade_meaning import check_cascade
from judging.rubric.conformance import check_shape
from judging.rubric.faults import Fault, FaultList, InvalidRubric
from judging.rubric.rehearsal import rehearse
from judging.rubric.schema import PROTOCOLS, TREE
from judging.rubric.spec import CascadeRubric, TreeRubric
from judging.rubric.tree_meaning import check_tree

__all__ = ["CHECKS", "Checked", "check_rubric", "check_stored", "parse_rubric", "rubric_of"]

# Raised with every change of what is checked or built: what was checked otherwise is checked again.
CHECKS = 1


class Checked(NamedTuple):
    """A rubric without faults, and the plain JSON from which :func:`rubric_of` makes it again without a check."""

    rubric: TreeRubric | CascadeRubric
    ready: Mapping[str, Any]


def parse_rubric(source: Any, protocol: str) -> TreeRubric | CascadeRubric:
    """Read the private half of a task, as :class:`~judging.rubric.spec.TaskSpec` keeps it.

    :raises InvalidRubric: with every fault.
    """
    return check_stored(source, protocol).rubric


def rubric_of(source: Any, ready: Mapping[str, Any], protocol: str) -> TreeRubric | CascadeRubric | None:
    """The rubric that was checked before; None if ``ready`` is of other rules or of another source."""
    if ready.get("checks") != CHECKS or ready["of"] != digest(source):
        return None
    return build_tree(ready["rubric"], ()) if protocol == TREE else build_cascade(ready["rubric"])


def check_stored(source: Any, protocol: str) -> Checked:
    """As :func:`parse_rubric`, with what to keep so that it need not be checked again.

    :raises InvalidRubric: with every fault.
    """
    faults = FaultList("")
    if protocol not in PROTOCOLS:
        raise InvalidRubric(
            [Fault("", "protocol", f"must be one of {', '.join(PROTOCOLS)}, is {protocol!r}")]
        )
    check_shape(f"{protocol}_rubric", source, faults)
    checked = check_rubric(source, protocol, faults) if isinstance(source, Mapping) else None
    if checked is None:
        raise InvalidRubric(faults.errors)
    return checked


def check_rubric(source: Mapping[str, Any], protocol: str, faults: FaultList) -> Checked | None:
    """Check what the shape cannot say; the rubric, if ``faults`` holds none of it nor of its shape."""
    if protocol != TREE:
        check_cascade(source, faults)
        return None if faults.errors else Checked(build_cascade(source), _ready(source, source))
    addresses = check_tree(source, faults)
    if faults.errors:
        return None
    rubric = build_tree(source, addresses)
    rehearse(rubric, faults)
    return None if faults.errors else Checked(rubric, _ready(source, marked(source, addresses)))


def _ready(source: Mapping[str, Any], built_from: Mapping[str, Any]) -> dict[str, Any]:
    return {"checks": CHECKS, "of": digest(source), "rubric": dict(built_from)}
