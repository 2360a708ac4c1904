"""The test endpoint itself: its control address, its command, its sense."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
import yaml

from judging.judges.base import ClaimsRequest, ExtractRequest, Finding, Judge, VerifyRequest
from judging.judges.lexical import LexicalJudge
from judging.judges.openai import OpenAIJudge
from tests.endpoint import Endpoint
from tests.integration.judging.asking import CLAIM, FALSE_CLAIM, PAGE, judge_at, run, verify

EXAMPLES = Path(__file__).parents[3] / "examples"


def control(base_url: str, script: dict[str, Any] | None = None) -> dict[str, Any]:
    url = base_url.removesuffix("/v1") + "/control"
    data = None if script is None else json.dumps(script).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data)) as response:
        return dict(json.load(response))


def test_faults_are_set_and_calls_are_read_over_http(endpoint: Endpoint) -> None:
    report = control(endpoint.base_url, {"at": {"2": "refusal"}, "delay_s": 0.001})
    assert (report["calls"], report["script"]["at"]) == (0, {"2": "refusal"})
    judge = judge_at(endpoint)
    verify(judge)
    verify(judge, FALSE_CLAIM)
    report = control(endpoint.base_url)
    assert (report["calls"], report["in_flight"], report["max_in_flight"]) == (2, 0, 1)
    assert report["log"] == [
        {"number": 1, "fault": "", "status": 200},
        {"number": 2, "fault": "refusal", "status": 200},
    ]


@pytest.mark.parametrize(
    ("path", "data", "status"),
    [("/control", b'{"nonsense": 1}', 400), ("/control", b"{", 400), ("/x", None, 404)],
)
def test_what_the_control_address_does_not_know_is_refused(
    endpoint: Endpoint, path: str, data: bytes | None, status: int
) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(endpoint.base_url.removesuffix("/v1") + path, data)
    caught.value.close()
    assert caught.value.code == status


def test_faults_by_chance_are_the_same_for_the_same_seed(endpoint: Endpoint) -> None:
    requests = [replace(CLAIM, additional=str(n)) for n in range(30)]

    async def one_by_one(judge: OpenAIJudge) -> list[str]:
        return [(await judge.verify(request)).code for request in requests]

    seen = []
    for seed in (1, 1, 2):
        endpoint.reset(rates={"refusal": 0.3, "garbage": 0.2}, seed=seed)
        seen.append(run(judge_at(endpoint), one_by_one))
    assert seen[0] == seen[1] != seen[2]
    assert set(seen[0]) == {"", "refusal", "unparsable"}


def test_an_unknown_fault_is_an_error_that_says_so(endpoint: Endpoint) -> None:
    endpoint.reset(always="typo")
    reply = verify(judge_at(endpoint))
    assert "unknown fault: typo" in reply.record.attempts[0].detail


def test_a_brain_that_trips_fails_the_test_that_uses_it() -> None:
    async def brain(_: Any) -> dict[str, Any]:
        raise LookupError("tripped")

    endpoint = Endpoint(brain=brain)
    with endpoint:
        assert verify(judge_at(endpoint)).code == "server_error"
        broken = endpoint.broken.pop()
        endpoint.broken.clear()
    assert isinstance(broken, LookupError)


def test_the_command_serves_until_it_is_ended() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.endpoint",
        "--port",
        "0",
        "--script",
        '{"served": "judge-1-0101"}',
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=EXAMPLES.parent) as process:
        assert process.stdout is not None
        try:
            base_url = process.stdout.readline().strip()
            reply = verify(OpenAIJudge(base_url=base_url, api_key="", model="judge-1", fence_key=b"k"))
            assert reply.record.model_served == "judge-1-0101"
        finally:
            process.terminate()


# Its sense is that of the offline judge


def examples() -> list[tuple[dict[str, Any], str]]:
    """Tasks of the example sets with an answer to each."""
    found = []
    for answer in sorted(EXAMPLES.glob("*/answers/*/*/answer_1.md")):
        task = answer.parents[3] / "taskset" / "tasks" / f"{answer.parent.name}.yaml"
        if task.exists():
            found.append((yaml.safe_load(task.read_text("utf-8")), answer.read_text("utf-8")))
    return found


Asking = Callable[[Judge], Awaitable[Any]]


def both(endpoint: Endpoint, asking: Sequence[Asking]) -> Iterator[tuple[Any, Any]]:
    """What the openai judge finds through the endpoint, and what the offline judge finds by itself."""

    async def all_of(judge: Judge) -> list[Any]:
        return [await ask(judge) for ask in asking]

    return zip(run(judge_at(endpoint), all_of), asyncio.run(all_of(LexicalJudge())), strict=True)


@pytest.mark.parametrize("refuses", [[], ["json_schema"]])
def test_extractions_through_the_endpoint_are_those_of_the_offline_judge(
    endpoint: Endpoint, refuses: list[str]
) -> None:
    endpoint.reset(refuses=refuses)
    requests = [
        ExtractRequest(name, spec["instruction"], spec["schema"], source["prompt"], answer)
        for source, answer in examples()
        for name, spec in source.get("extract", {}).items()
    ]
    assert len(requests) > 10
    for through, offline in both(endpoint, [methodcaller("extract", request) for request in requests]):
        assert through.data == offline.data


def test_verdicts_through_the_endpoint_are_those_of_the_offline_judge(endpoint: Endpoint) -> None:
    lines = [
        (line, source["prompt"], answer)
        for source, answer in examples()[:6]
        for line in answer.split("\n")[:5]
        if line.strip()
    ]
    page = replace(PAGE, text="\n".join(line for line, _, _ in lines[::2]))
    requests = [
        *(VerifyRequest("c", "criterion", line, task, answer=answer) for line, task, answer in lines),
        *(VerifyRequest("c", "claim", line, task, page=page) for line, task, _ in lines),
        VerifyRequest("c", "claim", " was built in 1923", "task", page=page),
    ]
    for through, offline in both(endpoint, [methodcaller("verify", request) for request in requests]):
        assert (through.finding, through.relevance) == (offline.finding, offline.relevance)


def test_claims_through_the_endpoint_are_those_of_the_offline_judge(endpoint: Endpoint) -> None:
    requests = [
        ClaimsRequest(source["prompt"], source["prompt"], answer, 10) for source, answer in examples()[:6]
    ]
    for through, offline in both(endpoint, [methodcaller("claims", request) for request in requests]):
        assert [(claim.text, claim.urls) for claim in through.claims] == [
            (claim.text.strip(), claim.urls) for claim in offline.claims
        ]


def test_a_claim_that_no_passage_decides_is_undecided_through_the_endpoint(endpoint: Endpoint) -> None:
    blank = replace(CLAIM, statement="The hut '' was built in 1923")
    [(through, offline)] = both(endpoint, [methodcaller("verify", blank)])
    assert (offline.finding, offline.quote) == (Finding.REFUTED, "")
    assert (through.finding, through.code, endpoint.calls) == (Finding.UNDECIDED, "", 1)
