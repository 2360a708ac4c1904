"""``python -m tests.bench.judge.clients bare|reference URL N``: the yardsticks, each alone in a process.

``bare`` sends the prompts on standard input and nothing else: what a call costs at the least. ``reference`` judges answers
as a plain loop does: one check after the other within an answer, three serial votes with one prompt, the whole page each
time; answers side by side. One JSON object is printed: seconds, CPU seconds, verdicts.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from openai import AsyncOpenAI

from judging.judges.base import ExtractRequest, Passage, VerifyRequest
from judging.prompts import Prompt, extract_prompt, verify_prompt
from tests.bench.judge.world import answer_text, page_text, prompt_of, schema, statements, url_of

VOTES = 3
ANSWERS = 3
FENCE_KEY = b"bench"


def _client(url: str) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=url, api_key="bench", max_retries=0, timeout=None)


async def bare(url: str, in_flight: int) -> dict[str, Any]:
    """Send every prompt, so many at a time."""
    prompts = json.load(sys.stdin)
    client, slots = _client(url), asyncio.Semaphore(in_flight)

    async def send(body: dict[str, Any]) -> None:
        async with slots:
            await client.chat.completions.create(**body)

    await asyncio.gather(*map(send, prompts))
    await client.close()
    return {"calls": len(prompts)}


async def reference(url: str, first: int) -> dict[str, Any]:
    """Judge three answers."""
    client = _client(url)
    found = await asyncio.gather(*(_answer(client, task) for task in range(first, first + ANSWERS)))
    await client.close()
    return {"verdicts": dict(pair for part in found for pair in part)}


async def _answer(client: AsyncOpenAI, task: int) -> list[tuple[str, str]]:
    request = ExtractRequest(
        "found", "Stations with their figures and sources", schema(), prompt_of(task), answer_text(task)
    )
    await _ask(client, extract_prompt(request, key=FENCE_KEY))
    text = page_text(task)
    page = Passage("0" * 64, url_of(task), "", text, ((0, len(text)),))
    return [(one, await _majority(client, task, one, page)) for one in statements(task)]


async def _majority(client: AsyncOpenAI, task: int, statement: str, page: Passage) -> str:
    request = VerifyRequest("check", "claim", statement, prompt_of(task), page=page)
    replies = [await _ask(client, verify_prompt((request,), key=FENCE_KEY)) for _ in range(VOTES)]
    words: list[str] = [reply["verdicts"][0]["verdict"] for reply in replies]
    return max(words, key=words.count)


async def _ask(client: AsyncOpenAI, prompt: Prompt) -> Any:
    form = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": prompt.schema}}
    body: dict[str, Any] = {
        "model": "judge-1",
        "messages": prompt.messages,
        "response_format": form,
        "temperature": 0,
    }
    reply = await client.chat.completions.create(**body)
    return json.loads(reply.choices[0].message.content or "")


LOOPS: dict[str, Callable[[str, int], Awaitable[dict[str, Any]]]] = {"bare": bare, "reference": reference}


def main(name: str, url: str, number: int) -> None:
    """Run one loop and print what it cost."""
    before = _cpu()
    began = time.monotonic()
    found = asyncio.run(_awaited(LOOPS[name](url, number)))
    found |= {"seconds": time.monotonic() - began, "cpu_seconds": _cpu() - before}
    sys.stdout.write(json.dumps(found))


async def _awaited(loop: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    return await loop


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
