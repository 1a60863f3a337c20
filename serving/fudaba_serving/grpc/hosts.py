"""The origin of calls: the host that has the connection, or the one that a front or a gateway names.

Nothing else counts: a caller's own word about its address is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, final
from urllib.parse import unquote

from grpc import aio

__all__ = ["CLIENT_ADDRESS", "CallerHosts", "client_of", "host_of"]

CLIENT_ADDRESS: Final = "fudaba-client-address"
"""The metadata with the address of the client that makes a call, if a front or a forwarder passes the call on."""

_UNIX: Final = "unix"
"""The host of all callers that come through a Unix socket."""


@final
class CallerHosts:
    """The origin of calls behind these fronts.

    `behind` lists the fronts' addresses or networks, separated by commas, or `unix` for a front that comes through a
    Unix socket. The metadata `fudaba-client-address` of their calls names the client. Raises `ValueError` for anything
    else.
    """

    def __init__(self, behind: str = "") -> None:
        named = {proxy.strip() for proxy in behind.split(",")} - {""}
        self._unix = _UNIX in named
        self._networks = [ip_network(network) for network in sorted(named - {_UNIX})]

    def host_of(self, context: aio.ServicerContext[Any, Any]) -> str:
        """Returns the host of a call, or its IPv6 network."""
        peer = context.peer()
        if self._is_front(peer):
            return client_of(context.invocation_metadata()) or host_of(peer)
        return host_of(peer)

    def _is_front(self, peer: str) -> bool:
        if not self._networks and not self._unix:
            return False
        text = _text_of(peer)
        try:
            address = _address(text)
        except ValueError:
            return self._unix and text == _UNIX
        return any(address in network for network in self._networks)


def host_of(peer: str) -> str:
    """Returns the host in gRPC's name of a peer; for an IPv6 address its network, which belongs to one customer.

    Returns the kind of the peer, such as `unix`, if it has no address.
    """
    text = _text_of(peer)
    try:
        return _host(_address(text))
    except ValueError:
        return text


def client_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> str:
    """Returns the host of the client that a gateway or a front names with a call; an empty text if it names none.

    Returns `unknown` if it names something other than an address.
    """
    for key, value in metadata or ():
        if key == CLIENT_ADDRESS:
            try:
                return _host(_address(str(value)))
            except ValueError:
                return "unknown"
    return ""


def _text_of(peer: str) -> str:
    """Returns the address in gRPC's name of a peer, or the kind of a peer that has none."""
    kind, _, rest = peer.partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return kind
    return unquote(rest).rpartition(":")[0].strip("[]").partition("%")[0]


def _address(text: str) -> IPv4Address | IPv6Address:
    """Returns an address; an IPv4 address in the form of an IPv6 one becomes an IPv4 address.

    Raises `ValueError` for anything else.
    """
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _host(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv6Address):
        return str(ip_network(f"{address}/64", strict=False))
    return str(address)
