"""One bounded GET through a guard of its own.

Every redirect is judged before it is followed; the body is bounded packed and unpacked; the whole takes no longer
than its limit. How it failed is told by the guard and by the client's own checks, never by what a site sent.
"""

from __future__ import annotations

import asyncio
import functools
import re
import ssl
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum

import ada_url
import httpx

from submissions.egress.bodies import Body, BodyTooLarge, BrokenBody
from submissions.egress.guard import Guard
from submissions.egress.ledger import GuardLimits, Refusal, RefusalKind
from submissions.egress.outside import Dialer, Resolver, dial, resolve
from submissions.egress.policy import Denied, Policy, Target

__all__ = ["FetchLimits", "Fetched", "Outcome", "get"]


class Outcome(StrEnum):
    """How a fetch ended."""

    OK = "ok"  # a response of any HTTP status, with its whole body
    DENIED = "denied"  # by policy, at the first URL or at a redirect
    DEAD_HOST = "dead_host"  # no such name, or a certificate for another name
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    REDIRECTS = "redirects"  # too many, or to nowhere
    NETWORK = "network"  # everything that says nothing about the page


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Bounds of one fetch. ``guard`` bounds what crosses the wire."""

    body_bytes: int = 25 * 2**20  # unpacked
    total_s: float = 30.0
    redirects: int = 10
    guard: GuardLimits = field(default_factory=GuardLimits)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch gave.

    ``status`` is the last HTTP status seen, ``final_url`` the URL that was asked last, ``chain`` the redirects
    before it. ``headers`` have lower-case names. ``body`` is whole if the outcome is ``ok`` and empty otherwise.
    ``detail`` is for operators.
    """

    outcome: Outcome
    final_url: str
    status: int | None = None
    chain: tuple[tuple[int, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    detail: str = ""


class _Failed(Exception):
    def __init__(self, outcome: Outcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail


_OUTCOME_OF = {
    RefusalKind.DENIED: Outcome.DENIED,
    RefusalKind.NO_SUCH_HOST: Outcome.DEAD_HOST,
    RefusalKind.TIMEOUT: Outcome.TIMEOUT,
    RefusalKind.BYTES_SPENT: Outcome.TOO_LARGE,
}
_NAME_MISMATCH = {62, 64}  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
# What httpx raises for what sites and URLs do: a damaged TLS record is a bare OSError, and a host that browsers
# know but IDNA 2008 does not (emoji domains) is a UnicodeError.
_OUTSIDE = (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError)
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5"
_UNPRINTABLE = re.compile(r"[^ -~]")


async def get(
    url: str,
    *,
    contact: str,
    policy: Policy | None = None,
    limits: FetchLimits | None = None,
    resolver: Resolver = resolve,
    dialer: Dialer = dial,
    tls: ssl.SSLContext | None = None,
) -> Fetched:
    """Fetch ``url``; never raises for anything the outside world does.

    :param contact: an address for site owners, sent as part of the user agent.
    :param tls: whom to trust; the system's authorities if None.
    """
    limits = limits or FetchLimits()
    async with Guard(policy or Policy(), limits=limits.guard, resolver=resolver, dialer=dialer) as guard:
        journey = _Journey(guard, limits, url)
        try:
            async with asyncio.timeout(limits.total_s), _transport(guard, tls) as transport:
                return await journey.travel(transport, _headers(contact))
        except TimeoutError:
            return journey.ended(Outcome.TIMEOUT, f"over {limits.total_s:g} s")
        except _Failed as failed:
            return journey.ended(failed.outcome, failed.detail)


class _Journey:
    """The hops of one fetch."""

    def __init__(self, guard: Guard, limits: FetchLimits, url: str) -> None:
        self._guard = guard
        self._limits = limits
        self._so_far = Fetched(Outcome.NETWORK, url)
        self._cookies = (
            httpx.Cookies()
        )  # for this journey: some sites send visitors round until they have one

    async def travel(self, transport: httpx.AsyncHTTPTransport, headers: Mapping[str, str]) -> Fetched:
        for _ in range(self._limits.redirects + 1):
            target = self._judged(self._so_far.final_url)
            self._so_far = replace(self._so_far, final_url=target.url)
            location = await self._hop(transport, target, headers)
            if location is None:
                return self._so_far
            self._so_far = self._redirected(target.url, location)
        raise _Failed(Outcome.REDIRECTS, f"over {self._limits.redirects} redirects")

    def ended(self, outcome: Outcome, detail: str) -> Fetched:
        """What is known at an end before the end."""
        return replace(self._so_far, outcome=outcome, detail=_UNPRINTABLE.sub("?", detail)[:300], body=b"")

    def _judged(self, url: str) -> Target:
        try:
            return self._guard.policy.judge_url(url)
        except Denied as denied:
            raise _Failed(Outcome.DENIED, str(denied)) from None

    async def _hop(
        self, transport: httpx.AsyncHTTPTransport, target: Target, headers: Mapping[str, str]
    ) -> str | None:
        """One request; the target of its redirect, or None if this was the last."""
        before = len(self._guard.refusals)
        try:
            request = self._request(target, headers)
            response = await transport.handle_async_request(request)
            response.request = request
            async with aclosing(response):
                return await self._answered(response)
        except _OUTSIDE as error:
            raise _failure(error, self._guard.refusal_of(target.host, target.port, since=before)) from None

    def _request(self, target: Target, headers: Mapping[str, str]) -> httpx.Request:
        timeout = httpx.Timeout(self._guard.ledger.limits.head_s).as_dict()
        request = httpx.Request("GET", target.url, headers=headers, extensions={"timeout": timeout})
        self._cookies.set_cookie_header(request)
        return request

    async def _answered(self, response: httpx.Response) -> str | None:
        self._cookies.extract_cookies(response)
        found = dict(response.headers.items())
        self._so_far = replace(self._so_far, status=response.status_code, headers=found)
        if response.has_redirect_location:
            return response.headers["location"]
        body = await self._body(response)
        self._so_far = replace(self._so_far, outcome=Outcome.OK, body=body)
        return None

    async def _body(self, response: httpx.Response) -> bytes:
        try:
            body = Body(response.headers.get("content-encoding", ""), limit=self._limits.body_bytes)
            async for received in response.aiter_raw():
                body.add(received)
            return body.finish()
        except BodyTooLarge as large:
            raise _Failed(Outcome.TOO_LARGE, str(large)) from None
        except BrokenBody as broken:
            raise _Failed(Outcome.NETWORK, str(broken)) from None

    def _redirected(self, url: str, location: str) -> Fetched:
        try:
            joined = ada_url.URL(location, base=url)
        except ValueError:
            raise _Failed(Outcome.REDIRECTS, "a redirect to nowhere") from None
        if not joined.hash:  # RFC 9110 §10.2.2: a fragment is carried along, hash routes are pages
            joined.hash = ada_url.URL(url).hash
        so_far = self._so_far
        status = so_far.status or 0
        return replace(so_far, final_url=joined.href, chain=(*so_far.chain, (status, url)), headers={})


def _failure(error: Exception, refusal: Refusal | None) -> _Failed:
    """What went wrong, as the guard saw it; what the client saw counts only where the guard saw nothing."""
    if refusal is not None:
        return _Failed(_OUTCOME_OF.get(refusal.kind, Outcome.NETWORK), f"{refusal.kind}: {refusal.detail}")
    if _is_name_mismatch(error):
        return _Failed(Outcome.DEAD_HOST, "the certificate is for another name")
    if isinstance(error, httpx.TimeoutException):
        return _Failed(Outcome.TIMEOUT, type(error).__name__)
    return _Failed(Outcome.NETWORK, f"{type(error).__name__}: {error}")


def _is_name_mismatch(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_code in _NAME_MISMATCH
        error = error.__cause__ or error.__context__
    return False


def _transport(guard: Guard, tls: ssl.SSLContext | None) -> httpx.AsyncHTTPTransport:
    """httpx below its client: the client reads redirects and the environment by rules of its own."""
    return httpx.AsyncHTTPTransport(
        proxy=guard.url,
        trust_env=False,  # the environment's proxies would lead around the guard
        http2=False,
        verify=tls or _system_tls(),
        limits=httpx.Limits(max_keepalive_connections=0),
    )


def _headers(contact: str) -> dict[str, str]:
    return {
        "User-Agent": f"evalservice/1 (reads pages cited in benchmark answers; {_UNPRINTABLE.sub('', contact)})",
        "Accept": _ACCEPT,
        "Accept-Language": "en, *;q=0.5",
        "Accept-Encoding": "gzip",
    }


@functools.cache
def _system_tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)  # reading the authorities takes 30 ms
