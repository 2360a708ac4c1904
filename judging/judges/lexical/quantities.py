"""Numbers, dates, years, ordinals and times of a text, with their units, and whether two of them agree.

``1,234``, ``1 234``, ``1.2 million``, ``12 %``, ``€ 5``, ``3 May 2024``, ``2024年5月3日``, ``twenty-five`` and
``3rd`` are read as what they mean. Where a notation has two readings (``1.234``, ``04/05/2024``) both are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from judging.judges.lexical.units import UNITS
from judging.judges.lexical.vocabulary import MONTHS, NUMBER_WORDS, ORDINAL_WORDS, SCALES, STOP_WORDS
from judging.judges.lexical.words import fold_word, stem

__all__ = ["Date", "Number", "Quantity", "agrees", "comparable", "quantities"]

ABOUT = 0.05  # relative tolerance of a number that is said to be approximate
BOUND_REACH = 1.5  # "over 300" is borne out by 300 to 450, not by 30,000


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month, a year or a day of a year; None is what is not said.

    ``swapped``: written as two numbers that may be day and month or month and day.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    swapped: bool = False
    at: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in the base unit of its dimension.

    ``unit`` is ``""`` for a bare number; ``near`` are the stems of the words beside it; ``others`` further
    readings of the same notation; ``step`` is one unit in the last place written, ``factor`` the size of the
    unit it was written in, both in base units; ``bound`` is ``about``, ``over``, ``under`` or empty.
    """

    value: float
    unit: str = ""
    near: frozenset[str] = frozenset()
    bound: str = ""
    others: tuple[float, ...] = ()
    step: float = 1.0
    factor: float = 1.0
    text: str = ""
    at: tuple[int, int] = (0, 0)


Quantity = Date | Number

_MONTH = r"(?P<name>[^\W\d_]{3,12})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|º|\.)?"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d-])(?P<year>[12]\d{3})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<year>\d{4}) ?[年년](?: ?(?P<month>\d{1,2}) ?[月월](?: ?(?P<day>\d{1,2}) ?[日号일])?)?",
        r"(?<!\d)(?P<month>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日号일]",
        rf"(?<![\d.,]){_DAY} (?:of |de )?{_MONTH}\.?,? (?:de |of )?{_YEAR}",
        rf"(?<!\w){_MONTH}\.? {_DAY},? {_YEAR}",
        rf"(?<!\w){_MONTH}\.?,? (?:of |de )?{_YEAR}",
        rf"(?<![\d.,]){_DAY} (?:of |de )?{_MONTH}(?!\w)",
        rf"(?<!\w){_MONTH}\.? {_DAY}(?![\w.,:]\d|\w)",
        r"(?<![\d./-])(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?P=mark)(?P<year>[12]\d{3})(?!\d)",
    )
)
_NUMBER = re.compile(
    r"(?<![a-zA-Z\d_.,])(?<!\d:)(?<![A-Z]-)(?:\d{1,3}(?:[ ,.'’]\d{3})+(?![\d])(?:[.,]\d{1,9})?|\d{1,15}(?:[.,]\d{1,9})?)(?!\d)"
)
_VERSION = re.compile(r"(?:\.\d{1,9}){1,6}")
_CLOCK = re.compile(r":([0-5]\d)(?::([0-5]\d))?(?:\s?([ap])\.?m\b)?", re.IGNORECASE)
_HALF_DAY = re.compile(r" ?([ap])\.?m\b", re.IGNORECASE)
_WORD_NUMBER = re.compile(r"(?<!\w)[^\W\d_]+(?:-[^\W\d_]+)?(?!\w)")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|º|ª)(?!\w)")
_SCALE = re.compile(r"[ -]?(百万|[万萬亿億千만억]|[^\W\d_]{1,9}(?![^\W\d_]))")
_UNIT = re.compile(
    r"[ -]{0,2}(per cent|us\$|square (?:kilo)?met(?:re|er)|square mile|sq\.? ?k?m|degrees? (?:celsius|fahrenheit)|°[cf]|[kcm]?m[²2]|[%‰$€£¥℃₹₩]|公里|キロ|メートル|米|公斤|美元|欧元|円|元|人|[^\W\d_]{1,20})",
    re.IGNORECASE,
)
_CURRENCY = re.compile(
    r"(us\$|[$€£¥₹₩]|(?<!\w)(?:usd|eur|gbp|chf|cny|rmb|jpy|nok|sek|dkk|inr)) ?$", re.IGNORECASE
)
_NEAR = re.compile(r"[^\W\d_]{2,30}")
_BOUNDS = tuple(
    (name, re.compile(rf"(?:{words})\s*(?:us\$|[$€£¥₹₩])?\s*$", re.IGNORECASE))
    for name, words in (
        (
            "about",
            r"\babout|\baround|\bapproximately|\bapprox\.?|\bnearly|\balmost|\broughly|\bcirca|\bca?\.|\bsome|~|≈|约|大约|約|\betwa|\benviron|\bunos",
        ),
        (
            "over",
            r"\bover|\bmore than|\bat least|\babove|\bexceed(?:s|ed|ing)?|\bminimum of|>|≥|超过|至少|\bmehr als|\bmindestens",
        ),
        (
            "under",
            r"\bunder|\bless than|\bfewer than|\bat most|\bbelow|\bup to|\bno more than|\bmaximum of|<|≤|不到|最多|\bweniger als",
        ),
    )
)


def _int(text: str | None) -> int | None:
    return int(text) if text else None


def _swapped_date(match: re.Match[str]) -> Date | None:
    first, second, year = (int(match[g]) for g in ("first", "second", "year"))
    if match["mark"] == "." or first > 12:
        day, month = first, second
    else:
        month, day = first, second
    return _checked(Date(year, month, day, swapped=match["mark"] == "/" and first <= 12 and second <= 12))


def _checked(date: Date) -> Date | None:
    month_fits = date.month is None or 1 <= date.month <= 12
    day_fits = date.day is None or 1 <= date.day <= 31
    return date if month_fits and day_fits else None


def _date(match: re.Match[str]) -> Date | None:
    groups = match.groupdict()
    if "first" in groups:
        return _swapped_date(match)
    month = _int(groups.get("month"))
    if "name" in groups:
        month = MONTHS.get(fold_word(groups["name"]))
        if month is None:
            return None
    return _checked(Date(_int(groups.get("year")), month, _int(groups.get("day"))))


def _dates(text: str, taken: bytearray) -> Iterator[Date]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            date = None if any(taken[match.start() : match.end()]) else _date(match)
            if date is not None:
                taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                yield replace(date, at=match.span())


def _readings(digits: str) -> tuple[float, tuple[float, ...], float]:
    """Value, other readings and last place of a run of digits with separators."""
    compact = re.sub(r"[ '’]", "", digits)
    marks = [c for c in compact if c in ".,"]
    if not marks:
        return float(compact), (), 1.0
    decimal = marks[-1]
    whole, _, part = compact.rpartition(decimal)
    grouped = len(part) == 3 and (
        (len(marks) > 1 and len(set(marks)) == 1) or decimal == "," or len(whole) <= 3
    )
    as_group = float(re.sub(r"[.,]", "", compact))
    as_decimal = float(re.sub(r"[.,]", "", whole) + "." + part)
    place = 10.0 ** -len(part)
    if not grouped:
        return as_decimal, (), place
    if decimal == "." and len(marks) == 1:
        return as_decimal, (as_group,), place
    return as_group, (), 1.0


def _near(text: str, start: int, end: int) -> frozenset[str]:
    before = [fold_word(w) for w in _NEAR.findall(text[max(0, start - 40) : start])]
    after = [fold_word(w) for w in _NEAR.findall(text[end : end + 30])]
    telling = ([w for w in words if w not in STOP_WORDS] for words in (before[-3:], after[:2]))
    left, right = telling
    return frozenset(stem(w) for w in (*left[-1:], *right))


def _bound(text: str, start: int) -> str:
    before = text[max(0, start - 24) : start]
    return next((name for name, pattern in _BOUNDS if pattern.search(before)), "")


def _negative(text: str, start: int) -> bool:
    return text[start - 1 : start] in ("-", "−") and not text[max(0, start - 2) : start - 1].strip()


def _scale(text: str, end: int, currency: bool) -> tuple[float, int]:
    match = _SCALE.match(text, end)
    word = fold_word(match[1]) if match else ""
    if currency and word in ("m", "b"):
        return {"m": 1e6, "b": 1e9}[word], match.end() if match else end
    if match and word in SCALES:
        return SCALES[word], match.end()
    return 1.0, end


def _unit_after(text: str, end: int) -> tuple[str, float, int]:
    match = _UNIT.match(text, end)
    if match:
        word = match[1].casefold()
        singular = word.removesuffix("s") if len(word) > 3 else word  # "metres", but not "has"
        known = UNITS.get(word) or UNITS.get(singular)
        if known:
            return *known, match.end()
    return "", 1.0, end


def _unit(text: str, start: int, end: int) -> tuple[str, float, int]:
    before = _CURRENCY.search(text[max(0, start - 4) : start])
    if before:
        return *UNITS[before[1].casefold()], end
    return _unit_after(text, end)


def _clock(text: str, digits: str, end: int) -> Number | None:
    """A time of day or a duration, in seconds: ``17:30``, ``5:30 pm``, ``7 pm``, ``4:58:51``."""
    if not digits.isdigit() or len(digits) > 3:
        return None
    match = _CLOCK.match(text, end)
    minutes, seconds, half = match.groups() if match else ("0", "0", None)
    if match is None:
        match = _HALF_DAY.match(text, end)
        half = match[1] if match else None
    if match is None:
        return None
    hours = int(digits) % 12 + 12 * (half.casefold() == "p") if half else int(digits)
    value = hours * 3600.0 + int(minutes) * 60 + int(seconds or 0)
    return Number(value, unit="time", at=(end - len(digits), match.end()))


def _measured(text: str, match: re.Match[str]) -> Number:
    start, end = match.span()
    value, others, step = _readings(match.group())
    currency = bool(_CURRENCY.search(text[max(0, start - 4) : start]))
    scale, end = _scale(text, end, currency)
    unit, factor, end = _unit(text, start, end)
    times = scale * factor * (-1 if _negative(text, start) else 1)
    return Number(
        value * times, unit, _near(text, start, end), _bound(text, start), tuple(o * times for o in others),
        step * scale * factor, factor, at=(start, end),
    )  # fmt: skip


def _bare_year(text: str, match: re.Match[str], number: Number) -> bool:
    digits = match.group()
    if len(digits) != 4 or not digits.isdigit() or not 1000 <= int(digits) <= 2199 or number.unit:
        return False
    following = _NEAR.match(text[match.end() + 1 : match.end() + 30])
    word = fold_word(following.group()) if following else ""
    return number.step == 1.0 and not number.bound and not (word.endswith("s") and word not in STOP_WORDS)


def _number(text: str, match: re.Match[str]) -> Quantity:
    start, end = match.span()
    version = _VERSION.match(text, end)
    if version and "." in match.group():
        return Number(0.0, "version", text=match.group() + version.group(), at=(start, version.end()))
    clock = _clock(text, match.group(), end)
    if clock is not None:
        return clock
    if _ORDINAL.match(text, end):
        return Number(
            _readings(match.group())[0], "ordinal", _near(text, start, end + 2), at=(start, end + 2)
        )
    number = _measured(text, match)
    if _bare_year(text, match, number):
        return Date(int(match.group()), at=(start, end))
    return number


def _numbers(text: str, taken: bytearray) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        if not any(taken[match.start() : match.end()]):
            yield _number(text, match)


def _word_value(word: str) -> int | None:
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    tens, _, ones = word.partition("-")
    if ones and NUMBER_WORDS.get(tens, 0) >= 20 and 1 <= NUMBER_WORDS.get(ones, 0) <= 9:
        return NUMBER_WORDS[tens] + NUMBER_WORDS[ones]
    return None


def _written(text: str) -> Iterator[Number]:
    """Numbers and ordinals in words; "one" and "first" are seldom meant as numbers."""
    for match in _WORD_NUMBER.finditer(text):
        word = match.group().casefold()
        start, end = match.span()
        if word in ("one", "first"):
            continue
        if word in ORDINAL_WORDS and text[end : end + 1] != "s":
            yield Number(float(ORDINAL_WORDS[word]), "ordinal", _near(text, start, end), at=(start, end))
            continue
        value = _word_value(word)
        if value is None:
            continue
        scale, end = _scale(text, end, currency=False)
        unit, factor, end = _unit_after(text, end)
        yield Number(
            value * scale * factor, unit, _near(text, start, end), _bound(text, start),
            step=scale * factor, factor=factor, at=(start, end),
        )  # fmt: skip


def quantities(text: str) -> list[Quantity]:
    """Every number and date of a plain text (:func:`words.plain`), in the order they stand."""
    if not any(c.isdigit() for c in text):
        found: list[Quantity] = list(_written(text))
        return found
    taken = bytearray(len(text))
    found = [*_dates(text, taken), *_numbers(text, taken), *_written(text)]
    return sorted(found, key=lambda q: q.at)


def _dates_agree(claim: Date, page: Date) -> bool:
    parts = ((claim.year, page.year), (claim.month, page.month), (claim.day, page.day))
    if all(c is None or c == p for c, p in parts):
        return True
    if page.swapped or claim.swapped:
        return claim.year == page.year and (claim.month, claim.day) == (page.day, page.month)
    return False


def _tolerance(claim: Number, page: Number) -> float:
    if "about" in (claim.bound, page.bound):
        return ABOUT * abs(claim.value)
    if claim.factor != page.factor:
        return max(claim.step, page.step) * 0.51
    if page.step < claim.step:
        return claim.step * 0.5
    return 1e-9 * max(1.0, abs(claim.value))


def _within_bound(claim: Number, value: float) -> bool:
    if claim.bound == "over":
        return claim.value <= value <= claim.value * BOUND_REACH
    if claim.bound == "under":
        return claim.value / BOUND_REACH <= value <= claim.value
    return False


def _units_fit(claim: Number, page: Number) -> bool:
    if claim.unit == page.unit:
        return True
    return "" in (claim.unit, page.unit) and not {"version", "time"} & {claim.unit, page.unit}


def _readings_of(number: Number) -> tuple[float, ...]:
    readings = (number.value, *number.others)
    # A fall of 9 % is written "−9 %" in tables and "falls by 9 %" in sentences.
    return tuple(abs(r) for r in readings) if number.unit == "%" else readings


def _numbers_agree(claim: Number, page: Number) -> bool:
    if not _units_fit(claim, page):
        return False
    if claim.unit == "version":
        return claim.text == page.text
    here, there = _readings_of(claim), _readings_of(page)
    tolerance = _tolerance(claim, page)
    return any(abs(c - p) <= tolerance for c in here for p in there) or any(
        _within_bound(claim, p) for p in there
    )


def agrees(claim: Quantity, page: Quantity) -> bool:
    """Whether what a page says bears out what a claim says; a claim may be coarser, never finer."""
    if isinstance(claim, Date) and isinstance(page, Date):
        return _dates_agree(claim, page)
    if isinstance(claim, Number) and isinstance(page, Number):
        return _numbers_agree(claim, page)
    date, number = (claim, page) if isinstance(claim, Date) else (page, claim)
    return (
        isinstance(date, Date) and isinstance(number, Number) and number.unit == ""
        and (date.month, date.day) == (None, None) and date.year == number.value
    )  # fmt: skip


def comparable(claim: Quantity, page: Quantity) -> bool:
    """Whether two quantities say the same kind of thing, so that differing values contradict each other."""
    if isinstance(claim, Date) and isinstance(page, Date):
        return (claim.year is None) == (page.year is None) or claim.month is not None is not page.month
    if isinstance(claim, Number) and isinstance(page, Number):
        if claim.unit != page.unit:
            return False
        return claim.unit not in ("", "ordinal") or bool(claim.near & page.near)
    return False
