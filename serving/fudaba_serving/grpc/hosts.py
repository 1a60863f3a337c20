"""From where calls come: the host that has a connection, or the one that a front or a gateway names.

Nobody else's word counts: what a caller itself says of its address is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, final
from urllib.parse import unquote

from grpc import aio

__all__ = ["CLIENT_ADDRESS", "Hosts", "client_of", "host_of"]

CLIENT_ADDRESS: Final = "fudaba-client-address"
"""The metadata with the address of who makes a call, of one that a front or a forwarder passes on."""

_UNIX: Final = "unix"
"""The host of whoever comes through a Unix socket."""


@final
class Hosts:
    """From where calls come, behind these fronts.

    `behind` are their addresses or networks with commas between them, or `unix` for one that comes through a Unix
    socket; of their calls the metadata `fudaba-client-address` says whose they are. Raises `ValueError` for others.
    """

    def __init__(self, behind: str = "") -> None:
        named = {one.strip() for one in behind.split(",")} - {""}
        self._unix = _UNIX in named
        self._networks = [ip_network(one) for one in sorted(named - {_UNIX})]

    def of(self, context: aio.ServicerContext[Any, Any]) -> str:
        """The host of a call, or its IPv6 network."""
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
    """The host that gRPC's name of a peer begins with; of an IPv6 address its network, which is one customer's."""
    text = _text_of(peer)
    try:
        return _host(_address(text))
    except ValueError:
        return text


def client_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> str:
    """The host of the client that a gateway or a front names with a call; empty if it names none."""
    for key, value in metadata or ():
        if key == CLIENT_ADDRESS:
            try:
                return _host(_address(str(value)))
            except ValueError:
                return "unknown"
    return ""


def _text_of(peer: str) -> str:
    """The address in gRPC's name of a peer."""
    kind, _, rest = peer.partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return kind
    return unquote(rest).rpartition(":")[0].strip("[]").partition("%")[0]


def _address(text: str) -> IPv4Address | IPv6Address:
    """An address; one of IPv4 that is written as one of IPv6 is of IPv4. Raises `ValueError` for what is none."""
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _host(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv6Address):
        return str(ip_network(f"{address}/64", strict=False))
    return str(address)
