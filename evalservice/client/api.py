"""A typed client of the REST API.

>>> with Client("https://eval.example.org", key="evk_…") as client:
...     submission = client.submit(system="…", task_set="expeditions", bundle=Path("answers"))
...     client.wait(submission["id"])
"""

from __future__ import annotations

import json
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from evalservice.client.bundles import packed

# States in which nothing more will happen without somebody acting.
SETTLED = frozenset(
    {"judged", "published", "incomplete", "withheld", "failed", "cancelled", "expired", "paused"}
)


class ServiceUnreachable(Exception):
    """No answer came: the address is wrong, or the service is down."""


class Problem(Exception):
    """The service refused (RFC 9457). ``code`` is of the service's closed list, ``errors`` the single faults."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.title = str(body.get("title", ""))
        self.detail = str(body.get("detail", ""))
        self.code = str(body.get("type", "")).rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]
        self.instance = str(body.get("instance", ""))
        self.errors: list[dict[str, Any]] = list(body.get("errors") or [])
        super().__init__(f"{status} {self.title}: {self.detail}")


class Client:
    """One team's view of a service. Not shared between threads.

    :param transport: for tests; ordinary users leave it alone.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str = "",
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/api/v1/", headers=headers, timeout=timeout, transport=transport
        )
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    # ------------------------------------------------------------------ reading
    def me(self) -> dict[str, Any]:
        """The team and key behind this client, and the sizes an upload may have."""
        return self._json("GET", "me")

    def task_sets(self) -> list[dict[str, Any]]:
        """The open task sets."""
        results: list[dict[str, Any]] = self._json("GET", "task-sets")["results"]
        return results

    def tasks(self, slug: str) -> list[dict[str, Any]]:
        """The prompts of a set with open delivery."""
        tasks: list[dict[str, Any]] = self._json("GET", f"task-sets/{slug}/tasks")["tasks"]
        return tasks

    def submission(self, submission_id: str) -> dict[str, Any]:
        """One submission: its state, and its scores as far as they may be known."""
        return self._json("GET", f"submissions/{submission_id}")

    def board(self, slug: str, version: str) -> dict[str, Any]:
        """The public board of a task-set version."""
        return self._json("GET", f"leaderboards/{slug}/{version}")

    def wait(self, submission_id: str, *, seconds: float = 3600, every: float = 1.0) -> dict[str, Any]:
        """Follow a submission until nothing more happens by itself.

        :raises TimeoutError: after ``seconds``; the submission goes on without us.
        """
        return deque(self.watch(submission_id, seconds=seconds, every=every), maxlen=1)[0]

    def watch(
        self, submission_id: str, *, seconds: float = 3600, every: float = 1.0
    ) -> Iterator[dict[str, Any]]:
        """The submission each time its state or progress has changed, the settled one last."""
        before: object = None
        for _ in range(max(1, int(seconds / every))):
            submission = self.submission(submission_id)
            now = (submission["state"], submission["progress"])
            if now != before:
                yield submission
            if submission["state"] in SETTLED:
                return
            before = now
            self._sleep(every)
        raise TimeoutError(f"submission {submission_id} is still {submission['state']}; ask again later")

    # ------------------------------------------------------------------ writing
    def create_system(self, *, name: str, system_class: str, **fields: str) -> dict[str, Any]:
        """Register a system of the team."""
        return self._json("POST", "systems", json={"name": name, "system_class": system_class, **fields})

    def system(self, name: str) -> dict[str, Any] | None:
        """The team's system of that name; None if there is none."""
        address: str | None = "systems"
        while address:
            page = self._json("GET", address)
            for system in page["results"]:
                if system["name"] == name:
                    found: dict[str, Any] = system
                    return found
            address = page.get("next")
        return None

    def submit(
        self,
        *,
        system: str,
        task_set: str,
        bundle: Path,
        runs: int | None = None,
        note: str = "",
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Hand in all answers at once: a folder ``<task>/answer_<run>.md``, a zip of it, or JSON lines.

        Repeating the call with the same ``idempotency_key`` cannot submit twice.

        :param system: its id.
        :raises Problem: the bundle was refused, with the complete list of faults in ``errors``.
        """
        fields = {
            "system": system,
            "task_set": task_set,
            "note": note,
            **({"runs": str(runs)} if runs else {}),
        }
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        with packed(bundle) as (name, content):
            files = {"bundle": (name, content)}
            return self._json("POST", "submissions", data=fields, files=files, headers=headers)

    # ------------------------------------------------------------------ transport
    def _json(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        try:
            response = self._http.request(method, address, **options)
        except httpx.TransportError as error:
            raise ServiceUnreachable(f"{self._http.base_url}: {error or type(error).__name__}") from error
        body = _body(response)
        if response.is_error:
            raise Problem(response.status_code, body)
        return body


def _body(response: httpx.Response) -> dict[str, Any]:
    """The JSON object of an answer; for anything else, what a proxy in between may have said."""
    try:
        body = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        body = None
    if isinstance(body, dict):
        return body
    if response.is_error:
        return {"title": response.reason_phrase, "detail": response.text[:500]}
    raise ServiceUnreachable(
        f"{response.url}: the answer is no JSON object; is this the address of a service?"
    )
