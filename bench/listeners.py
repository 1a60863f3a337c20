"""Opens many listeners to a stream over HTTP/1.1, as `python -m bench.listeners PORT COUNT PATH [TYPE]`.

The body of their requests is its input, in hexadecimal. It prints how many they are once all of them receive something,
and listens until it is terminated.
"""

from __future__ import annotations

import asyncio
import sys
from typing import cast, final

from fudaba_serving.process import open_files
from fudaba_serving.process.runner import runner


@final
class _Listener(asyncio.Protocol):
    """Reads, and ignores the content."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.hears = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).write(self._request)  # uvloop's is no subclass of it

    def data_received(self, _: bytes) -> None:
        self.hears.set()


async def _main(port: str, count: str, path: str, content_type: str = "") -> None:
    open_files.raise_limit()
    body = bytes.fromhex(sys.stdin.readline())
    head = f"{'POST' if content_type else 'GET'} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    if content_type:
        head += f"content-type: {content_type}\r\nconnect-protocol-version: 1\r\ncontent-length: {len(body)}\r\n"
    request, loop = head.encode() + b"\r\n" + body, asyncio.get_running_loop()
    listeners = [
        (await loop.create_connection(lambda: _Listener(request), "127.0.0.1", int(port)))[1] for _ in range(int(count))
    ]
    for listener in listeners:
        await listener.hears.wait()
    print(len(listeners), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    with runner() as running:
        running.run(_main(*sys.argv[1:]))
