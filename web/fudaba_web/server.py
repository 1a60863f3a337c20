"""A whole gateway process: uvicorn, which serves the application until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import ClassVar, Final, final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from fudaba.address import DEFAULT_WEB, parse_host_port
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.grpc.certificate import Certificate
from fudaba_serving.process import open_files
from fudaba_web.app import gateway
from fudaba_web.settings import Settings

__all__ = ["serve"]

log = logging.getLogger(__name__)

_GRACE_SECONDS: Final = 5
"""The time in seconds that calls in progress have at a stop; then they are ended. A stream that follows a match never
ends by itself.
"""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_MAX_BACKLOG: Final = 2_048
_IDLE_SECONDS: Final = 30
"""The time in seconds that the head of a request may take, from the connection or the answer before."""
_MAX_PAUSE_SECONDS: Final = 90
"""The longest pause within the body of a request, in seconds. An upload is refused sooner, and in words."""


async def serve(settings: Settings, ready: Callable[[str], None], stopping: Callable[[], None]) -> None:
    """Serves until SIGTERM or SIGINT; a second signal ends it without a wait. `ready` gets the address, `stopping` the
    first signal. Raises `CannotStart`.
    """
    connections = open_files.for_connections(open_files.raise_limit())
    certificate = Certificate.of_files(settings.tls_cert, settings.tls_key)
    listening = _listen(settings.listen)
    config = uvicorn.Config(
        gateway(settings),
        http=_bounded(connections),
        log_level="warning",
        access_log=False,
        proxy_headers=bool(settings.behind),
        forwarded_allow_ips=settings.behind or "",
        timeout_graceful_shutdown=_GRACE_SECONDS,
        timeout_keep_alive=_IDLE_SECONDS,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="on",
    )
    scheme = "http" if settings.tls_cert is None else "https"
    host = settings.listen.rpartition(":")[0]
    announce = partial(ready, f"{scheme}://{host}:{listening.getsockname()[1]}")
    await _Server(config, certificate, announce, stopping).serve([listening])


class _Connection(H11Protocol):
    """Uvicorn's connection. A gateway accepts a bounded number of them: each further one is closed as soon as it comes.

    Uvicorn itself would accept every connection. It would also wait without end for the rest of a request, so that a
    few callers could hold all connections.
    """

    max_count: ClassVar[int]
    """The number of connections that the gateway accepts at once."""
    _rest_by: asyncio.TimerHandle | None = None
    """The end of the time for the next part of a request's body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > self.max_count:
            transport.abort()
        else:  # one that asks for nothing is as idle as one that asks for nothing more
            self.timeout_keep_alive_task = self.loop.call_later(_IDLE_SECONDS, self.timeout_keep_alive_handler)

    def data_received(self, data: bytes) -> None:
        idle_by, self.timeout_keep_alive_task = self.timeout_keep_alive_task, None
        super().data_received(data)
        if idle_by is not None:
            if self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
                self.timeout_keep_alive_task = idle_by  # one that has sent half a request's head is idle still
            else:
                idle_by.cancel()
        self._wait_for_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        if self._rest_by is not None:
            self._rest_by.cancel()
        owes = self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing()
        self._rest_by = self.loop.call_later(_MAX_PAUSE_SECONDS, self._give_up) if owes else None

    def _give_up(self) -> None:
        if self.flow.read_paused:  # what has come is not taken yet, so the caller cannot send more
            self._wait_for_rest()
        elif self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()


def _bounded(connections: int) -> type[H11Protocol]:
    """Returns the protocol of a gateway that accepts this many connections at once."""

    @final
    class Bounded(_Connection):
        max_count = connections

    return Bounded


@final
class _Server(uvicorn.Server):
    """Uvicorn's server, which reports when it serves, and returns after a signal: uvicorn itself raises the signal once
    more.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        certificate: Certificate | None,
        ready: Callable[[], None],
        stopping: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._certificate = certificate
        self._ready = ready
        self._stopping = stopping

    async def on_tick(self, counter: int) -> bool:
        """Takes over a renewed certificate. Uvicorn calls this ten times a second; True ends it."""
        context = self.config.ssl
        if self._certificate is not None and context is not None and self._certificate.renewed():
            try:
                self._certificate.load_into(context)
            except OSError as error:  # they have changed again, and are read again
                log.warning("the renewed TLS certificate cannot be used yet: %s", error)
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to serve."""
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stops the server at a signal, while the block lasts; a second signal stops it without a wait."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._stop)
        try:
            yield
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        if self.should_exit:
            self.force_exit = True
            return
        self.should_exit = True
        self._stopping()


def _listen(address: str) -> socket.socket:
    """Raises `CannotStart`."""
    host, port = parse_host_port(address)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listening = socket.create_server(found[0][4][:2], family=found[0][0], backlog=_MAX_BACKLOG)
    except OSError as error:
        raise CannotStart(
            f"cannot listen on {address}: {error.strerror or error}; choose another HOST:PORT, for example "
            f"{DEFAULT_WEB}"
        ) from error
    listening.setblocking(False)
    return listening
