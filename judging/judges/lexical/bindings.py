"""What belongs to what inside a passage: a figure to its year or its bearer, a role to its holder.

A passage may hold every word and number of a claim and still say something else: "444 in 2025 after 1,110
in 2015" is no support for 444 in 2015, and "Harn beat Torvale" none for the reverse.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from judging.judges.lexical.facts import Facts, clauses_of, facts_of, readable
from judging.judges.lexical.quantities import Date, Number, Quantity, agrees, comparable
from judging.judges.lexical.vocabulary import STOP_WORDS
from judging.judges.lexical.words import content_stems, fold_word, opposites_of, stem, words_in

__all__ = ["contradicted", "flipped", "mispaired", "opposed", "reversed_roles"]

_CLAUSE = re.compile(
    r"[;()]|,\s|\.\s|\b(?:and|while|but|after|against|compared (?:with|to)|versus|vs|than|before|whereas|followed by"
    r"|up from|down from)\b|[，；。、]",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w'’-]{0,40}(?: (?:[A-Z]\.|[A-Z][\w'’-]{0,40})){0,4}"
_ROLE_OF = re.compile(rf"(?P<role>[a-z]{{3,30}}) (?:of|to|for) (?:the )?(?P<name>{_NAME})")
_ROLE_POSSESSIVE = re.compile(rf"(?P<name>{_NAME})['’]s? (?:[a-z]{{3,30}} ){{0,2}}?(?P<role>[a-z]{{3,30}})\b")
_HOLDABLE = re.compile(
    r"(?:er|or|ist|ian|ess|ee|man|woman|son|wife|husband|king|queen|head|chief|capital|heir|pupil|student)s?$"
)
_GROUP = re.compile(_NAME)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|may|must)\b")


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Two names in the order they stand, with the words between them."""

    first: frozenset[str]
    second: frozenset[str]
    between: frozenset[str]
    passive: bool


@dataclass(frozen=True, slots=True)
class _Clause:
    facts: Facts
    names: frozenset[str]

    @property
    def quantities(self) -> Sequence[Quantity]:
        return self.facts.quantities


def _clauses(text: str) -> list[_Clause]:
    parts = (part for part in _CLAUSE.split(readable(text)) if part.strip())
    return [_Clause(facts_of(part), _named(part)) for part in parts]


def _named(text: str) -> frozenset[str]:
    """Every word written with a capital, the first as well: there are two places to compare it with."""
    return frozenset().union(*(_stems(group[0]) for group in _GROUP.finditer(text)))


def _holds(clause: _Clause, quantity: Quantity) -> bool:
    return any(agrees(quantity, q) for q in clause.quantities)


def _other_number(clause: _Clause, number: Number) -> bool:
    return any(
        isinstance(q, Number) and q.unit == number.unit and not agrees(number, q) for q in clause.quantities
    )


def _other_date(clause: _Clause, dates: Sequence[Date]) -> bool:
    found = [q for q in clause.quantities if isinstance(q, Date)]
    return bool(found) and not any(agrees(d, f) for d in dates for f in found)


def _by_date(clauses: Sequence[_Clause], number: Number, dates: Sequence[Date]) -> bool:
    holding = [c for c in clauses if _holds(c, number)]
    dated = [c for c in clauses if any(_holds(c, d) for d in dates)]
    return (
        bool(holding)
        and all(_other_date(c, dates) for c in holding)
        and any(_other_number(c, number) for c in dated)
    )


def _by_name(clauses: Sequence[_Clause], number: Number, names: frozenset[str]) -> bool:
    holding = [c for c in clauses if _holds(c, number)]
    telling = names - frozenset().union(*(c.facts.stems for c in holding))
    if not holding or not telling or not all(c.names - names for c in holding):
        return False
    beside = [q for c in clauses if telling & c.facts.stems for q in c.quantities]
    return any(comparable(number, q) and not agrees(number, q) for q in beside)


def _by_opposite(clauses: Sequence[_Clause], number: Number, claim: frozenset[str]) -> bool:
    """Whether the number stands with the opposite of a word of the claim, and the word with another number."""
    holding = [c for c in clauses if _holds(c, number)]
    turned = [_opposites_in(claim, c.facts.stems) for c in holding]
    if not turned or not all(turned):
        return False
    words = frozenset().union(*turned)
    return any(words & c.facts.stems and _other_number(c, number) for c in clauses)


def mispaired(claim: str, passage: str) -> bool:
    """Whether the passage gives a number of the claim to another date or bearer, and the claim's another number."""
    facts = facts_of(claim)
    numbers = [q for q in facts.quantities if isinstance(q, Number)]
    dates = [q for q in facts.quantities if isinstance(q, Date)]
    if not numbers:
        return False
    names = _named(claim)
    clauses = _clauses(passage)
    return any(
        _by_date(clauses, n, dates) or _by_name(clauses, n, names) or _by_opposite(clauses, n, facts.stems)
        for n in numbers
    )


def _opposites_in(claim: frozenset[str], there: frozenset[str]) -> frozenset[str]:
    """Words of the claim for which a text has the opposite, and not the word itself."""
    return frozenset(s for s in claim - there if opposites_of(s) & there and not opposites_of(s) & claim)


def opposed(claim: Facts, there: Facts) -> frozenset[str]:
    """Words the claim asserts whose opposite a text asserts: "not refundable" does not oppose "non-refundable"."""
    return _opposites_in(claim.stems, there.stems - there.negated) - claim.negated - there.stems


def flipped(claim: Facts, there: Facts) -> frozenset[str]:
    """Words that one of two texts says and the other denies."""
    shared = claim.stems & there.stems
    return (shared & claim.asserted & there.negated) | (shared & claim.negated & there.asserted)


def _subject(claim: str) -> frozenset[str]:
    """The words before the first auxiliary verb: what a claim is about."""
    match = _AUXILIARY.search(claim)
    return frozenset(content_stems(claim[: match.start()])) if match else frozenset()


def _bearing(claim: Facts, subject: frozenset[str], core: frozenset[str], clause: Facts) -> float:
    """How much of a claim a clause speaks of, in whatever sense: what is not the text's topic counts double."""
    words = claim.stems & (clause.stems | opposed(claim, clause))
    agreeing = sum(any(agrees(q, p) for p in clause.quantities) for q in claim.quantities)
    return len(words) + len(words & core) + 0.5 * len(words & subject) + 2 * agreeing if words & core else 0.0


def contradicted(claim: str, core: frozenset[str], doubtful: frozenset[str], passage: str) -> bool | None:
    """Whether the clauses of a passage that bear most on a claim deny it; None if they do not tell.

    A passage may allow one thing and forbid another: only the clause about the claim's own counts, and it
    tells only if it has the ``doubtful`` words, which the passage denies somewhere.
    """
    facts, subject = facts_of(claim), _subject(readable(claim))
    clauses = [facts_of(clause) for clause in clauses_of(readable(passage))]
    bearing = [_bearing(facts, subject, core, c) for c in clauses]
    most = max(bearing, default=0.0)
    telling = [c for c, b in zip(clauses, bearing, strict=True) if b == most > 0]
    if doubtful and not any(doubtful & (c.stems | opposed(facts, c)) for c in telling):
        return None
    denials = {bool((flipped(facts, c) | opposed(facts, c)) & core) for c in telling}
    return denials.pop() if len(denials) == 1 else None


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(w) for w in words_in(text) if w not in STOP_WORDS and not w.isdigit())


def _roles(text: str) -> dict[str, frozenset[str]]:
    roles: dict[str, frozenset[str]] = defaultdict(frozenset)
    for pattern in (_ROLE_OF, _ROLE_POSSESSIVE):
        for match in pattern.finditer(text):
            if _HOLDABLE.search(match["role"]):
                roles[stem(fold_word(match["role"]))] |= _stems(match["name"])
    return roles


def _ordered(text: str) -> _Ordered | None:
    groups = [g for g in _GROUP.finditer(text) if _stems(g[0])]
    if len(groups) != 2:
        return None
    between = text[groups[0].end() : groups[1].start()]
    passive = re.search(r"\bby\s+(?:the\s+)?$", between) is not None
    return _Ordered(_stems(groups[0][0]), _stems(groups[1][0]), _stems(between), passive)


def _exchanged_roles(claim: str, passage: str) -> bool:
    claimed, given = _roles(claim), _roles(passage)
    named = _named(claim)
    return any(
        holder and given[role] and not holder & given[role] and given[role] <= named
        for role, holder in claimed.items()
        if role in given
    )


def _exchanged_order(claim: str, passage: str) -> bool:
    one = _ordered(claim)
    if one is None:
        return False
    for clause in re.split(r"[.;,]\s", passage):
        other = _ordered(clause)
        if other and one.between & other.between and (one.passive == other.passive):
            same = bool(one.first & other.first and one.second & other.second)
            turned = bool(one.first & other.second and one.second & other.first)
            if turned and not same:
                return True
    return False


def reversed_roles(claim: str, passage: str) -> bool:
    """Whether the passage has the claim's two names in each other's place."""
    claim, passage = readable(claim), readable(passage)
    return _exchanged_roles(claim, passage) or _exchanged_order(claim, passage)
