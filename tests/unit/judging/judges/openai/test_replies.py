"""Exactly one JSON object out of what models send."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.judges.base import Usage
from judging.judges.openai.faults import Fault
from judging.judges.openai.replies import Unusable, completion_of, content_fault, one_object, usage_of

OBJECT = {"verdicts": [{"id": "c1", "reason": "it says <think>so</think>", "n": 1.5}]}
TEXT = json.dumps(OBJECT)
THINKING = '<think>Perhaps {"verdicts": []}?</think>'


def fault_of(content: str) -> Fault:
    with pytest.raises(Unusable) as caught:
        one_object(content)
    return caught.value.fault


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        f"\n  {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"```json {TEXT}```",
        f"```JSON\r\n{TEXT}\r\n```",
        f"Here it is:\n```json\n{TEXT}\n```\nDone.",
        f"Sure! {TEXT} That is all.",
        f"With {{braces}} and {{0}}: {TEXT}",
        f"{THINKING}{TEXT}",
        f"{THINKING}\n\n```json\n{TEXT}\n```",
        f"{THINKING} So: {TEXT}",
        f"<think>a</think>{THINKING}{TEXT}",
        f"<reasoning>a</reasoning>{TEXT}",
        f"I think {{}} maybe... </think>{TEXT}",
        f"<THINK>{TEXT}</THINK>{TEXT}",
        f"<think>tags like </think> end thoughts</think>{TEXT}",
    ],
)
def test_one_object_is_found(content: str) -> None:
    assert one_object(content) == OBJECT


@pytest.mark.parametrize(
    "content",
    [
        "",
        "I am a teapot.",
        "{placeholder}",
        TEXT[:-1],
        f"{TEXT}{TEXT}",
        f"{TEXT}\n```json\n{TEXT}\n```",
        f"[{TEXT}]",
        f"```json\n[{TEXT}]\n```",
        '"supported"',
        "null",
        "true",
        f"<think>{TEXT}",
        f"{THINKING}",
        f"Perhaps {TEXT}</think>",
        f"Perhaps {TEXT} or so</think> I do not know",
        f"{THINKING}nothing more",
        '{"a": 1, "a": 2}',
        '{"x": {"a": 1, "a": 2}}',
        "{'a': 1}",
        '{"a": 1,}',
        '{"broken": {"verdicts": []}',
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "[" * 100_000,
        "x" * 1_000_001,
    ],
)
def test_none_several_or_broken_is_unparsable(content: str) -> None:
    assert fault_of(content) is Fault.UNPARSABLE


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 301, "1" * 5000, "-" + "9" * 400]
)
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "So: {}"])
def test_a_number_that_is_not_finite_is_refused_wherever_it_stands(number: str, around: str) -> None:
    assert fault_of(around.replace("{}", '{"a": [{"b": ' + number + "}]}")) is Fault.NOT_FINITE


def test_a_bare_number_that_is_not_finite_is_refused_as_such() -> None:
    assert fault_of("NaN") is Fault.NOT_FINITE


def test_nul_and_lone_surrogates_are_replaced_in_keys_and_values() -> None:
    content = '{"a\\u0000": ["b\\ud800", {"c": "\\udc00d", "e": [["\\u0000"]]}]}'
    assert one_object(content) == {"a\ufffd": ["b\ufffd", {"c": "\ufffdd", "e": [["\ufffd"]]}]}


def test_keys_that_differ_only_in_what_cannot_be_stored_are_the_same() -> None:
    assert fault_of('{"a\\u0000": 1, "a\\ud800": 2}') is Fault.UNPARSABLE


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc<>{}` ", max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text("ab`", max_size=4), JSON, max_size=3))
def test_any_object_survives_fences_and_thoughts(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    assert one_object(text) == value
    assert one_object(f"```json\n{text}\n```") == value
    assert one_object(f"{THINKING}\n{text}") == value


@given(st.text(alphabet='{}[]":,1e9Na`</think>\n \\', max_size=200))
def test_any_text_is_an_object_or_unusable(content: str) -> None:
    found: Any = {}
    with suppress(Unusable):
        found = one_object(content)
    assert isinstance(found, dict)


# The envelope


def body(message: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"message": message, "finish_reason": finish}], **more}


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        "x",
        {},
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": {}},
    ],
)
def test_what_is_no_completion_is_none(wrong: Any) -> None:
    assert completion_of(wrong) is None


def test_a_completion_is_read() -> None:
    found = completion_of(body({"content": "hi", "refusal": None}, usage={"prompt_tokens": 3}))
    assert found is not None
    assert (found.content, found.finish_reason, found.refusal, found.model) == ("hi", "stop", "", "m")
    assert found.usage == Usage(prompt=3)


def test_content_in_parts_is_joined() -> None:
    found = completion_of(
        body({"content": [{"type": "text", "text": "a"}, {"type": "x"}, 3, {"text": "b\ud800"}]})
    )
    assert found is not None
    assert found.content == "ab\ufffd"


@pytest.mark.parametrize(
    ("message", "finish", "fault"),
    [
        ({"content": "{}"}, "stop", Fault.NONE),
        ({"content": "{}"}, None, Fault.NONE),
        ({"content": "{}"}, "length", Fault.TRUNCATED),
        ({"content": ""}, "length", Fault.TRUNCATED),
        ({"content": None}, "length", Fault.TRUNCATED),
        ({"content": "{}"}, "content_filter", Fault.CONTENT_FILTER),
        ({"content": ""}, "content_filter: SAFETY", Fault.CONTENT_FILTER),
        ({"content": None, "refusal": "No."}, "stop", Fault.REFUSAL),
        ({"content": "{}", "refusal": "No."}, "stop", Fault.REFUSAL),
        ({"content": ""}, "stop", Fault.EMPTY),
        ({"content": " \n"}, "stop", Fault.EMPTY),
        ({"content": None}, "stop", Fault.EMPTY),
        ({}, "stop", Fault.EMPTY),
        ({"content": 7}, "stop", Fault.EMPTY),
    ],
)
def test_why_a_completion_holds_no_reply(message: dict[str, Any], finish: str | None, fault: Fault) -> None:
    found = completion_of(body(message, finish))
    assert found is not None
    assert content_fault(found) is fault


def test_usage_counts_cached_and_reasoning_tokens() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    assert usage_of({"usage": usage}) == Usage(10, 5, 4, 3)


@pytest.mark.parametrize(
    "usage",
    [None, [], "x", {"prompt_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": True}, {"prompt_tokens": 1.5},
     {"prompt_tokens_details": None}, {"prompt_tokens": float("inf")}],
)  # fmt: skip
def test_nonsense_usage_counts_nothing(usage: Any) -> None:
    assert usage_of({"usage": usage}) == Usage()


def test_usage_beyond_all_reason_is_cut() -> None:
    assert usage_of({"usage": {"prompt_tokens": 2**63}}) == Usage(10**9)


def test_no_body_has_no_usage() -> None:
    assert usage_of(None) == Usage()
