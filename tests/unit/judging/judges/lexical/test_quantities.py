"""Numbers and dates are read as what they mean, in whatever notation."""

from __future__ import annotations

import pytest

from judging.judges.lexical.quantities import Date, Number, Quantity, agrees, comparable, quantities
from judging.judges.lexical.words import plain


def read(text: str) -> list[Quantity]:
    return quantities(plain(text))


def one(text: str) -> Quantity:
    (quantity,) = read(text)
    return quantity


def value(text: str) -> tuple[float, str]:
    number = one(text)
    assert isinstance(number, Number)
    return round(number.value, 6), number.unit


def date(text: str) -> tuple[int | None, int | None, int | None]:
    found = one(text)
    assert isinstance(found, Date)
    return found.year, found.month, found.day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234 nests", (1234, "")), ("1 234 nests", (1234, "")), ("1'234 nests", (1234, "")),
        ("1.234.567 nests", (1234567, "")), ("1,234.5 nests", (1234.5, "")), ("1.234,5 nests", (1234.5, "")),
        ("12,5 nests", (12.5, "")), ("0.5 nests", (0.5, "")), ("１２ nests", (12, "")),
        ("1.2 million people", (1200000, "")), ("3 thousand", (3000, "")), ("8.5万册", (85000, "")),
        ("2 百万", (2000000, "")), ("5k", (5000, "")),
        ("12 %", (12, "%")), ("12 percent", (12, "%")), ("12 per cent", (12, "%")), ("−9 %", (-9, "%")),
        ("€5.50", (5.5, "EUR")), ("5.50 €", (5.5, "EUR")), ("USD 20", (20, "USD")), ("US$ 3m", (3e6, "USD")),
        ("$1.5b", (1.5e9, "USD")), ("€1.48bn", (1.48e9, "EUR")), ("800円", (800, "JPY")),
        ("8.8 km", (8800, "m")), ("29,032 ft", (8848.9536, "m")), ("5-metre", (5, "m")), ("3 has", (3, "")), ("3 hrs", (10800, "s")), ("23.6 square kilometres", (23.6e6, "m2")), ("45 minutes", (2700, "s")),
        ("-5 °C", (-5, "degC")), ("210 degrees Celsius", (210, "degC")), ("3 km²", (3e6, "m2")), ("8848米", (8848, "m")),
        ("17:30", (63000, "time")), ("5:30 pm", (63000, "time")), ("12:15 a.m.", (900, "time")), ("4:58:51", (17931, "time")),
        ("twenty-five games", (25, "")), ("three kilometres", (3000, "m")), ("two hundred", (200, "")),
        ("3rd place", (3, "ordinal")), ("the second try", (2, "ordinal")),
    ],
)  # fmt: skip
def test_a_number_is_read_with_its_unit(text: str, expected: tuple[float, str]) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-03", (2024, 5, 3)), ("2024/5/3", (2024, 5, 3)), ("3 May 2024", (2024, 5, 3)),
        ("May 3, 2024", (2024, 5, 3)), ("3rd of May 2024", (2024, 5, 3)), ("3. Mai 2024", (2024, 5, 3)),
        ("3 de mayo de 2024", (2024, 5, 3)), ("3 août 2024", (2024, 8, 3)), ("2024年5月3日", (2024, 5, 3)),
        ("2024년 5월 3일", (2024, 5, 3)), ("3.5.2024", (2024, 5, 3)), ("13/05/2024", (2024, 5, 13)),
        ("May 2024", (2024, 5, None)), ("2024年5月", (2024, 5, None)), ("in 2024", (2024, None, None)),
        ("1952年", (1952, None, None)), ("14 March", (None, 3, 14)), ("March 14", (None, 3, 14)), ("5月3日", (None, 5, 3)),
    ],
)  # fmt: skip
def test_a_date_is_read_in_many_formats(
    text: str, expected: tuple[int | None, int | None, int | None]
) -> None:
    assert date(text) == expected


@pytest.mark.parametrize(
    "text",
    ["one of them", "at first", "K-17", "GPT4", "H2O", "no numbers here", "seconds", ""],
)
def test_what_is_no_number_is_not_read_as_one(text: str) -> None:
    assert read(text) == []


def test_impossible_dates_are_numbers() -> None:
    assert not any(isinstance(q, Date) and q.month for q in read("99/99/2024 and 2024-13-45 and 32 May"))


def test_a_name_that_is_no_month_makes_no_date() -> None:
    assert [type(q) for q in read("3 apples 2024")] == [Number, Date]


def test_versions_are_not_decimals() -> None:
    assert agrees(one("3.11.7"), one("3.11.7"))
    assert not agrees(one("3.11.7"), one("3.11.8"))
    assert not agrees(one("3.11.7"), one("3.11"))


def test_a_count_of_things_is_no_year() -> None:
    assert isinstance(one("1500 soldiers"), Number)
    assert isinstance(one("over 1500"), Number)
    assert isinstance(one("1500 m"), Number)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("1,234 nests", "1234 nests"), ("8.8 km", "8,849 m"), ("8,849 m", "29,032 ft"), ("29,032 ft", "8,849 m"),
        ("1.2 million", "1,204,567"), ("about 300", "312"), ("over 300", "312"), ("under 50", "45"), ("12 km", "12.4 km"),
        ("1.234 nests", "1,234 nests"), ("May 2024", "3 May 2024"), ("2024", "3 May 2024"), ("3 May", "2024-05-03"),
        ("04/05/2024", "4 May 2024"), ("4 May 2024", "04/05/2024"), ("in 1953", "1953 games"), ("fell 9 %", "−9 %"),
        ("5th", "5"), ("24", "24 m"),
    ],
)  # fmt: skip
def test_a_claim_agrees_with_a_page_that_says_at_least_as_much(claim: str, page: str) -> None:
    assert agrees(one(claim), one(page))


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("1,234 nests", "1,243 nests"), ("8,848 m", "8,849 m"), ("12 m", "12 kg"), ("3 May 2024", "May 2024"),
        ("3 May 2024", "2024"), ("2023", "2024"), ("about 300", "400"), ("over 300", "30,000"), ("over 300", "299"),
        ("under 50", "51"), ("1,204,567", "1.2 million"), ("05/06/2024", "7 June 2024"), ("3 May 2024", "4 games"),
        ("17:30", "17"), ("-5 °C", "5 °C"),
    ],
)  # fmt: skip
def test_a_claim_disagrees_with_a_page_that_says_another_thing_or_less(claim: str, page: str) -> None:
    assert not agrees(one(claim), one(page))


@pytest.mark.parametrize(
    ("claim", "page", "expected"),
    [
        ("5 €", "6 €", True), ("5 €", "6 $", False), ("24 beds", "26 beds", True), ("24 beds", "26 games", False),
        ("2nd booster", "3rd booster", True), ("2023", "2024", True), ("3 May", "4 May", True), ("3 May", "2024", False),
        ("2023", "5 €", False),
    ],
)  # fmt: skip
def test_only_quantities_of_one_kind_can_contradict(claim: str, page: str, expected: bool) -> None:
    assert comparable(one(claim), one(page)) is expected


def test_quantities_stand_in_the_order_of_the_text() -> None:
    text = "On 3 May 2024 two boats and 14 crews sailed 5 km."
    found = read(text)
    assert [text[slice(*q.at)] for q in found] == ["3 May 2024", "two", "14", "5 km"]
