"""Captures through the door, in a world of its own."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from judging.pages.captures import Capture, PageVerdict
from judging.pages.fetch import Patience, capture_many
from submissions.egress import Door, Fetched, FetchLimits, GuardLimits, Outcome, ResolverFailed
from tests.unit.judging.pages.documents import pdf
from tests.unit.submissions.egress.world import (
    Silence,
    Site,
    World,
    over_tls,
    page,
    redirect,
    run,
    says,
    trusting,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HTML = b"<title>The lake</title><p>The lake was surveyed in 1871 by a party of three surveyors."


def look(world: World, url: str, known_good_hosts: Sequence[str] = (), **limits: float) -> Capture:
    """One capture in a world."""

    async def story() -> Capture:
        async with world:
            bounds = FetchLimits(body_bytes=200_000, total_s=5.0, guard=GuardLimits(**limits))  # type: ignore[arg-type]
            door = Door(
                "ops@us.org", limits=bounds, resolver=world.resolve, dialer=world.dial, tls=trusting()
            )
            (seen,) = await capture_many([url], door=door, fetched_at=NOW, known_good_hosts=known_good_hosts)
            return seen

    return run(story())


def test_a_page_is_captured_with_its_redirects() -> None:
    world = World(
        {
            ("x.org", 80): redirect("https://x.org/b"),
            ("x.org", 443): over_tls(page(HTML, "Content-Type: text/html; charset=utf-8")),
        }
    )
    seen = look(world, "http://x.org/a")
    assert (seen.verdict, seen.status, seen.url, seen.final_url) == (
        PageVerdict.OK,
        200,
        "http://x.org/a",
        "https://x.org/b",
    )
    assert seen.chain == ((302, "http://x.org/a"),)
    assert (seen.title, seen.static_only, seen.raw, seen.fetched_at) == ("The lake", True, HTML, NOW)
    assert seen.content_type == "text/html; charset=utf-8"
    assert seen.probe_ok is None


def test_a_pdf_is_captured() -> None:
    seen = look(
        World({("x.org", 80): page(pdf(["Depth: 40 m"]), "Content-Type: application/octet-stream")}),
        "http://x.org/",
    )
    assert (seen.verdict, seen.text, seen.static_only) == (PageVerdict.OK, "Depth: 40 m", False)


async def _hang(_head: bytes, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


@pytest.mark.parametrize(
    ("site", "verdict"),
    [
        (page(HTML, status="404 Not Found"), PageVerdict.NOT_FOUND),
        (page(HTML, status="403 Forbidden"), PageVerdict.BLOCKED_STATUS),
        (page(HTML, status="500 Oops"), PageVerdict.ERROR_STATUS),
        (page(b"a" * 300_000), PageVerdict.TOO_LARGE),
        (redirect("http://x.org/"), PageVerdict.ERROR_STATUS),
        (redirect("http://127.0.0.1/"), PageVerdict.DENIED),
        (says(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), PageVerdict.NETWORK),
        (Site(_hang), PageVerdict.TIMEOUT),
    ],
)
def test_what_happened_gives_the_verdict(site: Site, verdict: PageVerdict) -> None:
    seen = look(World({("x.org", 80): site}), "http://x.org/", head_s=0.3)
    assert seen.verdict is verdict


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "ftp://x.org/", "https://user:pw@x.org/", "no URL", ""])
def test_what_may_not_be_asked_is_denied(url: str) -> None:
    assert look(World({}), url).verdict is PageVerdict.DENIED


# ---------------------------------------------------------------- dead hosts

GOOD = {("good.x.org", 443): over_tls(page(b"a"))}


def test_a_dead_host_is_noted_with_what_we_could_reach() -> None:
    assert look(World(GOOD), "https://gone.org/", ["good.x.org"]).probe_ok is True
    seen = look(World({}), "https://gone.org/", ["good.x.org"])
    assert (seen.verdict, seen.probe_ok) == (PageVerdict.DEAD_HOST, False)


def test_a_certificate_for_another_name_is_a_dead_host() -> None:
    world = World({**GOOD, ("x.org", 443): over_tls(page(b"a"), "other")})
    seen = look(world, "https://x.org/", ["good.x.org"])
    assert (seen.verdict, seen.probe_ok) == (PageVerdict.DEAD_HOST, True)


@pytest.mark.parametrize("problem", [ResolverFailed("SERVFAIL"), Silence()])
def test_a_name_server_that_fails_is_our_failure(problem: Exception | Silence) -> None:
    seen = look(World(GOOD, names={"x.org": problem}), "https://x.org/", ["good.x.org"], resolve_s=0.2)
    assert (seen.verdict, seen.probe_ok) == (PageVerdict.NETWORK, None)


# ---------------------------------------------------------------- many pages


@dataclass
class Clockwork:
    """A door that answers from a list, and a clock that runs when somebody sleeps."""

    answers: dict[str, list[Fetched]]
    log: list[tuple[float, str]] = field(default_factory=list)
    probes: int = 0
    time: float = 0.0
    at_once: int = 0
    most_at_once: int = 0

    async def get(self, url: str) -> Fetched:
        self.log.append((self.time, url))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return self.answers[url].pop(0)

    async def reaches_any(self, _hosts: Sequence[str]) -> bool:
        self.probes += 1
        await asyncio.sleep(0)
        return True

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)

    def visit(self, urls: Sequence[str], **patience: float) -> list[Capture]:
        return run(
            capture_many(
                urls,
                door=self,  # type: ignore[arg-type]
                fetched_at=NOW,
                patience=Patience(sleep=self.sleep, **patience),  # type: ignore[arg-type]
            )
        )


def ok(url: str, status: int = 200, **headers: str) -> Fetched:
    return Fetched(
        Outcome.OK, url, status, headers={k.replace("_", "-"): v for k, v in headers.items()}, body=HTML
    )


def failed(url: str, outcome: Outcome) -> Fetched:
    return Fetched(outcome, url)


def test_captures_come_in_the_order_of_the_urls_and_all_hosts_are_asked_at_once() -> None:
    urls = [f"http://{n}.org/" for n in range(9)]
    clock = Clockwork({url: [ok(url)] for url in urls})
    assert [seen.url for seen in clock.visit(urls)] == urls
    assert (clock.most_at_once, clock.time) == (9, 0)
    assert clock.visit([]) == []


def test_a_page_that_takes_too_long_costs_no_other_page_its_time() -> None:
    class Slow(Clockwork):
        async def get(self, url: str) -> Fetched:
            if "slow" in url:
                await asyncio.sleep(30)
            return await super().get(url)

    seen = Slow({"http://x.org/": [ok("http://x.org/")]}).visit(
        ["http://slow.org/", "http://x.org/"], total=0.1
    )
    assert [one.verdict for one in seen] == [PageVerdict.TIMEOUT, PageVerdict.OK]
    assert seen[0].detail == "not done within 0.1 s"


@pytest.mark.parametrize(
    "trouble",
    [
        failed("http://x.org/", Outcome.TIMEOUT),
        *(ok("http://x.org/", status) for status in (429, 500, 502, 503, 504)),
    ],
)
def test_passing_trouble_is_retried_twice(trouble: Fetched) -> None:
    clock = Clockwork({"http://x.org/": [trouble, trouble, ok("http://x.org/")]})
    assert clock.visit(["http://x.org/"])[0].verdict is PageVerdict.OK
    assert [moment for moment, _ in clock.log] == [0.0, 2.0, 6.0]
    clock = Clockwork({"http://x.org/": [trouble] * 3})
    assert clock.visit(["http://x.org/"])[0].verdict is not PageVerdict.OK
    assert len(clock.log) == 3


@pytest.mark.parametrize(
    "answer",
    [
        *(ok("http://x.org/", status) for status in (200, 401, 403, 404, 410)),
        *(
            failed("http://x.org/", outcome)
            for outcome in Outcome
            if outcome not in (Outcome.OK, Outcome.TIMEOUT)
        ),
    ],
)
def test_a_refusal_is_not_argued_with(answer: Fetched) -> None:
    clock = Clockwork({"http://x.org/": [answer]})
    clock.visit(["http://x.org/"])
    assert len(clock.log) == 1


@pytest.mark.parametrize(
    ("asked", "waits"),
    [
        ("7", [0.0, 7.0]),
        ("0", [0.0, 2.0]),
        (format_datetime(NOW.replace(second=20), usegmt=True), [0.0, 15.0]),
        (format_datetime(NOW.replace(year=2020), usegmt=True), [0.0, 2.0]),
        ("soon", [0.0, 2.0]),
        ("Fri, 02 Jan 2026 03:04:20", [0.0, 2.0]),
        ("21", [0.0]),
        ("3600", [0.0]),
    ],
)
def test_a_host_says_how_long_to_wait(asked: str, waits: list[float]) -> None:
    clock = Clockwork({"http://x.org/": [ok("http://x.org/", 429, retry_after=asked), ok("http://x.org/")]})
    seen = clock.visit(["http://x.org/"])[0]
    assert [moment for moment, _ in clock.log] == waits
    assert seen.verdict is (PageVerdict.OK if len(waits) == 2 else PageVerdict.BLOCKED_STATUS)
    assert seen.retry_after_s == (0.0 if len(waits) == 2 else float(asked))


def test_only_a_busy_host_can_ask_for_a_pause() -> None:
    clock = Clockwork({"http://x.org/": [ok("http://x.org/", 200, retry_after="3600")]})
    assert clock.visit(["http://x.org/"])[0].retry_after_s == 0.0


def test_one_probe_serves_a_batch() -> None:
    urls = [f"http://{n}.org/" for n in range(5)]
    clock = Clockwork({url: [failed(url, Outcome.DEAD_HOST)] for url in urls})
    assert [seen.probe_ok for seen in clock.visit(urls)] == [True] * 5
    assert clock.probes == 1


def test_urls_without_a_host_are_denied_like_any_other() -> None:
    seen = run(capture_many(["nonsense", "http://localhost/"], door=Door("ops@us.org"), fetched_at=NOW))
    assert [one.verdict for one in seen] == [PageVerdict.DENIED] * 2
