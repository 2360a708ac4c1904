"""A service that says what a test wants, one answer after the other, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import httpx

from evalservice.client import Client

Answer = httpx.Response | Exception


def said(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    """An answer in JSON."""
    return httpx.Response(status, json=body, headers=headers)


def refused(code: str, status: int, **headers: str) -> httpx.Response:
    """A problem document."""
    body = {"type": f"urn:evalservice:problem:{code}", "title": "No", "status": status, "detail": "Because.",
            "instance": "abc", "errors": [{"pointer": "/x", "code": code, "detail": "Because."}]}  # fmt: skip
    return httpx.Response(status, content=json.dumps(body), headers=headers)


def submission(state: str, progress: str = "in_progress", **fields: Any) -> dict[str, Any]:
    """A submission as the API shows it."""
    return {
        "id": "s" * 16, "state": state, "progress": progress, "state_reason": "", "incomplete_reasons": [],
        "answers": {"expected": 4, "given": 3}, "scores": None, "missing": [], "not_listed_because": [],
        "task_set": {"slug": "set", "version": "1", "split": "dev"}, **fields,
    }  # fmt: skip


class Service:
    """``asked`` holds every request in order, ``slept`` every pause of the client."""

    def __init__(self, answers: Iterable[Answer] | Callable[[httpx.Request], Answer]) -> None:
        self._answers = answers if callable(answers) else iter(answers)
        self.asked: list[httpx.Request] = []
        self.slept: list[float] = []
        self.time = 0.0

    def client(self, address: str = "http://service.test", *, key: str = "evk_a_b") -> Client:
        """A client whose time passes only while it sleeps."""
        transport = httpx.MockTransport(self._answer)
        return Client(address, key=key, transport=transport, sleep=self._sleep, clock=lambda: self.time)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.asked.append(request)
        answer = self._answers(request) if callable(self._answers) else next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
