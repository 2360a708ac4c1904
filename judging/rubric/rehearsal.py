"""Unrolling a rubric over an answer that gives nothing, to see what only shows when it is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from judging.rubric.expand import MAX_NODES, Place, TooManyNodes, Unroller, outermost, pages_of
from judging.rubric.faults import FaultList, at, quoted
from judging.rubric.plan import Assertion, Check, Claim
from judging.rubric.spec import TreeRubric
from judging.tree import Mode, Node

__all__ = ["rehearse"]

_OWN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_MAX_ID = 250


def rehearse(rubric: TreeRubric, faults: FaultList) -> None:
    """Note ids that clash or are malformed, loops over nothing, and gaps in ``truth``."""
    unroller = Unroller(pages=pages_of(rubric))
    try:
        root = unroller.node(rubric.tree, outermost(rubric, task="", answer="", extracted={}))
    except TooManyNodes:
        faults.error("tree", f"the loops multiply to more than {MAX_NODES:,} nodes; ask for fewer items")
        return
    for path, reason in unroller.mistakes:
        faults.error(path, reason)
    _check_ids(unroller.places, faults)
    _check_childless(root, unroller, faults)
    _warn_of_gifts(root, unroller, faults)


def _check_ids(places: list[Place], faults: FaultList) -> None:
    seen: dict[str, str] = {}
    for name, own, path in places:
        if not _OWN_ID.fullmatch(own):
            faults.error(
                at(path, "id"), f"gives {quoted(own)}: letters, digits and _ . : - only, at most 100 of them"
            )
        elif len(name) > _MAX_ID:
            faults.error(
                at(path, "id"),
                f"gives an id of {len(name)} characters with the loop's; {_MAX_ID} are allowed",
            )
        elif name in seen:
            faults.error(at(path, "id"), _clash(name, path, seen[name]))
        seen.setdefault(name, path)


def _clash(name: str, path: str, other: str) -> str:
    if path == other:
        return f"gives {quoted(name)} in more than one slot of a loop; put {{{{ loop.index }}}} into it"
    return f"gives {quoted(name)}, the id of {other} already"


def _check_childless(root: Node, unroller: Unroller, faults: FaultList) -> None:
    paths = {place.id: place.path for place in unroller.places}
    todo = [root]
    while todo:
        node = todo.pop()
        todo += node.children
        if not node.children and node.id not in unroller.checks:
            faults.error(at(paths[node.id], "for_each", "in"), "is an empty list; a node needs children")


def _warn_of_gifts(root: Node, unroller: Unroller, faults: FaultList) -> None:
    """An assertion that holds for an answer without content, and that no gate keeps from earning points."""
    paths = {place.id: place.path for place in unroller.places}
    for name in _gifts(root, unroller.checks):
        reason = (
            "is true for an answer that gives nothing; ask for the field as well: a.year and a.year != 1999"
        )
        faults.warn(at(paths[name], "assert"), reason)


def _gifts(node: Node, checks: Mapping[str, Check]) -> Iterator[str]:
    check = checks.get(node.id)
    if isinstance(check, Assertion) and check.holds:
        yield node.id
    if _denied(node, checks):
        return
    for child in node.children:
        yield from _gifts(child, checks)
        if node.mode is Mode.SEQUENTIAL and _denied(child, checks):
            return


def _denied(node: Node, checks: Mapping[str, Check]) -> bool:
    """Whether nothing at or below this node can earn a point."""
    check = checks.get(node.id)
    if isinstance(check, Assertion):
        return not check.holds
    if isinstance(check, Claim):
        return check.sources == ()
    return any(child.critical and _denied(child, checks) for child in node.children)
