"""Which templates may run, and what is said of those that may not."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.rubric.filters import FILTERS, TESTS
from judging.rubric.names import Scope, check_expression, check_template, names_used
from judging.rubric.shapes import Shape
from judging.rubric.templates import evaluate, render
from judging.rubric.values import Mismatch

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "year": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "open": {"type": "object", "properties": {"x": {}}, "additionalProperties": True},
        "free": {"type": "object"},
        "either": {"anyOf": [{"type": "string"}]},
        "spouse": {"$ref": "#/$defs/short"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}]},
    },
    "$defs": {"short": {"type": "object", "properties": {"name": {"type": "string"}}}},
}
PROPERTIES = ", ".join(PERSON["properties"])
FILTER_NAMES = ", ".join(sorted(FILTERS))
TEST_NAMES = ", ".join(sorted(TESTS))
PEOPLE = {"type": "array", "items": PERSON, "$defs": PERSON["$defs"]}
SCOPE = Scope(
    {
        "a": Shape.of(PERSON),
        "people": Shape.of(PEOPLE),
        "untyped": None,
        "task": Shape.of({"type": "string"}),
    },
    each=frozenset({"a"}),
)


def reasons(expression: str) -> list[str]:
    return check_expression(expression, SCOPE)[0]


@pytest.mark.parametrize(
    "expression",
    [
        "a.name and a.year and a.tags[0] and a['name']",
        "a.previous.name or a.next.year",
        "a.open.x or a.open.whatever or a.free.thing or a.either.thing",
        "a.spouse.name",
        "a.pair[0].x",
        "people[0].name",
        "people[0:2] | map(attribute='name') | list",
        "people | map(attribute='spouse.name') | unique | sort | first",
        "people | map('lower') | map(attribute='anything') | list",
        "people | selectattr('year', 'gt', 1900) | list",
        "people | map(attribute='tags.0') | select('in', ['x']) | list",
        "people | select | list",
        "untyped.anything[3].goes",
        "task | length",
        "(people | first).name",
        "1 < a.year < 3 and (a.name in ['x']) and a.year is in [1]",
        "a.tags[people | length]",
        "none",
    ],
)
def test_what_the_schema_allows_passes(expression: str) -> None:
    assert reasons(expression) == []


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("b.name", "unknown name 'b'; known are a, people, task, untyped"),
        ("peopel", "unknown name 'peopel' (did you mean \"people\"?); known are a, people, task, untyped"),
        ("range(3)", "nothing can be called; use a filter, as in x | length"),
        ("a.nmae", f"the schema declares no property 'nmae' (did you mean \"name\"?); declared are {PROPERTIES}"),
        ("a['nmae']", f"the schema declares no property 'nmae' (did you mean \"name\"?); declared are {PROPERTIES}"),
        ("a.spouse.year", "the schema declares no property 'year'; declared are name"),
        ("a.previous.nmae.x", f"the schema declares no property 'nmae' (did you mean \"name\"?); declared are {PROPERTIES}"),
        ("people.name", "a list has no field 'name'"),
        ("a.name.upper", "a text has no field 'upper'"),
        ("a.year.x", "a number has no field 'x'"),
        ("a.name[0].x", "a text has no items"),
        ("a.name | map(attribute='x')", "a text has no items"),
        ("people | map(attribute='x.y')", f"the schema declares no property 'x'; declared are {PROPERTIES}"),
        ("people | selectattr('x')", f"the schema declares no property 'x'; declared are {PROPERTIES}"),
        ("untyped.__class__", "'__class__': names that begin with an underscore are not available"),
        ("untyped['_x']", "'_x': names that begin with an underscore are not available"),
        ("_previous_a", "unknown name '_previous_a'; known are a, people, task, untyped"),
        ("a.name.upper()", "nothing can be called; use a filter, as in x | length"),
        ("a.name ~ 'x'", "~ is not available; join texts with +, or write the pieces beside each other in a template"),
        ("10 ** 9", "** is not available"),
        ("99999999999999999999", "the number is larger than 9,007,199,254,740,992"),
        ("{'a': 1}", "dict is not available in templates"),
        ("a.name | center(100000000)", f"unknown filter 'center'; known are {FILTER_NAMES}"),
        ("a.name | _contained('x')", f"unknown filter '_contained'; known are {FILTER_NAMES}"),
        ("a.name | lower(1)", "filter 'lower': too many positional arguments"),
        ("a.year | round(*[1])", "* and ** are not available in arguments"),
        ("a.year | round(size=1)", "filter 'round': got an unexpected keyword argument 'size'"),
        ("people | map", "map needs either attribute='…' or the name of one filter"),
        ("people | map('lower', attribute='name')", "map needs either attribute='…' or the name of one filter"),
        ("people | map(attribute=a.name)", "the attribute's name must be a text in quotes"),
        ("people | map('lowr')", f"'lowr' is none of {FILTER_NAMES}"),
        ("people | map('join', 3, 4)", "filter 'map': too many positional arguments"),
        ("people | map('selectattr')", "selectattr: missing a required argument: 'attribute'"),
        ("people | select('eq')", "eq: missing a required argument: 'other'"),
        ("people | select(a.name)", f"'' is none of {TEST_NAMES}"),
        ("a.year is odd", f"unknown test 'odd'; known are {TEST_NAMES}"),
        ("a.year is gt", "test 'gt': missing a required argument: 'other'"),
        ("1 in [1] in [[1]]", "'in' cannot be chained with another comparison; put it in brackets"),
        ("{{ a.name }}", "an expression is written without {{ }}, as in a.name and a.sources"),
        ("a.name and", "line 1: unexpected 'end of template'"),
        ("a.name b", "line 1: unexpected 'b' after the expression"),
        ("a.name\n and 'x", "line 2: unexpected char \"'\" at 12"),
        ("a." + "b." * 200 + "c", "is too long or nested too deeply; split it into several leaves"),
        ("(" * 1000, "is too long or nested too deeply; split it into several leaves"),
        ("[" + "1," * 500 + "]", "is too long or nested too deeply; split it into several leaves"),
    ],
)  # fmt: skip
def test_what_may_not_run_is_refused_with_advice(expression: str, reason: str) -> None:
    assert reasons(expression) == [reason]


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ b }}", "unknown name 'b'; known are a, people, task, untyped"),
        ("{{ loop.index }}", "unknown name 'loop'; known are a, people, task, untyped"),
        ("one\n{{ a.name }", "line 2: unexpected '}'"),
        ("{% for p in people %}{{ p.nmae }}{% endfor %}", "the schema declares no property 'nmae' (did you mean "
         f"\"name\"?); declared are {PROPERTIES}"),
        ("{% for p in people %}{{ loop.cycle }}{% endfor %}", "the schema declares no property 'cycle'; declared are "
         "index, index0, first, last, length"),
        ("{% for p in people %}x{% endfor %}{{ p }}", "unknown name 'p'; known are a, people, task, untyped"),
        ("{% for a in people %}x{% endfor %}", "the loop's name 'a' is taken; choose another"),
        ("{% for _x in people %}x{% endfor %}", "the loop's name '_x' is taken; choose another"),
        ("{% for k, v in people %}x{% endfor %}", "a loop has one name, as in {% for item in list %}"),
        ("{% for p in people recursive %}x{% endfor %}", "a loop has one name, as in {% for item in list %}"),
        ("{% for p in a.name %}x{% endfor %}", "a text has no items"),
        ("{% for x in untyped %}{% for y in untyped %}{% for z in untyped %}{% endfor %}{% endfor %}{% endfor %}",
         "loops stand at most 2 deep"),
        ("{% for p in people if loop.first %}x{% endfor %}", "unknown name 'loop'; known are a, p, people, task, untyped"),
        ("{% set x = 1 %}", "assign is not available in templates"),
        ("{% include 'x' %}", "include is not available in templates"),
        ("{% import 'x' as y %}", "import is not available in templates"),
        ("{% macro m() %}{% endmacro %}", "macro is not available in templates"),
        ("{% extends 'x' %}", "extends is not available in templates"),
        ("{% filter upper %}x{% endfilter %}", "{% filter %} is not available; use x | filter"),
        ("{% do x %}", "line 1: Encountered unknown tag 'do'."),
        ("{{ self }}", "unknown name 'self'; known are a, people, task, untyped"),
        ("{{ lipsum }}", "unknown name 'lipsum'; known are a, people, task, untyped"),
    ],
)  # fmt: skip
def test_templates_are_refused_alike(template: str, reason: str) -> None:
    assert check_template(template, SCOPE) == [reason]


def test_every_fault_of_a_template_is_told_once() -> None:
    assert len(check_template("{{ b }} {{ b }} {{ a.nmae }} {{ c ** 2 }}", SCOPE)) == 3


def test_loops_with_else_and_condition_pass() -> None:
    template = (
        "{% for p in people if p.year %}{{ p.name if not loop.first }}{% else %}{{ a.name }}{% endfor %}"
    )
    assert check_template(template, SCOPE) == []


def test_a_reserved_scope_says_why() -> None:
    (reason,) = check_template(
        "{{ a.name }}", Scope({"loop": None}, reserved="ids never depend on the answer")
    )
    assert reason == "unknown name 'a'; known are loop (ids never depend on the answer)"


NEVER = "can never be evaluated: "


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("1 // 0", NEVER + "integer division or modulo by zero"),
        ("a.name and 1 / 0 == 1", NEVER + "division by zero"),
        ("a.year > 5 + 'x'", NEVER + "a number is needed, this is 'x'; the filters int and float read text"),
        ("a.name in 5", None),
        ("'x' in 5", NEVER + "a list is needed, this is a number"),
        ("a.year / 0 > 1", "divides by zero"),
        ("a.year // (2 - 2)", "divides by zero"),
        ("a.year % 0.0 == 0", "divides by zero"),
        ("people[::0]", "a slice has a step of 0"),
        ("people[::1 - 1] | length", "a slice has a step of 0"),
        ("people['a':]", "a slice goes from one whole number to another"),
        ("people[:1.5]", "a slice goes from one whole number to another"),
        ("people[:true]", "a slice goes from one whole number to another"),
        ("'abc'[::0]", NEVER + "slice step cannot be zero"),
        ("a.year / (a.tags | length)", None),
        ("people[-2:][::-1] and a.year / 2 and 'abc'[1:] == 'bc' and [1, 2] and a.year in [1, 2]", None),
        ("people[a.year:(a.year / (1 / 0))]", NEVER + "division by zero"),
    ],
)
def test_what_fails_for_every_answer_is_a_fault(expression: str, reason: str | None) -> None:
    assert reasons(expression) == ([reason] if reason else [])
    assert check_template(f"It is {{{{ {expression} }}}}", SCOPE) == ([reason] if reason else [])


def test_names_used_are_all_that_is_read() -> None:
    assert names_used("{{ a.x }} {% for p in people %}{{ p }}{% endfor %}", expression=False) == {
        "a",
        "people",
        "p",
    }
    assert names_used("a", expression=True) == {"a"}
    assert names_used("a.previous or b | default(c)", expression=True) == {"a", "b", "c"}
    assert names_used("{{ broken", expression=False) == frozenset()
    assert names_used("broken (", expression=True) == frozenset()


WORDS = st.sampled_from(
    [
        "a",
        "people",
        "untyped",
        ".name",
        ".year",
        "[0]",
        "['x']",
        "|",
        "length",
        "lower",
        "map(attribute='name')",
        "select('eq',1)",
        "first",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "~",
        "==",
        "!=",
        "<",
        ">",
        "in",
        "not",
        "and",
        "or",
        "if",
        "else",
        "is",
        "defined",
        "none",
        "true",
        "1",
        "2.5",
        "'x'",
        "(",
        ")",
        "[",
        "]",
        ",",
        "{{",
        "}}",
        "{%",
        "%}",
        "for",
    ]
)
DATA = {
    "a": {"name": "Ada", "year": None},
    "people": [{"name": "Bob", "tags": ["x"]}, None, 3],
    "untyped": "text",
    "task": "Who?",
    "_previous_a": None,
    "_next_a": {"year": 3},
}


ATOMS = ["a", "people", "untyped", "task", "a.name", "a.year", "a.previous.year", "people[0].tags", "1", "2.5", "''", "none",
         "true", "[1, 'x']"]  # fmt: skip
PAIRS = ["({}) + ({})", "({}) * ({})", "({}) / ({})", "({}) % ({})", "({}) == ({})", "({}) < ({})", "({}) in ({})",
         "({}) not in ({})", "({}) and ({})", "({}) or not ({})", "[{}, {}]", "({}) | default({})", "({}) | join({})",
         "({})[{}]", "({}) | select('in', {}) | list", "({}) is eq({})"]  # fmt: skip
SINGLES = ["-({})", "({}) | length", "({}) | first", "({}) | lower", "({}) | int", "({}) | sort", "({}) | sum",
           "({}) | unique | max", "({}) | map('string') | list", "({}).name", "({})[0:1]", "({}) is defined",
           "({}) | map(attribute='name') | list", "({}) | host", "({}) | round(1)"]  # fmt: skip
EXPRESSIONS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.builds(str.format, st.sampled_from(PAIRS), inner, inner)
        | st.builds(str.format, st.sampled_from(SINGLES), inner)
    ),
    max_leaves=6,
)


@given(EXPRESSIONS | st.lists(WORDS, max_size=12).map(" ".join))
def test_an_expression_that_passes_evaluates_or_does_not_fit(expression: str) -> None:
    if not reasons(expression):
        with suppress(Mismatch):
            evaluate(expression, DATA, ["a"])


@given(EXPRESSIONS.map("{{{{ {} }}}}".format) | st.text(alphabet="{}%# ab.|'\n"))
def test_a_template_that_passes_renders_or_does_not_fit(template: str) -> None:
    if not check_template(template, SCOPE):
        with suppress(Mismatch):
            assert isinstance(render(template, DATA, ["a"]), str)


@pytest.mark.parametrize(
    "step", ["not ({})", "[{}]", "({}) + 1", "({}) | default(0)", "1 if ({}) else 2", "-({})"]
)
def test_the_deepest_nesting_that_passes_still_compiles(step: str) -> None:
    expression, steps = "a.year", 0
    while not reasons(step.format(expression)):
        expression, steps = step.format(expression), steps + 1
    assert steps > 10
    with suppress(Mismatch):
        evaluate(expression, DATA, ["a"])
