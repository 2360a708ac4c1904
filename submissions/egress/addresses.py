"""Which IP addresses are public: an explicit list, because the standard library's has had holes.

IPv4 is allowed unless listed here, IPv6 only inside global unicast and outside its holes (sources: the IANA
special-purpose registries, RFC 6890 and its updates).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

__all__ = ["Network", "is_address", "refusal"]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV4_REFUSED = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, and the metadata service of one cloud
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # the wire server of another cloud: looks public, answers inside
        "169.254.0.0/16",  # link-local: metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments: 192.0.0.192 is a metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_IPV6_GLOBAL = ipaddress.IPv6Network("2000::/3")
_IPV6_REFUSED = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # Teredo, ORCHID, benchmarks: protocol assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: carries any IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)


def refusal(address: str, denied: Iterable[Network] = ()) -> str | None:
    """Why an address may not be dialled, or None if it may.

    :param address: as a resolver gives it; names and shorthands such as ``127.1`` are refused.
    :param denied: further networks, such as the service's own public addresses.
    """
    if "%" in address:
        return "scoped address"
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if any(parsed.version == network.version and parsed in network for network in denied):
        return "denied by configuration"
    if isinstance(parsed, ipaddress.IPv4Address):
        is_public = not any(parsed in network for network in _IPV4_REFUSED)
    else:
        # The allow list refuses mapped (::ffff:0:0/96), translated (64:ff9b::/96) and local ones as well.
        is_public = parsed in _IPV6_GLOBAL and not any(parsed in network for network in _IPV6_REFUSED)
    return None if is_public else "not a public address"


def is_address(host: str) -> bool:
    """Whether a host is a literal address, in the one form resolvers and browsers write."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
