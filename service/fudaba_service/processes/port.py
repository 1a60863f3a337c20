"""A port on which several processes of this machine listen together. The kernel spreads connections over them."""

from __future__ import annotations

import errno
import socket
import sys
from contextlib import ExitStack
from typing import Final

from fudaba.address import parse_host_port
from fudaba_serving.grpc.binding import CannotStart

__all__ = ["CAN_SHARE", "reserve"]

CAN_SHARE: Final = sys.platform == "linux"
"""Whether processes can share a port here. On other systems SO_REUSEPORT is missing, or spreads nothing."""
_NOT_HERE: Final = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
"""Errors for a kind of address that this machine does not have."""


def reserve(stack: ExitStack, listen: str) -> str:
    """Reserves a port, until the stack is closed, for processes that listen with SO_REUSEPORT. Returns the address with
    its number.

    Nobody else gets the port meanwhile, not even a second service of this user, which would share it unnoticed. Raises
    `CannotStart`.
    """
    host, port = parse_host_port(listen)
    failed: OSError | None = None
    held = False
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            held_socket = stack.enter_context(socket.socket(family, kind, protocol))
            try:
                port = _hold(held_socket, (address[0], port, *address[2:]))
                held = True
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                failed = error
    except OSError as error:
        failed, held = error, False
    if not held:
        raise CannotStart(
            f"cannot listen on {listen}: the address is in use, or does not belong to this machine"
        ) from failed
    return f"{listen.rpartition(':')[0]}:{port}"


def _hold(held_socket: socket.socket, address: tuple[object, ...]) -> int:
    """Binds an address without listening. Returns its port.

    The order of options makes this safe: leftover connections of a service that just ended do not count, as usual; and
    others may share the port only after that, and only if they listen with SO_REUSEPORT.
    """
    if held_socket.family == socket.AF_INET6:
        held_socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    held_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held_socket.bind(address)
    held_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    port: int = held_socket.getsockname()[1]
    return port
