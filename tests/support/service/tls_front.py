"""TLS before a server that has none of its own, as the wheel's Valkey."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

_CHUNK_BYTES = 65_536


@contextlib.contextmanager
def tls_front(port: int, cert: Path, key: Path) -> Iterator[int]:
    """Yields the port where TLS is spoken; what comes there in plain is sent on to `port`.

    It has a thread and a loop of its own, since the loops of tests come and go. A connection that ends on one side ends
    on the other one, too.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    serving = asyncio.run_coroutine_threadsafe(_serve(port, context), loop).result()
    try:
        yield serving.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(_end(serving), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _serve(port: int, context: ssl.SSLContext) -> asyncio.Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            further, back = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.transport.abort()
            return
        directions = asyncio.create_task(_carry(reader, back)), asyncio.create_task(_carry(further, writer))
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in directions:
                task.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            writer.transport.abort()
            back.transport.abort()

    return await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)


async def _carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await source.read(_CHUNK_BYTES):
            sink.write(piece)
            await sink.drain()


async def _end(serving: asyncio.Server) -> None:
    serving.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
