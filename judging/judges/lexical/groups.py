"""The runs of like things in an answer: sections beside each other, lists, tables; and how list-like each is."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judging.judges.lexical.document import Element, Kind
from judging.judges.lexical.facts import readable
from judging.judges.lexical.words import content_stems

__all__ = ["Group", "groups_in"]

MAX_GROUPS = 200  # runs looked at for one array
MAX_COMPARED = 20  # headings of a run
MAX_HEADING = 80  # characters of a heading that is compared with the usual ones
_NUMBERED = re.compile(r"\W{0,8}(?:\w{1,30}\s)?#?\d{1,3}\s*[.):–—-]|.{0,30}\b\d{1,3}\s*:", re.IGNORECASE)
_ASIDE = re.compile(
    r"\W*(?:[\d.]+\W*)?(?:(?:\w{1,20}\s){0,2}(?:sources?|references?|citations?)|bibliography|summary|conclusions?|notes?|methodology|limitations?"
    r"|further reading|introduction|overview|caveats?|disclaimer|appendix|next steps|(?:what|which) i left out.*"
    r"|not (?:chosen|included).*|(?:other|also|why) .{0,40}|rejected.*|excluded.*|planning notes|research .{0,40}"
    r"|来源|参考.{0,6}|总结|结论)\W*",
    re.IGNORECASE,
)
_FIELD = re.compile(r"[*_]{0,2}[^:：\n]{1,40}[:：]")


@dataclass(frozen=True, slots=True)
class Group:
    """Things beside each other and the heading or sentence above them."""

    items: Sequence[Element]
    above: str
    numbered: bool

    def worth(self, wanted: frozenset[str]) -> float:
        """How much the run looks like the list that is wanted, before its items are read; about 1."""
        above = frozenset(content_stems(readable(self.above)))
        fit = len(above & wanted) / len(above) if above else 0.0
        doubts = 0.2 ** (_is_aside(self.above) + self._are_fields()) * (0.5 if self._is_title() else 1.0)
        named = 1.3 if self._common_words() & wanted else 1.0
        return (1.0 + 0.5 * fit) * (1.3 if self.numbered else 1.0) * named * doubts

    def _common_words(self) -> frozenset[str]:
        """What the headings of a run of sections have in common: "Generation" of "Generation 1: …", "Generation 2: …"."""
        if len(self.items) < 2 or self.items[0].kind is not Kind.SECTION:
            return frozenset()
        heads = [frozenset(content_stems(readable(i.head))) for i in self.items[:MAX_COMPARED]]
        return frozenset.intersection(*heads)

    def _is_title(self) -> bool:
        """Whether a lone heading stands above others: the title of an answer holds whatever its sections do."""
        only = self.items[0] if len(self.items) == 1 and not self.numbered else None
        return only is not None and sum(1 for c in only.children if c.kind is Kind.SECTION) > 1

    def _are_fields(self) -> bool:
        """Whether a list is the fields of one thing ("Price: …", "Beds: …") and no list of things."""
        if self.items[0].kind is not Kind.ITEM:
            return False
        labelled = sum(1 for i in self.items if _FIELD.match(i.head) and not i.children)
        return labelled > 0.6 * len(self.items)


def _is_aside(heading: str) -> bool:
    """Whether a heading speaks of sources, notes or what was left out; only short ones are looked at."""
    return len(heading) <= MAX_HEADING and _ASIDE.fullmatch(heading) is not None


def _sections(scope: Element) -> Iterator[Group]:
    sections = [c for c in scope.children if c.kind is Kind.SECTION and not _is_aside(c.head)]
    for level in sorted({c.level for c in sections}):
        beside = [c for c in sections if c.level == level]
        numbered = [c for c in beside if _NUMBERED.match(c.head)]
        yield Group(numbered or beside, scope.head, bool(numbered))


def groups_in(scope: Element) -> list[Group]:
    """Every run of like things within a part of an answer, outer ones first."""
    groups: list[Group] = []
    queue = deque([(scope, scope.head)])
    while queue and len(groups) < MAX_GROUPS:
        element, above = queue.popleft()
        groups.extend(_sections(element))
        if element.kind in (Kind.LIST, Kind.TABLE) and element.children:
            groups.append(Group(element.children, above, element.ordered))
        before = element.head or above
        for child in element.children:
            queue.append((child, before))
            before = child.head if child.kind is Kind.PARAGRAPH else before
    return groups
