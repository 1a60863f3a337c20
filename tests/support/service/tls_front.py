"""TLS before a server that has none of its own, as the wheel's Valkey."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.support.loop_turns import closed
from tests.support.stream_servers import listening, port_of

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
    front = listening(partial(_forward, port), ssl_context=context)
    serving = asyncio.run_coroutine_threadsafe(front.__aenter__(), loop).result()
    try:
        yield port_of(serving)
    finally:
        asyncio.run_coroutine_threadsafe(_end(front), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _forward(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serves a connection. Whenever this is cancelled, both of its ends are closed."""
    with contextlib.ExitStack() as stack:
        stack.callback(writer.transport.abort)
        try:
            further, back = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        stack.callback(back.transport.abort)
        directions = asyncio.create_task(_carry(reader, back)), asyncio.create_task(_carry(further, writer))
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in directions:
                task.cancel()


async def _carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await source.read(_CHUNK_BYTES):
            sink.write(piece)
            await sink.drain()


async def _end(front: contextlib.AbstractAsyncContextManager[asyncio.Server]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await front.__aexit__(None, None, None)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await closed()
