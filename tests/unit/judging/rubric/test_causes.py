"""Why an expression does not hold: the part that decided it, with the values it had."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.rubric.causes import MAX_CAUSE, MAX_VALUE, cause, hole, named_values, shown_value, written
from judging.rubric.templates import evaluate, parse_expression
from judging.rubric.values import Missing, authored

VALUES: dict[str, Any] = {
    "a": {"name": "Ada", "year": 1712, "marks": [1, 2], "none": None, "blank": ""},
    "truth": {"year": 1713},
    "answer": "x" * 3_000,
}

CAUSES = [
    ("a.zip", "a.zip does not hold: it is missing"),
    ("a.none", "a.none does not hold: it is missing"),
    ("a.blank", 'a.blank does not hold: it is ""'),
    ("a.name and a.zip", "a.zip does not hold: it is missing"),
    ("a.zip and a.none", "a.zip does not hold: it is missing"),
    ("a.zip or a.none", "a.zip does not hold: it is missing; a.none does not hold: it is missing"),
    ("a.year == truth.year", "a.year == truth.year does not hold: left is 1712, right is 1713"),
    ("a.name in ['Bob', 'Cy']", 'a.name in [\'Bob\', \'Cy\'] does not hold: left is "Ada", right is ["Bob", "Cy"]'),
    ("a.name not in ['Ada']", 'a.name not in [\'Ada\'] does not hold: left is "Ada", right is ["Ada"]'),
    ("1 < a.year < 9 < 10", "1 < a.year < 9 < 10 does not hold: left is 1712, right is 9"),
    ("1 < 2 < 0", "1 < 2 < 0 does not hold: left is 2, right is 0"),
    ("not a.name", 'a.name holds and must not: it is "Ada"'),
    ("not (a.name == 'Ada')", 'a.name == \'Ada\' holds and must not: left is "Ada", right is "Ada"'),
    ("not (a.zip or a.year)", "a.year holds and must not: it is 1712"),
    ("not (a.year or a.zip)", "a.year holds and must not: it is 1712"),
    ("not (a.name and a.year)", 'a.name holds and must not: it is "Ada"; a.year holds and must not: it is 1712'),
    ("not not a.zip", "a.zip does not hold: it is missing"),
    ("a.zip is defined", "a.zip is defined does not hold: a.zip is missing"),
    ("a.year is not number", "a.year is number holds and must not: a.year is 1712"),
    ("a.zip if a.name else a.year", "a.zip does not hold: it is missing"),
    ("a.year if a.zip else a.none", "a.none does not hold: it is missing"),
    ("a.year if a.zip", "a.year if a.zip does not hold: it is missing"),
    ("a.marks | select('gt', 5) | list", "a.marks | select('gt', 5) | list does not hold: it is []"),
    ("a.marks | length > 5", "a.marks | length > 5 does not hold: left is 2, right is 5"),
    ("a.year - 1712", "a.year - 1712 does not hold: it is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), CAUSES)
def test_the_part_that_decided_is_named_with_its_values(expression: str, expected: str) -> None:
    assert not evaluate(expression, VALUES)
    assert cause(expression, VALUES) == expected


def test_neighbours_of_a_loop_are_looked_up_as_the_rubric_does() -> None:
    values = {"a": {}, "_previous_a": {"name": "Bob"}, "_next_a": Missing()}
    assert cause("not a.previous.name", values, ["a"]) == 'a.previous.name holds and must not: it is "Bob"'
    assert cause("a.next.name", values, ["a"]) == "a.next.name does not hold: it is missing"


def test_what_was_not_evaluated_is_not_evaluated_for_the_cause() -> None:
    """``'x' - 1`` would raise."""
    assert cause("a.zip and a.name - 1", VALUES) == "a.zip does not hold: it is missing"
    assert cause("9 < a.marks[0] < a.name - 1", VALUES).endswith("left is 9, right is 1")


def test_a_long_cause_is_cut() -> None:
    expression = " or ".join(f"a.missing_{number}" for number in range(50))
    text = cause(expression, VALUES)
    assert (len(text), text[-1]) == (MAX_CAUSE + 1, "…")


# ------------------------------------------------------------------ values
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Missing(), "missing"),
        (None, "missing"),
        (0, "0"),
        (False, "false"),
        (1.5, "1.5"),
        ([1, Missing(), None], "[1, null, null]"),
        ({"name": "Zürich"}, '{"name": "Zürich"}'),
        ({"x": {1}}, '{"x": "{1}"}'),
        ('say "so"\n', '"say \\"so\\"\\n"'),
        ("a\u202eb\x1b[31m\ud800", '"a\\u202eb\\u001b[31m\\ud800"'),
    ],
)
def test_a_value_is_shown_in_full_view(value: Any, shown: str) -> None:
    assert shown_value(value) == shown


@pytest.mark.parametrize("value", ["x" * 100_000, ["x" * 300], {"x" * 300: 1}])
def test_a_long_value_is_cut(value: Any) -> None:
    assert len(shown_value(value)) == MAX_VALUE + 1
    assert shown_value(value).endswith("…")


# ------------------------------------------------------------------ holes of a template
@pytest.mark.parametrize(
    ("template", "named"),
    [
        ("{{ a.name }} was born in {{ a.zip }}", " (a.zip)"),
        ("{{ a.blank or a.none }} and {{ a.zip }}", " (a.blank or a.none)"),
        ("{{ a.name - 1 }} {{ a.zip }}", ""),
        ("{% if a.name %}{{ a.zip }}{% endif %}", ""),
        ("Of {% if a.name %}{{ a.zip }}{% endif %} {{ a.none }}", ""),
        ("{{ a.name }}", ""),
    ],
)
def test_the_value_a_template_lacks_is_named_where_that_is_plain(template: str, named: str) -> None:
    assert hole(template, VALUES) == named


# ------------------------------------------------------------------ what an expression looks at
@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("a.name == truth.year", ["Ada"]),
        ("a['marks'][0] in a.marks | map('string')", [1, [1, 2]]),
        ("(a.marks | first) and [a.name][0]", [[1, 2], "Ada"]),
        ("1 == 1", []),
        ("a.marks[a.name - 1] or a.year or a.marks[truth.none]", [1712]),
    ],
)
def test_the_longest_paths_are_looked_at(expression: str, found: list[Any]) -> None:
    values = {**VALUES, "truth": authored(VALUES["truth"])}
    assert list(named_values(expression, {"a"}, values)) == found


# ------------------------------------------------------------------ expressions as text
WRITTEN = [
    ("a.b['c d'][0][1:][:2][::3][a.x:]", "a.b['c d'][0][1:][:2][::3][a.x:]"),
    ("(a + b) * -c // (d % 2)", "(a + b) * -c // (d % 2)"),
    ("a - (b - c)", "a - (b - c)"),
    ("a - b - c", "a - b - c"),
    ("-(a | abs)", "-(a | abs)"),
    ("-a | abs", "(-a) | abs"),
    ("+a", "+a"),
    ("(a or b) and not (c and d)", "(a or b) and not (c and d)"),
    ("a | join(', ') | map(attribute='n') | default", "a | join(', ') | map(attribute='n') | default"),
    ("(a if b else c) if d", "(a if b else c) if d"),
    ("(a is defined) == (b is not eq(3))", "(a is defined) == (b is not eq(3))"),
    ("true or False or none or 1.5 or 'it\\'s'", 'true or false or none or 1.5 or "it\'s"'),
    ("(1,) == () or (1, 2) == [3]", "(1,) == () or (1, 2) == [3]"),
    ("a.b is defined and c", "a.b is defined and c"),
    ("(a + b) is defined or a | lower is not eq('x')", "(a + b) is defined or a | lower is not eq('x')"),
]


@pytest.mark.parametrize(("source", "expected"), WRITTEN)
def test_an_expression_is_written_as_an_author_would(source: str, expected: str) -> None:
    assert written(parse_expression(source)) == expected
    assert parse_expression(expected) == parse_expression(source)


LEAVES = st.sampled_from(
    ["a", "b.c", "b['x y']", "1", "2.5", "'t'", "true", "none", "[1, a]", "(1,)", "b[1:2]"]
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or", "+", "-", "*", "/", "//", "%", "==", "<", "in", "not in"]), inner)
        .map(lambda parts: "({}) {} ({})".format(*parts)),
        st.tuples(st.sampled_from(["not", "-", "+"]), inner).map(lambda parts: "{} ({})".format(*parts)),
        inner.map(lambda part: f"({part}) | default('x')"),
        inner.map(lambda part: f"({part}) is not defined"),
        inner.map(lambda part: f"({part}).field[0]"),
        st.tuples(inner, inner, inner).map(lambda parts: "({}) if ({}) else ({})".format(*parts)),
    ),
    max_leaves=8,
)  # fmt: skip


@given(EXPRESSIONS)
def test_an_expression_that_was_written_down_means_the_same(source: str) -> None:
    tree = parse_expression(source)
    assert parse_expression(written(tree)) == tree
