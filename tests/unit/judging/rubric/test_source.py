"""Reading YAML: what counts as which value, and what is refused before anything is built."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.rubric.faults import FaultList
from judging.rubric.source import MAX_BYTES, MAX_DEPTH, MAX_VALUES, read_yaml


def read(raw: bytes | str) -> tuple[Any, list[str]]:
    faults = FaultList("x.yaml")
    data = read_yaml(raw.encode() if isinstance(raw, str) else raw, faults)
    return data, [f"{fault.path}: {fault.reason}" for fault in faults.errors]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("2026-11-02", "2026-11-02"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("-5", -5),
        ("1.0", 1),
        ("1e3", 1000),
        (".5", 0.5),
        ("+1.25", 1.25),
        ("-0.0", 0),
        ('"5"', "5"),
        ("'true'", "true"),
        ("!!str 5", "5"),
        ("|\n  5", "5"),
    ],
)
def test_plain_values_are_those_of_yaml_1_2(written: str, value: object) -> None:
    data, faults = read(f"a: {written}")
    assert faults == []
    assert data == {"a": value}
    assert type(data["a"]) is type(value)


def test_keys_are_text_however_they_look() -> None:
    assert read("5: a\ntrue: b\n~: c")[0] == {"5": "a", "true": "b", "~": "c"}


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(mark: bytes) -> None:
    assert read(mark + b"a: 1\r\nb: |\r\n  x\r\n  y\r\n") == ({"a": 1, "b": "x\ny\n"}, [])


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", ": the file is empty"),
        (b"# nothing but a comment\n", ": the file is empty"),
        ("a: 1".encode("utf-16"), ": the file is UTF-16; save it as UTF-8"),
        (b"a: 1\nb: \xff", ": line 2 is not UTF-8; save the file as UTF-8"),
        ("é: 1\n\x00".encode(), ": line 2 holds a control character; remove it"),
        (b"a: [1\nb: c: d", ": line 2 is not YAML: while parsing a flow sequence, did not find expected ',' or ']'; "
                            "text that holds ': ', '#' or braces belongs in quotes"),
        (b"a: 1\n---\nb: 2", ": line 2 starts a second YAML document; one file, one document"),
        (b"a: {? [x] : 1}", "a: line 1: a key must be plain text"),
        (b"a: &k x\n*k : 1", ": line 2: a key must be plain text, not an alias"),
        (b"a: *b", "a: line 1: the alias *b has no finished anchor before it"),
        (b"a: &b [*b]", "a[0]: line 1: the alias *b has no finished anchor before it"),
        (b"a: " + b"x" * MAX_BYTES, f": the file has {MAX_BYTES + 3:,} bytes; at most {MAX_BYTES:,} are read"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_fault_and_no_data(raw: bytes, fault: str) -> None:
    assert read(raw) == (None, [fault])


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ("a: 1\nb: 2\na: 3", "a: line 3 repeats this key; keep one of them"),
        ("x: {a: 1, a: {a: 2}}", "x.a: line 1 repeats this key; keep one of them"),
        ("x: [.nan]", "x[0]: .nan is no number a rubric can use; give a finite one, or text in quotes"),
        ("x: -.INF", "x: -.INF is no number a rubric can use; give a finite one, or text in quotes"),
        ("x: 1e999", 'x: "1e999" is too large for a number; write it in quotes'),
        ("x: 9007199254740992", 'x: "9007199254740992" is too large for a number; write it in quotes'),
        (f"x: {'9' * 5000}", f'x: "{"9" * 59}… is too large for a number; write it in quotes'),
        ("x: !!python/name:os.system ''", 'x: line 1: the tag "tag:yaml.org,2002:python/name:os.system" is not part of the format'),
        ("x: !!binary aGk=", 'x: line 1: the tag "tag:yaml.org,2002:binary" is not part of the format'),
        ("x: !mine {a: 1}", 'x: line 1: the tag "!mine" is not part of the format'),
        ("x: !!set {a}", 'x: line 1: the tag "tag:yaml.org,2002:set" is not part of the format'),
        ('"a b": "\\0"', '["a b"]: the text holds a control character; remove it'),
        ('"\\x01": 1', '["\\u0001"]: the text holds a control character; remove it'),
        ("b: &b {x: 1}\nc:\n  <<: *b", 'c["<<"]: line 3: merge keys are not part of the format; write the values out'),
    ],
)  # fmt: skip
def test_doubtful_values_are_named_and_the_rest_is_read(raw: str, fault: str) -> None:
    data, faults = read(raw + "\nlast: 1")
    assert faults == [fault]
    assert data["last"] == 1


def test_the_first_of_two_equal_keys_is_kept_for_the_checks_that_follow() -> None:
    assert read("a: 1\na: {b: [2]}\nc: 3")[0] == {"a": 1, "c": 3}


def test_an_alias_repeats_its_anchor() -> None:
    assert read("a: &x {k: [1, 2]}\nb: *x\nc: &y 5\nd: *y") == (
        {"a": {"k": [1, 2]}, "b": {"k": [1, 2]}, "c": 5, "d": 5},
        [],
    )


def test_aliases_count_as_often_as_they_are_used() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    data, faults = read("\n".join(lines))
    assert data is None
    assert faults == [f"a4[0]: more than {MAX_VALUES:,} values, aliases written out; split the file"]


def test_nesting_has_an_end() -> None:
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)[1] == []
    data, faults = read("a: " + "[" * 100)
    assert data is None
    assert faults[0].endswith(f"line 1 nests deeper than {MAX_DEPTH} levels")
    assert "nesting" in read("[" * 100_000)[1][0]  # the parser's own limit comes first here


def test_a_long_list_has_an_end() -> None:
    assert read(f"[{'x,' * (MAX_VALUES - 1)}]")[1] == []
    assert "values" in read(f"[{'x,' * MAX_VALUES}]")[1][0]


@given(st.text() | st.binary())
def test_no_bytes_raise(raw: str | bytes) -> None:
    data, faults = read(raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw)
    assert data is not None or faults or raw


@given(st.text(alphabet="ab:-?[]{},&*!|>'\"#%@ \n\t.10~<\\", max_size=80))
def test_nothing_that_looks_like_yaml_raises(raw: str) -> None:
    read(raw)
