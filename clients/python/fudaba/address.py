"""Addresses: where a service listens, where clients look for it, where metrics are served."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final, NamedTuple, final

from fudaba.errors import BadAddress

__all__ = [
    "DEFAULT_ADDRESS",
    "DEFAULT_ARENA",
    "DEFAULT_WEB",
    "HostPort",
    "check_address",
    "is_host_port",
    "is_loopback",
    "parse_host_port",
]

DEFAULT_ADDRESS: Final = "127.0.0.1:7710"
"""The default address at which `fudaba serve` listens and commands look for it."""
DEFAULT_ARENA: Final = "127.0.0.1:7711"
"""The default address at which `fudaba arena serve` listens and commands look for it."""
DEFAULT_WEB: Final = "127.0.0.1:7712"
"""The default address at which `fudaba web` listens."""

_SOCKETS: Final = ("unix:", "unix-abstract:")
_MAX_PORT: Final = 65_535


@final
class HostPort(NamedTuple):
    """The two parts of `HOST:PORT`."""

    host: str
    """A name or a number, without the brackets that an IPv6 number has in an address."""
    port: int
    """The port: 0 to 65535; where something is to listen, 0 means any that is free."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_host_port(text: str) -> HostPort:
    """Returns the host and port of `HOST:PORT`, an IPv6 number in brackets. Raises `BadAddress`.

    Does not check that the host exists.
    """
    written, _, port = text.rpartition(":")
    bracketed = written.startswith("[") and written.endswith("]")
    host = written[1:-1] if bracketed else written
    if not host or (":" in host and not bracketed):
        raise BadAddress(f"{text!r} is not an address; write HOST:PORT, for example {DEFAULT_ADDRESS}")
    if not (port.isascii() and port.isdecimal() and int(port) <= _MAX_PORT):
        raise BadAddress(f"{text!r} has no port from 0 to {_MAX_PORT}; write HOST:PORT, for example {DEFAULT_ADDRESS}")
    return HostPort(host, int(port))


def is_host_port(text: str) -> bool:
    """Returns whether a text is `HOST:PORT`, as `parse_host_port` reads it."""
    try:
        parse_host_port(text)
    except BadAddress:
        return False
    return True


def check_address(address: str) -> None:
    """Raises `BadAddress` unless `address` is `HOST:PORT` or `unix:/path/to/socket`."""
    if not address.isprintable():
        raise BadAddress(f"{address!r} is not an address: it has characters that cannot be typed")
    if address.startswith(_SOCKETS):
        if not address.split(":", 1)[1].strip("/"):
            raise BadAddress(f"{address!r} names no socket; write unix:/path/to/socket")
        return
    if "/" in address:
        raise BadAddress(f"{address!r} is not an address; write HOST:PORT (TLS is a choice of its own), or unix:/path")
    if not is_host_port(address) or not parse_host_port(address).port:
        raise BadAddress(
            f"{address!r} is not an address; write HOST:PORT, for example {DEFAULT_ADDRESS}, or unix:/path"
        )


def is_loopback(address: str) -> bool:
    """Returns whether only this machine can reach a listener: a Unix socket, or `HOST:PORT` on loopback."""
    return address.startswith(_SOCKETS) or (is_host_port(address) and parse_host_port(address).is_loopback)
