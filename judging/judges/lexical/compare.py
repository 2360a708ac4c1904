"""How far a passage bears out a claim: coverage of its words, names and quantities, and contradictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judging.judges.lexical.bindings import contradicted, flipped, mispaired, opposed, reversed_roles
from judging.judges.lexical.facts import Facts, facts_of, terms_of
from judging.judges.lexical.passages import Index, Window
from judging.judges.lexical.quantities import Date, Number, Quantity, agrees, comparable
from judging.judges.lexical.units import IMPLIED
from judging.judges.lexical.words import LIGHT_STEMS, is_pair

__all__ = ["Match", "best_match", "best_section"]

NAME_WEIGHT = 1.6
LIGHT_WEIGHT = 0.3
LONGER = 0.12  # what each further sentence of a window must bring in coverage
MIN_ROOT = 5  # letters two words must share from the beginning to be the same word with other endings
MAX_ENDING = 4  # letters
PLANS = 0.1  # what a window loses that only plans what the claim says
TELLING = 0.2  # the same for numbers that hardly agree by chance
AGREEING = 0.1
EXAMINED = 3  # windows whose word order is looked at
NUMBERS = 0.1  # what numbers add: they choose between windows that say the same otherwise


def _is_telling(quantity: Quantity) -> bool:
    """Whether a quantity is unlikely to stand in a text by chance: three digits and more, fractions, full dates."""
    if isinstance(quantity, Date):
        return quantity.day is not None and quantity.year is not None
    return abs(quantity.value) >= 100 or not quantity.value.is_integer()


@dataclass(frozen=True, slots=True)
class Match:
    """One claim against one window. Shares are weighted, from 0 to 1."""

    window: Window
    coverage: float  # of the claim's words, found in the window or what it stands under
    credited: float  # the same, with what the whole text is about
    own: float  # found in the window alone
    core: float  # of the words that are not what the whole text is about
    names_missing: frozenset[str]
    rivals: frozenset[str]  # names of the passage that may stand where the claim has one the text never has
    agreed: tuple[Quantity, ...]
    conflicting: tuple[Quantity, ...]
    missing: tuple[Quantity, ...]
    predicate: float | None  # share of what the claim says of its names, None if it says nothing else
    flipped: frozenset[str]  # words said of one and denied of the other, or opposites
    wanted: frozenset[str]  # the words of the core
    planned: float  # share of the core that is found, but only as planned, proposed or tried

    @property
    def bonus(self) -> float:
        """What a window that bears out every number of the claim has before one that says about as much."""
        open_questions = self.conflicting or self.missing or self.flipped
        return AGREEING if self.agreed and not open_questions else 0.0

    @property
    def rank(self) -> float:
        """What orders the windows of a text."""
        # What conflicts is about the same quantity, if it has another value.
        agreeing = sum(TELLING if _is_telling(q) else NUMBERS for q in self.agreed)
        numbers = agreeing + 0.6 * NUMBERS * len(self.conflicting)
        less = LONGER * (len(self.window.sentences) - 1) + PLANS * self.planned
        return self.core + 0.5 * self.coverage + 0.2 * self.own + numbers - less


@dataclass(frozen=True, slots=True)
class _Query:
    """A claim prepared for one text."""

    facts: Facts
    unheard: frozenset[str]  # names that stand nowhere in the text
    weight: Mapping[str, float]
    core: Mapping[str, float]
    plain: Mapping[str, float]  # the core without names, else all words without them
    credit: frozenset[str]  # what the whole text is about
    title: frozenset[str]


def _importance(term: str, names: frozenset[str]) -> float:
    if term in names:
        return NAME_WEIGHT
    return LIGHT_WEIGHT if term in LIGHT_STEMS else 1.0


def _query(claim: str, index: Index) -> _Query:
    facts = facts_of(claim)
    weight = {t: _importance(t, facts.names) * (0.35 + 0.65 * index.rarity(t)) for t in sorted(facts.stems)}
    core = {t: w for t, w in weight.items() if t not in index.topic}
    unheard = frozenset(n for n in facts.names if n not in index.places and n not in index.title)
    plain = [
        {t: w for t, w in words.items() if t not in facts.names and t not in LIGHT_STEMS}
        for words in (core, weight)
    ]
    return _Query(facts, unheard, weight, core or weight, plain[0] or plain[1], index.topic, index.title)


def _share(found: frozenset[str], weight: Mapping[str, float]) -> float:
    total = sum(weight.values())
    return sum(w for t, w in weight.items() if t in found) / total if total else 1.0


def _bridged(claim: frozenset[str], found: frozenset[str]) -> frozenset[str]:
    """CJK pairs that only straddle two words of the claim which are both found."""
    pairs = [s for s in claim & found if is_pair(s)]
    firsts, lasts = {p[0] for p in pairs}, {p[1] for p in pairs}
    return frozenset(s for s in claim - found if is_pair(s) and s[0] in lasts and s[1] in firsts)


def _akin(query: _Query, found: frozenset[str]) -> frozenset[str]:
    """Words of the claim that the passage has with another ending: "designer" for "designed"."""
    missing = [s for s in query.facts.stems - found - query.facts.names if len(s) >= MIN_ROOT]
    return frozenset(s for s in missing if any(_same_root(s, f) for f in found))


def _same_root(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= MIN_ROOT and len(long) - len(short) <= MAX_ENDING and long.startswith(short)


def _implied(claim: Facts, agreed: Sequence[Quantity], here: frozenset[str]) -> frozenset[str]:
    """Words that an agreeing number says by its unit: "14 €" is a price, "412 m" a length of some kind."""
    units = {q.unit for q in agreed if isinstance(q, Number)}
    implied = frozenset().union(*(IMPLIED.get(unit, frozenset()) for unit in units))
    return frozenset() if implied & here - claim.stems else implied & claim.stems


def _sorted_out(
    claim: Facts, window: Facts
) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...], tuple[Quantity, ...]]:
    said = _distinct(window.quantities)
    agreed = tuple(q for q in claim.quantities if any(agrees(q, p) for p in said))
    settled = frozenset(agreed)
    open_ones = [q for q in claim.quantities if q not in settled]
    free = [p for p in said if not any(agrees(q, p) for q in claim.quantities)]
    conflicting = tuple(q for q in open_ones if any(comparable(q, p) for p in free))
    disputed = frozenset(conflicting)
    return agreed, conflicting, tuple(q for q in open_ones if q not in disputed)


def _distinct(found: Sequence[Quantity]) -> Sequence[Quantity]:
    """Each quantity once, wherever it stands: a page may repeat one as often as it has characters."""
    return tuple({replace(quantity, at=(0, 0)): quantity for quantity in found}.values())


def _rivals(query: _Query, window: Window) -> frozenset[str]:
    if not query.unheard or window.is_row:
        return frozenset()
    return window.facts.names - query.facts.stems - query.title


def _match(query: _Query, window: Window) -> Match:
    claim = query.facts
    opposites = opposed(claim, window.facts)
    here = window.facts.stems | opposites
    here |= _bridged(claim.stems, here) | _akin(query, here)
    agreed, conflicting, missing = _sorted_out(claim, window.facts)
    here |= _implied(claim, agreed, here)
    reach = here | window.context
    return Match(
        window,
        _share(reach, query.weight),
        _share(reach | query.credit, query.weight),
        _share(here, query.weight),
        _share(reach, query.core),
        claim.names - reach - query.credit,
        _rivals(query, window),
        agreed,
        conflicting,
        missing,
        _share(reach, query.plain) if query.plain else None,
        (flipped(claim, window.facts) | opposites) & (query.core.keys() - claim.names or query.core.keys()),
        frozenset(query.core),
        0.0 if claim.modal else _share(window.facts.planned, query.core),
    )


def _reading(match: Match, index: Index) -> str:
    return ". ".join(index.reading(n) for n in match.window.sentences)


def _examined(match: Match, claim: str, index: Index) -> Match:
    """The match with what only its word order tells: figures and names in each other's place."""
    passage = _reading(match, index)
    if match.agreed and not match.window.is_row and mispaired(claim, passage):
        match = replace(match, agreed=(), conflicting=(*match.conflicting, *match.agreed))
    by_sentence = match.window.is_answered or match.window.facts.planned & match.wanted
    denied = None if by_sentence else contradicted(claim, match.wanted, match.flipped, passage)
    if denied is not None:
        match = replace(match, flipped=(match.flipped or frozenset({"sense"})) if denied else frozenset())
    if not match.flipped and reversed_roles(claim, passage):
        match = replace(match, flipped=frozenset({"order"}))
    return match


def best_section(claim: str, index: Index) -> Match | None:
    """The whole section that says most about the claim, for what one sentence need not say."""
    query = _query(claim, index)
    matches = [_match(query, window) for window in index.sections(terms_of(claim))]
    return max(matches, key=lambda m: (round(m.core + m.coverage, 9), -m.window.span.start), default=None)


def best_match(claim: str, index: Index) -> Match | None:
    """The window that says most about the claim, None if no word of it stands in the text."""
    query = _query(claim, index)
    matches = [_match(query, window) for window in index.windows(terms_of(claim))]
    matches.sort(key=lambda m: (-round(m.rank, 9), m.window.span.start))
    examined = [_examined(m, claim, index) for m in matches[:EXAMINED]]
    return max(examined, key=lambda m: round(m.rank + m.bonus, 9), default=None)  # the first of equals
