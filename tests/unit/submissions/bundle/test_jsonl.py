"""A bundle of JSON lines."""

from __future__ import annotations

import codecs
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.bundle import Limits, read_jsonl
from tests.unit.submissions.bundle.parts import LIMITS, faults, lines

GOOD = '{"task": "a", "run": 1, "answer": "é 😀"}\r\n\r\n{"task": "b", "answer": "two"}'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("size", [1, 3, 7, 10_000])
def test_lines_are_read_in_any_encoding_however_they_are_cut(encoding: str, size: int) -> None:
    data = GOOD.encode(encoding)
    reading = read_jsonl((data[i : i + size] for i in range(0, len(data), size)), LIMITS)
    assert faults(reading) == []
    found = [(a.task, a.run, a.text, a.raw, a.where) for a in reading.answers]
    assert found == [("a", 1, "é 😀", None, "line 1"), ("b", 1, "two", None, "line 3")]


def test_every_bad_line_is_listed_with_its_number() -> None:
    bad = [
        b'{"task": "a", "answer": "x"}\n',
        b"not json\n",
        b"\n",
        b"[1]\n",
        b'{"task": "b", "answer": NaN}\n',
        b'{"task": "c", "answer": "\xff"}\n',
        b'{"task": "d", "answer": "x", "answer": "y"}\n',
        b'{"task": "e"}\n',
        b'{"task": "a", "answer": "again"}\n',
    ]
    assert faults(read_jsonl(bad, LIMITS)) == [
        ("line 2", "json_malformed"),
        ("line 4", "json_not_an_object"),
        ("line 5", "json_not_a_number"),
        ("line 6", "encoding_invalid"),
        ("line 7", "json_duplicate_key"),
        ("line 8", "field_required"),
        ("line 9", "answer_duplicate"),
    ]


def test_a_duplicate_names_the_first() -> None:
    reading = read_jsonl(lines({"task": "a", "answer": "1"}, {"task": "a", "run": 1, "answer": "2"}), LIMITS)
    assert reading.faults[0].detail == "The same task and run as line 1."


def test_line_separators_inside_a_text_are_no_line_ends() -> None:
    reading = read_jsonl(['{"task": "a", "answer": "x\u2028y\u0085z"}'.encode()], LIMITS)
    assert [a.text for a in reading.answers] == ["x\u2028y\u0085z"]


def test_nul_and_lone_surrogates_are_replaced_and_flagged() -> None:
    reading = read_jsonl([b'{"task": "a", "answer": "x\\u0000\\ud800"}'], LIMITS)
    assert [(a.text, a.flags, a.raw) for a in reading.answers] == [
        ("x\ufffd\ufffd", ("nul", "surrogate"), b"x\0\xed\xa0\x80")
    ]


@pytest.mark.parametrize("data", [b"", b"\n \n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_an_empty_bundle_is_refused(data: bytes) -> None:
    assert faults(read_jsonl([data], LIMITS)) == [("bundle", "bundle_empty")]


def test_broken_utf16_is_refused_at_its_line() -> None:
    whole = '{"task": "a", "answer": "x"}\n{"task": "b", "answer": "y"}'.encode("utf-16")
    assert faults(read_jsonl([whole[:-1]], LIMITS)) == [("line 2", "encoding_invalid")]


def test_too_many_bytes_end_the_reading() -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1_000
            yield b" " * 999 + b"\n"

    assert faults(read_jsonl(endless(), LIMITS)) == [("bundle", "bundle_too_large")]
    assert read == LIMITS.bundle_bytes + 1_000


def test_too_many_answers_end_the_reading() -> None:
    records = [{"task": f"t{n}", "answer": "x"} for n in range(LIMITS.bundle_files)]
    assert faults(read_jsonl(lines(*records), LIMITS)) == []
    one_more = lines(*records, {"task": "more", "answer": "x"}, {"task": "and more", "answer": "x"})
    assert faults(read_jsonl(one_more, LIMITS)) == [("line 21", "bundle_too_many")]


def test_as_many_blank_lines_as_answers_are_passed_over() -> None:
    records = lines(*({"task": f"t{n}", "answer": "x"} for n in range(LIMITS.bundle_files)))
    apart = [part for record in records for part in (record, b" \t\r\n")]
    assert faults(read_jsonl(apart, LIMITS)) == []
    reading = read_jsonl([*apart, b"\n"], LIMITS)
    assert [(fault.where, fault.code, fault.detail) for fault in reading.faults] == [
        ("line 41", "bundle_too_many", "More than 20 blank lines.")
    ]


def test_a_file_of_nothing_but_line_ends_is_not_read_to_its_end() -> None:
    limits = replace(LIMITS, bundle_files=10_000, bundle_bytes=2**40)
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"\n" * 4_096

    assert faults(read_jsonl(endless(), limits)) == [("line 10001", "bundle_too_many")]
    assert read == 3


def test_a_line_beyond_any_answer_is_not_held() -> None:
    limits = replace(LIMITS, bundle_bytes=10**9)
    chunks = [b'{"task": "a", "answer": "', *[b"x" * 10_000] * 100, b'"}\n', b'{"task": "b", "answer": "y"}']
    reading = read_jsonl(chunks, limits)
    assert faults(reading) == [("line 1", "line_too_long")]
    assert reading.slots == {("b", 1): "line 2"}
    assert faults(read_jsonl(chunks[:-2], limits)) == [("line 1", "line_too_long")]


def test_the_largest_answer_passes_however_it_is_escaped() -> None:
    text = "\x01" * LIMITS.answer_bytes
    reading = read_jsonl([json.dumps({"task": "a", "answer": text}).encode()], LIMITS)
    assert [a.text for a in reading.answers] == [text]


def test_a_text_that_is_too_long_is_measured_unless_it_is_far_too_long() -> None:
    def found(size: int) -> list[tuple[str, str]]:
        reading = read_jsonl(lines({"task": "a", "answer": "x" * size}), LIMITS)
        return [(str(fault.code), fault.detail) for fault in reading.faults]

    measured = "answer: 1500 bytes; 1000 are allowed."
    assert found(1_500) == [("answer_too_large", measured)]
    assert found(18_400) == [("line_too_long", "More than an answer of 1000 bytes can need.")]


def test_a_bundle_is_never_held_whole() -> None:
    limits = Limits(answer_bytes=100_000, bundle_bytes=10**9, bundle_files=1_000, bundle_ratio=100)
    line = b'{"task": "%d", "answer": "' + b"x" * 100_000 + b'"}\n'
    tracemalloc.start()
    with closing(read_jsonl((line % number for number in range(300)), limits)) as reading:
        sizes = sum(len(answer.text) for answer in reading.answers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (faults(reading), sizes) == ([], 30_000_000)
    assert peak < 5_000_000


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes_give_answers_or_faults(chunks: list[bytes]) -> None:
    reading = read_jsonl(chunks, LIMITS)
    assert reading.slots or reading.faults


def test_of_many_faults_the_first_are_kept_and_the_rest_is_counted() -> None:
    line = json.dumps({"task": "a", "answer": "x", **{f"f{number}": 0 for number in range(900)}}).encode()
    limits = replace(LIMITS, bundle_files=400, bundle_bytes=10_000_000)
    tracemalloc.start()
    reading = read_jsonl((line + b"\n" for _ in range(300)), limits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert faults(reading) == [("line 1", "field_unknown")] * 100
    assert reading.more == 300 * 900 - 100
    assert peak < len(line) * 300 / 2
