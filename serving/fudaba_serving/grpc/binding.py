"""The address of a server, and what its connections may do."""

from __future__ import annotations

from typing import Any, Final

import grpc
from grpc import aio

from fudaba.address import is_host_port
from fudaba_serving.grpc.requests import MAX_READ_BYTES

__all__ = ["CannotStart", "bind", "server_options"]

_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_READ_BYTES),
    # The server notices a dead peer within 15 s. Clients may ping every 5 s, too.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),  # the same setting, by the name that newer grpcio reads
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    # A ping that comes sooner after the last one is a strike, unless the server sent something in between. It sends
    # something on a stream of Play every 5 s at the latest. So a bot that pings ten times a second stays, and a flood
    # does not.
    ("grpc.http2.max_ping_strikes", 100),
    ("grpc.so_reuseport", 0),
    # These settings limit what one connection may hold, and for how long it may be idle.
    ("grpc.max_concurrent_streams", 4_000),
    # gRPC accepts this much of a request that nothing reads yet, however fast it comes. Reading it makes room for more.
    ("grpc.http2.lookahead_bytes", 16 * 1024),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.max_connection_idle_ms", 60_000),
    ("grpc.server_handshake_timeout_ms", 20_000),
)
"""The settings of gRPC's server."""


class CannotStart(Exception):
    """A server cannot be started with these settings. `str()` says why, and what to change."""


def server_options(connections: int) -> tuple[tuple[str, Any], ...]:
    """Returns the options of a gRPC server that accepts this many connections at each of its ports.

    gRPC would accept every connection; it closes each further one as soon as it comes.
    """
    return (*_OPTIONS, ("grpc.max_allowed_incoming_connections", connections))


def bind(server: aio.Server, listen: str, shown: grpc.ServerCredentials | None, example: str) -> str:
    """Listens on `HOST:PORT` or `unix:/path`; returns the address with its real port. Raises `CannotStart`."""
    if not listen.startswith("unix:") and not is_host_port(listen):
        raise CannotStart(f"cannot listen on {listen}: write HOST:PORT, for example {example}, or unix:/path")
    try:
        port = server.add_insecure_port(listen) if shown is None else server.add_secure_port(listen, shown)
    except RuntimeError as error:
        raise CannotStart(
            f"cannot listen on {listen}: the address is in use, or does not belong to this machine"
        ) from error
    return listen if listen.startswith("unix:") else f"{listen.rpartition(':')[0]}:{port}"
