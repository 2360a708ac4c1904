"""A rubric tree and what was extracted from one answer → the nodes and checks to judge.

Which nodes there are, and their ids, never depends on the answer: loops have a fixed number of slots, and
ids are made of ``loop`` and ``truth`` alone. An id without a template inside a loop is told apart by its
slot: ``given`` in the slot ``generation_2`` is ``generation_2/given``. What the answer lacks is padded with
:class:`~judging.rubric.values.Missing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from judging.citations import urls_of_value
from judging.rubric.causes import cause, hole, named_values
from judging.rubric.classes import class_fault, fitting_class, gives_url
from judging.rubric.names import names_used
from judging.rubric.plan import Assertion, Check, Claim, Decision, PageExtraction, Plan, Unknown
from judging.rubric.spec import AssertSpec, ClaimSpec, ForEach, LeafSpec, NodeSpec, PageSpec, TreeRubric
from judging.rubric.templates import NEIGHBOURS, evaluate, neighbour, render
from judging.rubric.values import AuthorMistake, Mismatch, Missing, authored, entry_of, settled
from judging.tree import Node

__all__ = ["MAX_NODES", "Place", "TooManyNodes", "Unroller", "expand", "extraction_url", "outermost"]

MAX_NODES = 5_000  # of an unrolled tree
MAX_OWN_ITEMS = 200  # of a list out of truth that sets the number of slots


class TooManyNodes(Exception):
    """The loops multiply to more nodes than anyone will judge."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The values names have here, and the extractions each of them was made from."""

    values: Mapping[str, Any]
    origins: Mapping[str, frozenset[str]]
    each: frozenset[str] = frozenset()
    slot: str = ""  # id of the slot of the innermost loop, which ids without a template stand below

    def having(
        self, values: Mapping[str, Any], origins: Mapping[str, frozenset[str]] | None = None
    ) -> Bindings:
        """This scope and some more names."""
        return replace(self, values={**self.values, **values}, origins={**self.origins, **(origins or {})})

    def render(self, source: str, *, whole: bool = False) -> str:
        """The template with the values of this scope; ``whole`` refuses holes."""
        return render(source, self.values, self.each, whole=whole)

    def evaluate(self, source: str) -> Any:
        """The value of the expression in this scope."""
        return evaluate(source, self.values, self.each)

    def made_from(
        self, *, expressions: Iterable[str | None] = (), templates: Iterable[str] = ()
    ) -> frozenset[str]:
        """The extractions these expressions and templates depend on."""
        names = [names_used(source, expression=True) for source in expressions if source is not None]
        names += [names_used(source, expression=False) for source in templates]
        return frozenset[str]().union(
            *(self.origins.get(name, frozenset()) for name in frozenset[str]().union(*names))
        )


def expand(
    rubric: TreeRubric,
    *,
    task: str,
    answer: str,
    extracted: Mapping[str, Any],
    failed: frozenset[str],
    unread: Mapping[str, str] | None = None,
) -> Plan:
    """Unroll a rubric tree for one answer.

    :param extracted: data by extraction name; a name that is absent, or null, has given nothing.
    :param failed: extractions that could not be made: their leaves are :class:`~judging.rubric.plan.Unknown`,
        and so are those of extractions whose page such a one was to name.
    :param unread: the error class ("" for none) of each extraction whose page was not there to be read.
    """
    unroller = Unroller(_all_failed(rubric, failed), pages_of(rubric), unread or {})
    root = unroller.node(rubric.tree, outermost(rubric, task=task, answer=answer, extracted=extracted))
    return Plan(root, unroller.checks)


def extraction_url(
    rubric: TreeRubric, name: str, *, task: str, answer: str, extracted: Mapping[str, Any]
) -> str | None:
    """The page that an extraction with ``from_url`` reads; None if the answer names none.

    :raises KeyError: the rubric has no extraction of that name with a ``from_url``.
    """
    expressions = {spec.name: spec.from_url for spec in rubric.extractions if spec.from_url is not None}
    return _url(expressions[name], outermost(rubric, task=task, answer=answer, extracted=extracted))


def outermost(rubric: TreeRubric, *, task: str, answer: str, extracted: Mapping[str, Any]) -> Bindings:
    """The values every part of a rubric sees."""
    names = [spec.name for spec in rubric.extractions]
    return Bindings(
        values={
            "task": task,
            "answer": answer,
            "truth": authored(rubric.truth),
            **{name: settled(extracted.get(name)) for name in names},
        },
        origins={name: frozenset({name}) for name in names},
    )


def pages_of(rubric: TreeRubric) -> frozenset[str]:
    """The extractions that read a page."""
    return frozenset(spec.name for spec in rubric.extractions if spec.from_url is not None)


def _all_failed(rubric: TreeRubric, failed: frozenset[str]) -> frozenset[str]:
    for spec in rubric.extractions:  # in order: what a page's URL is made of comes first
        if spec.from_url is not None and not failed.isdisjoint(names_used(spec.from_url, expression=True)):
            failed |= {spec.name}
    return failed


def _url(expression: str, scope: Bindings) -> str | None:
    try:
        value = scope.evaluate(expression)
    except (Mismatch, AuthorMistake):
        return None
    return next(iter(urls_of_value(value)), None) if isinstance(value, str) else None


def _sources(value: Any) -> tuple[str, ...]:
    """The distinct URLs of a text or a list of texts, in order; what is no URL is nothing."""
    given = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else []
    texts = (text for text in given if isinstance(text, str))
    return tuple(dict.fromkeys(url for text in texts for url in urls_of_value(text)))


def _decide(expression: str, scope: Bindings) -> Decision:
    """Whether an expression holds. Data that does not fit the expression does not make it true.

    :raises AuthorMistake: the rubric's own truth lacks what the expression asks for.
    """
    try:
        if scope.evaluate(expression):
            return Decision(True)
        return Decision(False, cause(expression, scope.values, scope.each))
    except Mismatch as problem:
        return Decision(False, f"what was extracted does not fit the expression: {problem}", misfit=True)


class Place(NamedTuple):
    """Where a node came from: ``id`` is unique in the tree, ``own`` is the author's part of it."""

    id: str
    own: str
    path: str


@dataclass(slots=True)
class Unroller:
    """Goes down a rubric tree and makes nodes and checks.

    ``mistakes`` are places where the rubric asks too much of its own truth, ``places`` says of every node
    its id, the id as its author wrote it, and where.
    """

    failed: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()
    unread: Mapping[str, str] = field(default_factory=dict)
    checks: dict[str, Check] = field(default_factory=dict)
    mistakes: list[tuple[str, str]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def node(self, spec: NodeSpec, scope: Bindings, *, opens_slot: bool = False) -> Node:
        """The node and everything below it.

        :raises TooManyNodes: loops within loops went too far.
        """
        if len(self.places) >= MAX_NODES:
            raise TooManyNodes
        name = self._name(spec, scope)
        if spec.leaf is not None:
            return self._leaf(name, spec, spec.leaf, scope)
        below = replace(scope, slot=name) if opens_slot else scope
        return Node(
            name, spec.critical, spec.mode, self._description(spec, scope), self._children(spec, below)
        )

    def _name(self, spec: NodeSpec, scope: Bindings) -> str:
        own = self._rendered(spec.id, f"{spec.path}.id", scope)
        name = f"{scope.slot}/{own}" if scope.slot and "{" not in spec.id else own
        self.places.append(Place(name, own, spec.path))
        return name

    def _children(self, spec: NodeSpec, scope: Bindings) -> tuple[Node, ...]:
        if spec.for_each is None:
            return tuple(self.node(child, scope) for child in spec.children)
        (repeated,) = spec.children
        slots = self._slots(spec.for_each, spec.path, scope)
        return tuple(self.node(repeated, slot, opens_slot=True) for slot in slots)

    def _leaf(self, name: str, spec: NodeSpec, leaf: LeafSpec, scope: Bindings) -> Node:
        if isinstance(leaf, AssertSpec) and (
            fault := class_fault(leaf.error, _made_from(leaf, scope) & self.pages)
        ):
            self.mistakes.append((f"{spec.path}.error", fault))
        try:
            check = self._check(name, leaf, scope)
            if isinstance(check, Assertion) and check.misfit and not _from_answer(leaf, scope):
                self.mistakes.append((spec.path, f"is the same for every answer: {check.reason}"))
        except AuthorMistake as mistake:
            self.mistakes.append((spec.path, str(mistake)))
            check = Unknown(name, f"the rubric has a fault: {mistake}")
        self.checks[name] = check
        description = self._description(spec, scope) or _self_description(check, leaf)
        return Node(name, spec.critical, description=description)

    def _check(self, name: str, leaf: LeafSpec, scope: Bindings) -> Check:
        lacking = sorted(_made_from(leaf, scope) & self.failed)
        if lacking:
            return Unknown(name, f"what it needs could not be extracted: {', '.join(lacking)}")
        if isinstance(leaf, AssertSpec):
            return self._assertion(name, leaf, scope)
        return _claim(name, leaf, scope) if isinstance(leaf, ClaimSpec) else _page(name, leaf, scope)

    def _assertion(self, name: str, leaf: AssertSpec, scope: Bindings) -> Assertion:
        decision = _decide(leaf.expression, scope)
        error = leaf.error if decision.holds else self._class_of_failed(leaf, scope)
        return Assertion(name, decision.holds, error, leaf.expression, decision.reason, decision.misfit)

    def _class_of_failed(self, leaf: AssertSpec, scope: Bindings) -> str | None:
        pages = _made_from(leaf, scope) & self.pages
        return fitting_class(leaf.error, pages, self.unread, lambda: _cites(leaf.expression, scope))

    def _slots(self, loop: ForEach, path: str, scope: Bindings) -> list[Bindings]:
        """One scope for each slot of a loop."""
        items = self._items(loop, path, scope)
        count = min(len(items), MAX_OWN_ITEMS) if loop.count is None else loop.count
        from_ = {loop.name: scope.made_from(expressions=[loop.items])}
        origins = from_ | {neighbour(which, loop.name): from_[loop.name] for which in NEIGHBOURS}
        return [
            replace(
                scope.having(_slot(loop.name, items, index, count, scope.values.get("loop")), origins),
                each=scope.each | {loop.name},
            )
            for index in range(count)
        ]

    def _items(self, loop: ForEach, path: str, scope: Bindings) -> Sequence[Any]:
        try:
            items = scope.evaluate(loop.items)
        except AuthorMistake as mistake:
            self.mistakes.append((f"{path}.for_each.in", str(mistake)))
            return []
        except Mismatch:
            return []
        return items if isinstance(items, list) else []

    def _rendered(self, source: str, path: str, scope: Bindings) -> str:
        try:
            return scope.render(source)
        except (AuthorMistake, Mismatch) as problem:
            self.mistakes.append((path, str(problem)))
            return ""

    def _description(self, spec: NodeSpec, scope: Bindings) -> str:
        try:
            return scope.render(spec.description)
        except Mismatch:
            return spec.description  # only shown, never judged
        except AuthorMistake as mistake:
            self.mistakes.append((f"{spec.path}.description", str(mistake)))
            return spec.description


def _slot(name: str, items: Sequence[Any], index: int, count: int, outer: Any) -> dict[str, Any]:
    def item(at: int) -> Any:
        return entry_of(list(items), at) if 0 <= at < count else Missing()

    loop = {
        "index": index + 1,
        "index0": index,
        "first": index == 0,
        "last": index == count - 1,
        "length": count,
    }
    return {
        name: item(index),
        neighbour("previous", name): item(index - 1),
        neighbour("next", name): item(index + 1),
        "loop": loop if outer is None else {**loop, "parent": outer},
    }


def _from_answer(leaf: LeafSpec, scope: Bindings) -> bool:
    """Whether an assertion or a claim depends on what the answer says, or on the task's text."""
    sources = [(leaf.expression, True)] if not isinstance(leaf, ClaimSpec) else []
    if isinstance(leaf, ClaimSpec):
        sources = [(leaf.claim, False), (leaf.additional, False), (leaf.sources or "none", True)]
    used = frozenset[str]().union(*(names_used(text, expression=kind) for text, kind in sources))
    return bool(_made_from(leaf, scope)) or not used.isdisjoint({"task", "answer"})


def _made_from(leaf: LeafSpec, scope: Bindings) -> frozenset[str]:
    if isinstance(leaf, ClaimSpec):
        return scope.made_from(expressions=[leaf.sources], templates=[leaf.claim, leaf.additional])
    if isinstance(leaf, PageSpec):
        return scope.made_from(expressions=[leaf.from_url, leaf.expression])
    return scope.made_from(expressions=[leaf.expression])


def _cites(expression: str, scope: Bindings) -> bool:
    """Whether the answer gives a URL in what an expression looks at."""
    from_answer = {"answer", *(name for name, origins in scope.origins.items() if origins)}
    return gives_url(named_values(expression, from_answer, scope.values, scope.each))


def _claim(name: str, leaf: ClaimSpec, scope: Bindings) -> Check:
    try:
        statement = scope.render(leaf.claim, whole=True)
        sources = None if leaf.sources is None else _sources(scope.evaluate(leaf.sources))
        additional = scope.render(leaf.additional)
    except Mismatch as problem:
        # The answer has not given what the claim is made of: there is nothing to ask a judge.
        reason = f"what was extracted does not fit the claim: {problem}{hole(leaf.claim, scope.values, scope.each)}"
        return Assertion(name, False, None, leaf.claim, reason, misfit=True)
    if not statement:
        reason = "nothing was extracted that the claim is made of"
        return Assertion(name, False, None, leaf.claim, reason, misfit=True)
    return Claim(name, statement, sources, additional, leaf.votes, leaf.screenshot)


def _page(name: str, leaf: PageSpec, scope: Bindings) -> PageExtraction:
    def rule(data: Any) -> Decision:
        try:
            return _decide(leaf.expression, scope.having({leaf.name: settled(data)}))
        except AuthorMistake as mistake:
            return Decision(False, f"the rubric has a fault: {mistake}")

    _decide(
        leaf.expression, scope.having({leaf.name: Missing()})
    )  # a mistake shows now, not at the first page
    return PageExtraction(
        id=name,
        name=leaf.name,
        instruction=leaf.instruction,
        schema=leaf.schema,
        url=_url(leaf.from_url, scope),
        expression=leaf.expression,
        error_class=leaf.error,
        rule=rule,
    )


def _self_description(check: Check, leaf: LeafSpec) -> str:
    if isinstance(check, Claim):
        return check.statement
    return leaf.claim if isinstance(leaf, ClaimSpec) else leaf.expression
