"""Many who listen to one stream over HTTP/1.1, as `python -m bench.listeners PORT COUNT PATH [TYPE]`.

The body of their requests is its input. It says how many hear something once all do; then, for each line of input, how
many bytes all of them together have read.
"""

from __future__ import annotations

import asyncio
import sys
from typing import cast, final

from fudaba import open_files
from fudaba.serving.process import runner


@final
class _Listener(asyncio.Protocol):
    """Counts, and looks at nothing."""

    read = 0
    """Bytes, of all listeners."""
    hearing = 0
    """How many have heard something."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._hears = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).write(self._request)  # uvloop's is no subclass of it

    def data_received(self, data: bytes) -> None:
        _Listener.read += len(data)
        _Listener.hearing += not self._hears
        self._hears = True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # whatever it was
        _Listener.hearing -= self._hears


async def _main(port: str, count: str, path: str, content_type: str = "") -> None:
    open_files.raise_limit()
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    body = bytes.fromhex((await lines.readline()).decode())
    head = f"{'POST' if content_type else 'GET'} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    if content_type:
        head += f"content-type: {content_type}\r\nconnect-protocol-version: 1\r\ncontent-length: {len(body)}\r\n"
    request = head.encode() + b"\r\n" + body
    for _ in range(int(count)):
        await loop.create_connection(lambda: _Listener(request), "127.0.0.1", int(port))
    while _Listener.hearing < int(count):  # noqa: ASYNC110  # the listeners only count
        await asyncio.sleep(0.05)
    print(_Listener.hearing, flush=True)
    while await lines.readline():
        print(_Listener.read, flush=True)


if __name__ == "__main__":
    with runner() as running:
        running.run(_main(*sys.argv[1:]))
