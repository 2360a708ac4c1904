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

API = "/api/v1"
PROBLEM = "urn:evalservice:problem:"
# States in which nothing more will happen without somebody acting.
SETTLED = frozenset(
    {"judged", "published", "incomplete", "withheld", "failed", "cancelled", "expired", "paused"}
)
# What a service says that is busy, restarting or behind a proxy that lost sight of it: worth another try.
PASSING = frozenset({429, 502, 503, 504})


class Misconfigured(ValueError):
    """What was given as address or key cannot be one; no request was made."""


class ServiceUnreachable(Exception):
    """No answer came that the service could have given: the address is wrong, or the service is down."""


class Problem(Exception):
    """The service refused (RFC 9457). ``code`` is of the service's closed list, ``errors`` the single faults.

    ``code`` is empty if somebody in between answered; ``retry_after`` are the seconds asked to wait, if any.
    """

    def __init__(self, status: int, body: dict[str, Any], *, retry_after: float | None = None) -> None:
        self.status = status
        self.title = str(body.get("title", ""))
        self.detail = str(body.get("detail", ""))
        kind = str(body.get("type", ""))
        self.code = kind.removeprefix(PROBLEM) if kind.startswith(PROBLEM) else ""
        self.instance = str(body.get("instance", ""))
        self.errors: list[dict[str, Any]] = list(body.get("errors") or [])
        self.retry_after = retry_after
        super().__init__(f"{status} {self.title}: {self.detail}")


class Client:
    """One team's view of a service. Not shared between threads.

    :param base_url: the service's address, with or without ``/api/v1``.
    :param transport: for tests, like ``sleep`` and ``clock``; ordinary users leave them alone.
    :raises Misconfigured: the address or the key cannot be one.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str = "",
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        secret = _checked_key(key)
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self._http = httpx.Client(
            base_url=_checked_address(base_url), headers=headers, timeout=timeout, transport=transport
        )
        self._sleep = sleep
        self._clock = clock

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

    def answers(self, submission_id: str) -> list[dict[str, Any]]:
        """A row for every task and run, without the texts; on dev sets with scores and feedback once judged."""
        return list(self._rows(f"submissions/{submission_id}/answers"))

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
        """The submission each time its state or progress has changed, the settled one last.

        Once it has answered, a service that is away or busy is waited for. Watching changes nothing: whoever
        stops can watch again.

        :raises TimeoutError: after ``seconds``; the submission goes on without us.
        """
        deadline = self._clock() + seconds
        seen: dict[str, Any] | None = None
        while True:
            submission, pause = self._look(submission_id, seen, every)
            if seen is None or _place(submission) != _place(seen):
                yield submission
            if submission["state"] in SETTLED:
                return
            if self._clock() + pause > deadline:
                raise TimeoutError(f"submission {submission_id} is still {submission['state']}")
            seen = submission
            self._sleep(pause)

    def _look(
        self, submission_id: str, seen: dict[str, Any] | None, every: float
    ) -> tuple[dict[str, Any], float]:
        """The submission and the seconds until the next look; what was seen last if there is no answer now."""
        try:
            return self.submission(submission_id), every
        except ServiceUnreachable:
            if seen is None:
                raise
            return seen, every
        except Problem as problem:
            if seen is None or problem.status not in PASSING:
                raise
            return seen, max(every, problem.retry_after or 0)

    # ------------------------------------------------------------------ writing
    def create_system(self, *, name: str, system_class: str, **fields: str) -> dict[str, Any]:
        """Register a system of the team."""
        return self._json("POST", "systems", json={"name": name, "system_class": system_class, **fields})

    def system(self, name: str) -> dict[str, Any] | None:
        """The team's system of that name; None if there is none."""
        return next((system for system in self._rows("systems") if system["name"] == name), None)

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
        :raises NothingToSubmit: there is no answer at ``bundle``.
        :raises Problem: the bundle was refused, with the complete list of faults in ``errors``.
        """
        fields = {
            "system": system,
            "task_set": task_set,
            "note": note,
            **({"runs": str(runs)} if runs is not None else {}),
        }
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        with packed(bundle) as (name, content):
            files = {"bundle": (name, content)}
            return self._json("POST", "submissions", data=fields, files=files, headers=headers)

    # ------------------------------------------------------------------ transport
    def _rows(self, address: str) -> Iterator[dict[str, Any]]:
        """The rows of a list, page after page."""
        params: httpx.QueryParams | None = httpx.QueryParams()
        while params is not None:
            page = self._json("GET", address, params=params)
            yield from page["results"]
            # Only the query of the link: wherever it points, our key goes to this service alone.
            params = httpx.URL(page["next"]).params if page["next"] else None

    def _json(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        try:
            response = self._http.request(method, address, **options)
        except httpx.RequestError as error:
            raise ServiceUnreachable(
                f"{self._http.base_url}: {str(error) or type(error).__name__}"
            ) from error
        if response.is_redirect:
            raise ServiceUnreachable(f"{response.url} has moved to {response.headers['location']}")
        body = _body(response)
        if response.is_error:
            raise Problem(response.status_code, body, retry_after=_retry_after(response))
        return body


def _checked_address(address: str) -> str:
    """The address of the API below that of the service."""
    try:
        url = httpx.URL(address.strip())
    except httpx.InvalidURL as error:
        raise Misconfigured(f"{address!r} is no address: {error}") from error
    if url.scheme not in {"http", "https"} or not url.host or "%" in url.host:
        raise Misconfigured(f"{address!r} is no address of a service; it begins with https://")
    return f"{str(url).rstrip('/').removesuffix(API)}{API}/"


def _checked_key(key: str) -> str:
    """The key without the line end that files leave behind."""
    stripped = key.strip()
    if not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise Misconfigured("The key holds characters that no key has; copy it again, as a whole.")
    return stripped


def _place(submission: dict[str, Any]) -> tuple[str, str]:
    return submission["state"], submission["progress"]


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds; a date, which the service never sends, is passed over."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else None


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
    raise ServiceUnreachable(f"{response.url} answers with no JSON object; is this the address of a service?")
