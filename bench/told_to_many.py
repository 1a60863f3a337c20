"""The yardstick of `spectators.py`, as `python -m bench.told_to_many`: server-sent events to every listener.

Uvicorn and Starlette serve it, like the gateway. `POST /tell` sends its body to every listener at `/events`. It prints
its port.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

_LISTENING: set[asyncio.Queue[bytes]] = set()
_MAX_BACKLOG = 2_048


async def _heard() -> AsyncIterator[bytes]:
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    _LISTENING.add(queue)
    try:
        while True:
            yield await queue.get()
    finally:
        _LISTENING.discard(queue)


async def _events(_: Request) -> StreamingResponse:
    return StreamingResponse(_heard(), media_type="text/event-stream")


async def _tell(request: Request) -> PlainTextResponse:
    event = b"data: " + await request.body() + b"\n\n"
    for queue in _LISTENING:
        queue.put_nowait(event)
    return PlainTextResponse("told")


def main() -> None:
    """Serves until it is terminated."""
    app = Starlette(routes=[Route("/events", _events), Route("/tell", _tell, methods=["POST"])])
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", server_header=False, date_header=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    with socket.create_server(("127.0.0.1", 0), backlog=_MAX_BACKLOG) as listening:
        print(listening.getsockname()[1], flush=True)  # a client that connects before it serves waits
        uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
