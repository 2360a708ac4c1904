"""What the shape of a rubric tree cannot say: names, gates, loops, extractions.

Works on the author's data as it is, also where its shape has faults, so that one reading finds them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from judging.rubric.addresses import addresses_in
from judging.rubric.extraction import schema_faults, schema_warnings
from judging.rubric.faults import FaultList, at
from judging.rubric.names import Scope, check_expression, check_template, names_used
from judging.rubric.shapes import NoSuchPart, Shape, is_kind, item_shape
from judging.rubric.templates import LOOP_FIELDS, NEIGHBOURS

__all__ = ["check_tree", "extraction_order"]

_RESERVED = frozenset(
    [
        "task",
        "answer",
        "truth",
        "loop",
        "and",
        "or",
        "not",
        "in",
        "is",
        "if",
        "else",
        "elif",
        "for",
        "true",
        "false",
        "none",
        "True",
        "False",
        "None",
    ]
)
_ADDRESSES = ("sources", "from_url")
_TEXT = Shape.of({"type": "string"})
_ID_RULE = "an id is the same for every answer: it may use loop, truth and lists out of truth"
_NO_COUNT = (
    "is missing: how many items does the task ask for? A list out of the answer must not set the denominator"
)


def check_tree(source: Mapping[str, Any], faults: FaultList) -> list[Mapping[str, Any]]:
    """Note every fault in a rubric of the protocol ``rubric_tree``; the parts of its schemas that hold addresses."""
    extract = _mapping(source.get("extract"))
    walk = _Walk(faults)
    shapes = {name: walk.extraction(_mapping(one), at("extract", name)) for name, one in extract.items()}
    truth = {"truth": Shape.of_value(source["truth"])} if source.get("truth") is not None else {}
    scope = Scope({"task": _TEXT, "answer": _TEXT, **truth, **shapes})
    walk.pages(extract, scope)
    walk.node(source.get("tree"), _Place("tree", scope, frozenset(truth)))
    for name in extract:
        if name not in walk.used:
            faults.warn(at("extract", name), "is extracted and never used; it costs a call for every answer")
    if not walk.gates:
        faults.warn("tree", "no node is critical: an answer that misses the point can still earn points")
    return walk.addresses


def extraction_order(extract: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names in an order in which each page is known when it is read, and those that wait for each other."""
    waiting = {name: _needs(one) & extract.keys() for name, one in extract.items()}
    order: list[str] = []
    while ready := [name for name, needs in waiting.items() if needs <= set(order)]:
        order += ready
        waiting = {name: needs for name, needs in waiting.items() if name not in ready}
    return order, list(waiting)


def _needs(extraction: Any) -> frozenset[str]:
    expression = _mapping(extraction).get("from_url")
    return names_used(expression, expression=True) if isinstance(expression, str) else frozenset()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk stands: the path, the names in reach, and those whose lists are the author's own."""

    path: str
    scope: Scope
    authored: frozenset[str] = frozenset()

    def at(self, *steps: str | int) -> _Place:
        return replace(self, path=at(self.path, *steps))

    def id_scope(self) -> Scope:
        """What an id may use."""
        allowed = self.authored | {"loop"}
        shapes = {name: shape for name, shape in self.scope.shapes.items() if name in allowed}
        return Scope(shapes, self.scope.each & self.authored, _ID_RULE)


def _below(path: str, below: str) -> str:
    separator = "." if below and not below.startswith("[") else ""
    return path + separator + below


class _Walk:
    """Goes through a rubric, collecting faults, names and addresses that are used, and the number of critical nodes."""

    def __init__(self, faults: FaultList) -> None:
        self.faults = faults
        self.used: set[str] = set()
        self.addresses: list[Mapping[str, Any]] = []
        self.gates = 0

    # Extractions
    def extraction(self, extraction: Mapping[str, Any], path: str) -> Shape | None:
        """Check the instruction and the schema; the shape of the data, where the schema is a sound one."""
        if "{{" in str(extraction.get("instruction", "")):
            reason = "an instruction is no template; the judge sees {{ }} as it stands"
            self.faults.warn(at(path, "instruction"), reason)
        schema = extraction.get("schema")
        wrong = schema_faults(schema) if isinstance(schema, Mapping) else []
        for below, reason in wrong:
            self.faults.error(_below(at(path, "schema"), below), reason)
        if wrong:
            return None
        for below, reason in schema_warnings(schema) if isinstance(schema, Mapping) else []:
            self.faults.warn(_below(at(path, "schema"), below), reason)
        return Shape.of(schema)

    def pages(self, extract: Mapping[str, Any], scope: Scope) -> None:
        """Check the names of extractions and where those that read a page find its address."""
        for name, one in extract.items():
            place = _Place(at("extract", name), scope)
            self._name(name, place, Scope({}))
            self._url(_mapping(one), place)
        for name in extraction_order(extract)[1]:
            self.faults.error(
                at("extract", name, "from_url"), "waits for an extraction that waits for this one"
            )

    def _url(self, holder: Mapping[str, Any], place: _Place) -> None:
        if not is_kind(self._expression(holder, "from_url", place), "string"):
            self.faults.error(
                at(place.path, "from_url"), "must give one URL, a text; use x | first for a list"
            )

    def _name(self, name: Any, place: _Place, scope: Scope) -> None:
        if not isinstance(name, str):
            return
        if name in _RESERVED:
            self.faults.error(place.path, f"{name!r} has a meaning of its own; choose another name")
        elif name in scope.shapes:
            self.faults.error(place.path, f"{name!r} is the name of something else here; choose another")

    # Templates and expressions
    def _template(self, holder: Mapping[str, Any], key: str, place: _Place, scope: Scope) -> None:
        source = holder.get(key)
        if isinstance(source, str):
            self.used |= names_used(source, expression=False)
            for reason in check_template(source, scope):
                self.faults.error(at(place.path, key), reason)

    def _expression(self, holder: Mapping[str, Any], key: str, place: _Place) -> Shape | None:
        source = holder.get(key)
        if not isinstance(source, str):
            return None
        self.used |= names_used(source, expression=True)
        reasons, shape = check_expression(source, place.scope)
        for reason in reasons:
            self.faults.error(at(place.path, key), reason)
        if key in _ADDRESSES and not reasons:
            self.addresses += addresses_in(source, place.scope)
        return shape

    # Nodes
    def node(self, node: Any, place: _Place) -> None:
        if not isinstance(node, Mapping):
            return
        self.gates += node.get("critical") is True
        self._template(node, "id", place, place.id_scope())
        for key in ("description", "claim", "additional"):
            self._template(node, key, place, place.scope)
        self._check(node, place)
        self._gate(node, place)
        inner = self._loop(node, place) if "for_each" in node else place
        for step, child in _children(node):
            self.node(child, inner.at(*step))

    def _check(self, node: Mapping[str, Any], place: _Place) -> None:
        if not _gives_texts(self._expression(node, "sources", place)):
            self.faults.error(at(place.path, "sources"), "must give a URL or a list of URLs")
        if "extract" in node:
            self._page(node, place)
        else:
            self._expression(node, "assert", place)

    def _page(self, node: Mapping[str, Any], place: _Place) -> None:
        extract = _mapping(node["extract"])
        name = extract.get("as")
        self._name(name, place.at("extract", "as"), place.scope)
        shape = self.extraction(extract, at(place.path, "extract"))
        self._url(node, place)
        names = {name: shape} if isinstance(name, str) else {}
        self._expression(node, "assert", replace(place, scope=place.scope.having(names)))
        unread = names.keys() - names_used(str(node.get("assert")), expression=True)
        for name in unread:
            self.faults.error(
                at(place.path, "assert"), f"does not look at {name!r}, for which the page is read"
            )

    def _gate(self, node: Mapping[str, Any], place: _Place) -> None:
        for step, child in _children(node) if node.get("critical") is True else ():
            if isinstance(child, Mapping) and child.get("critical") is not True:
                reason = (
                    "is not critical though its parent is; make it critical too, or the parent non-critical"
                )
                self.faults.error(at(place.path, *step), reason)

    # Loops
    def _loop(self, node: Mapping[str, Any], place: _Place) -> _Place:
        """The place inside a ``for_each``."""
        loop = _mapping(node["for_each"])
        here = place.at("for_each")
        name = loop.get("as")
        self._name(name, here.at("as"), place.scope)
        item = self._item(loop, here)
        lists = names_used(str(loop.get("in")), expression=True)
        own = bool(lists) and lists <= place.authored
        if lists and not own and "count" not in loop:
            self.faults.error(at(here.path, "count"), _NO_COUNT)
        shapes = {"loop": _loop_shape(place.scope)} | ({name: item} if isinstance(name, str) else {})
        return replace(
            place,
            scope=place.scope.having(shapes, each=shapes.keys() - {"loop"}),
            authored=place.authored | (shapes.keys() - {"loop"} if own else frozenset()),
        )

    def _item(self, loop: Mapping[str, Any], here: _Place) -> Shape | None:
        try:
            item = item_shape(self._expression(loop, "in", here))
        except NoSuchPart:
            self.faults.error(at(here.path, "in"), "must give a list")
            return None
        for word in NEIGHBOURS:
            if item and word in _mapping(item.schema.get("properties")):
                reason = f"its items have a property {word!r}, which means the neighbour here; rename it in the schema"
                self.faults.error(at(here.path, "in"), reason)
        return item


def _children(node: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    children = node.get("children")
    if isinstance(children, list):
        yield from ((("children", index), child) for index, child in enumerate(children))
    if "node" in node:
        yield ("node",), node["node"]


def _gives_texts(shape: Shape | None) -> bool:
    if is_kind(shape, "string"):
        return True
    return is_kind(shape, "array") and is_kind(item_shape(shape), "string")


def _loop_shape(scope: Scope) -> Shape | None:
    """``loop`` of a ``for_each``; ``loop.parent`` is the one around it."""
    properties: dict[str, Any] = {field: {"type": ["integer", "boolean"]} for field in LOOP_FIELDS}
    outer = scope.shapes.get("loop")
    if outer is not None:
        properties["parent"] = outer.schema
    return Shape.of({"type": "object", "properties": properties})
