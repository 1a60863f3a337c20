"""Servers of asyncio streams that leave no connection open, whenever their test ends."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from tests.support.loop_turns import closed, stop_accepting

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def listening(
    handler: Handler, path: Path | None = None, *, ssl_context: ssl.SSLContext | None = None
) -> AsyncIterator[asyncio.Server]:
    """Serves at a socket's path, or else at a free port of 127.0.0.1.

    A handler closes no connection whose end it has not seen when the event loop cancels it, and one that was cancelled
    before its first step closes none at all.
    """
    writers: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        with contextlib.suppress(asyncio.CancelledError):  # asyncio logs it
            await handler(reader, writer)

    if path is None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=ssl_context)
    else:
        server = await asyncio.start_unix_server(handle, path)
    try:
        yield server
    finally:
        await stop_accepting(server)
        for writer in writers:
            writer.transport.abort()
        await closed()


def port_of(server: asyncio.Server) -> int:
    """Returns the port at which a server listens."""
    port: int = server.sockets[0].getsockname()[1]
    return port
