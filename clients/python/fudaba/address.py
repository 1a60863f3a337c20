"""Addresses of a service."""

from __future__ import annotations

from typing import Final

from fudaba.errors import BadAddress

__all__ = ["DEFAULT_ADDRESS", "check_address", "is_local"]

DEFAULT_ADDRESS: Final = "127.0.0.1:7710"
"""Where `fudaba serve` listens, and commands look, unless told otherwise."""

_SOCKETS: Final = ("unix:", "unix-abstract:")
_LOOPBACK: Final = ("127.", "localhost:", "[::1]:")


def check_address(address: str) -> None:
    """Raises `BadAddress` unless `address` is `HOST:PORT` or `unix:/path/to/socket`."""
    if not address.isprintable():
        raise BadAddress(f"{address!r} is no address: it has characters that cannot be typed")
    if address.startswith(_SOCKETS):
        if not address.split(":", 1)[1].strip("/"):
            raise BadAddress(f"{address!r} names no socket; write unix:/path/to/socket")
        return
    if "/" in address:
        raise BadAddress(f"{address!r} is no address; write HOST:PORT (TLS is a choice of its own), or unix:/path")
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise BadAddress(f"{address!r} is no address; write HOST:PORT, for example {DEFAULT_ADDRESS}, or unix:/path")


def is_local(address: str) -> bool:
    """Whether what is sent there stays on this machine."""
    return address.startswith((*_SOCKETS, *_LOOPBACK))
