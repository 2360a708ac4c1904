"""What an endpoint refuses is left out, once and for all."""

from __future__ import annotations

from typing import Any

import pytest

from judging.judges.base import ExtractRequest, VerifyRequest
from judging.judges.openai.ladder import Ladder, Rung
from judging.prompts import extract_prompt, verify_prompt

PROMPT = verify_prompt([VerifyRequest("c", "criterion", "s", "t", answer="a")], key=b"k")
SAMPLING = {"temperature": 0, "seed": 7}


def body_of(ladder: Ladder, cap: int = 100) -> dict[str, Any]:
    return ladder.body(PROMPT, model="m", sampling=SAMPLING, cap=cap)


def test_a_fresh_ladder_asks_for_everything() -> None:
    assert body_of(Ladder()) == {
        "model": "m",
        "messages": list(PROMPT.messages),
        "temperature": 0,
        "seed": 7,
        "max_tokens": 100,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "criterion", "schema": PROMPT.schema, "strict": True},
        },
    }


def test_a_schema_that_cannot_be_strict_is_sent_as_a_hint() -> None:
    prompt = extract_prompt(ExtractRequest("n", "i", {"type": "object"}, "t", "a"), key=b"k")
    body = Ladder().body(prompt, model="m", sampling={}, cap=1)
    assert body["response_format"]["json_schema"]["strict"] is False
    assert body["messages"] == list(prompt.with_schema().messages)


def test_lower_rungs_carry_the_schema_in_the_prompt() -> None:
    objects, text = body_of(Ladder(rung=Rung.JSON_OBJECT)), body_of(Ladder(rung=Rung.TEXT))
    assert objects["response_format"] == {"type": "json_object"}
    assert "response_format" not in text
    assert objects["messages"] == text["messages"] == list(PROMPT.with_schema().messages)


@pytest.mark.parametrize(
    "message",
    [
        "response_format: json_schema is not supported",
        "Invalid schema for response_format 'verdict'",
        "Unknown name \"additionalProperties\" at 'generation_config.response_schema'",
        "structured outputs are not available for this model",
        "This response_format type is unavailable now",
    ],
)
def test_a_refused_schema_steps_down_one_rung_at_a_time(message: str) -> None:
    ladder = Ladder()
    rungs = []
    while ladder.step_down(body_of(ladder), message):
        rungs.append(ladder.rung)
    assert rungs == [Rung.JSON_OBJECT, Rung.TEXT]
    assert [step.name for step in ladder.steps] == ["response_format", "response_format"]


def test_a_refused_sampling_parameter_is_left_out() -> None:
    ladder = Ladder()
    assert ladder.step_down(body_of(ladder), "'temperature' does not support 0 with this model.")
    assert "temperature" not in body_of(ladder)
    assert body_of(ladder)["seed"] == 7
    assert ladder.steps[0].detail.startswith("'temperature' does not")


@pytest.mark.parametrize("start", ["max_tokens", "max_completion_tokens"])
def test_the_cap_changes_its_name_once(start: str) -> None:
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[start]
    ladder = Ladder(cap=start)
    assert ladder.step_down(body_of(ladder), f"Unsupported parameter: '{start}'. Use '{other}' instead.")
    assert other in body_of(ladder)
    assert start not in body_of(ladder)
    assert not ladder.step_down(body_of(ladder), f"Unsupported parameter: '{other}'")
    assert ladder.cap == other


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 16384. This model supports at most 8192 completion tokens",
        "max_tokens must be less than or equal to `8192`",
        "max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens",
    ],
)
def test_a_cap_refused_for_its_value_keeps_its_name(message: str) -> None:
    ladder = Ladder()
    assert not ladder.step_down(body_of(ladder), message)
    assert (ladder.cap, ladder.steps) == ("max_tokens", [])


def test_a_400_that_names_nothing_sent_is_no_step() -> None:
    ladder = Ladder(rung=Rung.TEXT)
    assert not ladder.step_down(
        body_of(ladder), "Something is wrong with top_p, model, messages or json_schema"
    )
    assert ladder.steps == []


@pytest.mark.parametrize("message", ["seed: not supported", "max_tokens: use another", "response_format: no"])
def test_calls_under_way_when_a_step_was_taken_ask_again_and_take_no_second_one(message: str) -> None:
    ladder = Ladder()
    sent = body_of(ladder)
    assert ladder.step_down(sent, message)
    after = body_of(ladder)
    assert ladder.step_down(sent, message)
    assert body_of(ladder) == after
    assert len(ladder.steps) == 1


# ------------------------------------------------------------------ pictures
def test_what_names_no_picture_refuses_none() -> None:
    ladder = Ladder()
    assert not ladder.refuses_picture("Something is wrong with your request.")
    assert (ladder.blind, ladder.steps) == (False, [])


def test_a_model_without_eyes_is_found_out_once() -> None:
    ladder = Ladder()
    assert ladder.refuses_picture("small-1 is not a multimodal model")
    assert ladder.refuses_picture("small-1 is not a multimodal model")
    assert (ladder.blind, [step.name for step in ladder.steps]) == (True, ["picture"])


NO_EYES = [
    "At most 0 image(s) may be provided in one prompt.",
    "small-1 is not a multimodal model",
    "This model does not support image input.",
    "The model does not support images",
    "No endpoints found that support image input",
    "image input is not supported - hint: you may need to provide the mmproj",
    "'image_url' is not supported by this model",
    "Invalid content type. image_url is only supported by certain models.",
    "unknown content type image_url",
    "Unsupported content part type: image_url",
    "messages[1]: unknown variant `image_url`, expected `text` at line 1",
    "Invalid value: 'image_url'. Supported values are: 'text'.",
    "Vision is not enabled for this deployment",
    "messages[1].content must be a string",
    "small-1 is a text-only model",
]
OF_ONE = [
    "Invalid image data",
    "Could not process image",
    "Your image was rejected by our safety system.",
    "Image format not supported",
    "image/webp is not supported",
    "You uploaded an unsupported image. Please make sure your image has one of the following formats: ['png']",
    "This model does not support images larger than 5 MB",
    "The image exceeds the maximum of 20 MB.",
    "Failed to decode base64",
    "Invalid image_url: the data could not be read",
    "At most 10 images may be provided in one prompt",
]


@pytest.mark.parametrize("message", NO_EYES)
def test_words_about_what_a_model_takes_are_about_all_pictures(message: str) -> None:
    ladder = Ladder()
    assert ladder.refuses_picture(message)
    assert (ladder.blind, [step.detail for step in ladder.steps]) == (True, [message])


@pytest.mark.parametrize("message", OF_ONE)
def test_what_is_wrong_with_one_picture_says_nothing_of_others(message: str) -> None:
    ladder = Ladder()
    assert ladder.refuses_picture(message)
    assert (ladder.blind, ladder.steps) == (False, [])
