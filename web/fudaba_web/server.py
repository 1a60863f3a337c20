"""A whole gateway process: uvicorn, which serves the application until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, final

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
"""The time in seconds for which a connection may be silent before its first request, and between two."""


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


def _bounded(connections: int) -> type[H11Protocol]:
    """Returns uvicorn's protocol of a connection, for a gateway that accepts this many at once.

    Uvicorn would accept every connection; each further one is closed as soon as it comes.
    """

    @final
    class Bounded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            if len(self.connections) > connections:
                transport.abort()
            else:  # one that asks for nothing is as idle as one that asks for nothing more
                self.timeout_keep_alive_task = self.loop.call_later(_IDLE_SECONDS, self.timeout_keep_alive_handler)

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
