"""Which URLs and hosts may be asked at all. Pure: names are judged here, addresses when they are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import ada_url

from submissions.egress.addresses import Network, is_address, refusal

__all__ = ["SPECIAL_NAMES", "Denied", "Policy", "Target"]

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+")
_MAX_NAME = 253
_DEFAULT_PORTS = {"http:": 80, "https:": 443}
# Names that lead inside wherever they resolve (RFC 6761, RFC 6762, RFC 8375, RFC 9476 and common habit).
SPECIAL_NAMES = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "private", "lan", "home", "corp", "arpa"}
    | {"onion", "alt", "test", "example", "invalid"}
)


class Denied(Exception):
    """The policy refuses a URL, host or address. The text is for operators, never for submitters."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL that may be asked: ``url`` as browsers write it, fragment included."""

    url: str
    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be fetched.

    ``special_names`` are the top-level names that stand for no public host. ``denied_networks`` and ``denied_hosts``
    (with their subdomains) are for the service's own public addresses and names: a page of ours is never evidence.
    """

    ports: frozenset[int] = frozenset({80, 443})
    max_url: int = 4096
    denied_networks: tuple[Network, ...] = ()
    denied_hosts: frozenset[str] = frozenset()
    special_names: frozenset[str] = SPECIAL_NAMES

    def judge_url(self, url: str) -> Target:
        """Parse as browsers do, then judge scheme, userinfo, port and host.

        :raises Denied: also for what is no URL.
        """
        parsed = self._parsed(url)
        if parsed.protocol not in _DEFAULT_PORTS:
            raise Denied(f"scheme {parsed.protocol}")
        if parsed.username or parsed.password:
            raise Denied("userinfo")
        port = int(parsed.port) if parsed.port else _DEFAULT_PORTS[parsed.protocol]
        return Target(parsed.href, parsed.protocol[:-1], self.judge_host(parsed.hostname, port), port)

    def judge_authority(self, authority: str) -> tuple[str, int]:
        """Judge ``host:port`` of a CONNECT request. The host is read as in a URL: ``0x7f.1`` is an address.

        :raises Denied: also for anything but a host and a port.
        """
        if not re.fullmatch(r"[^/?#@:\s]+:[0-9]{1,5}|\[[0-9A-Fa-f:.]+\]:[0-9]{1,5}", authority):
            raise Denied("not host:port")
        parsed = self._parsed(f"http://{authority}/")
        port = int(parsed.port) if parsed.port else 80
        return self.judge_host(parsed.hostname, port), port

    def judge_host(self, hostname: str, port: int) -> str:
        """Judge a host as the URL parser gives it; returned without brackets or trailing dot.

        :raises Denied: a port or name that is not allowed, or an address that is not public.
        """
        if port not in self.ports:
            raise Denied(f"port {port}")
        host = hostname.strip("[]").rstrip(".")
        if is_address(host):
            self.judge_addresses([host])
        else:
            self._judge_name(host)
        return host

    def judge_addresses(self, addresses: Sequence[str]) -> None:
        """Judge what a name resolved to: one bad address refuses the name.

        :raises Denied: an address is not public.
        """
        for address in addresses:
            if reason := refusal(address, self.denied_networks):
                raise Denied(f"{reason}: {address}")

    def _parsed(self, url: str) -> ada_url.URL:
        if len(url) > self.max_url:
            raise Denied("too long")
        if _FORBIDDEN.search(url):
            raise Denied("control character or backslash")
        try:
            return ada_url.URL(url)
        except ValueError:
            raise Denied("not a URL") from None

    def _judge_name(self, host: str) -> None:
        labels = host.split(".")
        if len(host) > _MAX_NAME or not _NAME.fullmatch(host):
            raise Denied("not a public name")
        if labels[-1] in self.special_names:
            raise Denied(f"special-use name .{labels[-1]}")
        if any(".".join(labels[start:]) in self.denied_hosts for start in range(len(labels))):
            raise Denied("denied by configuration")
