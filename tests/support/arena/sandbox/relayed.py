"""A relay between a bot and another side that the test has, and what bots say through it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from fudaba.client import Endpoint
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.http2 import DATA, PING, frame
from tests.support.stream_servers import listening

MANY_BYTES: Final = 64_000_000
TOKEN: Final = "fudaba-match-m-1.secret"
SEAT: Final = (b"fudaba-seat", f"Bearer {TOKEN}".encode())
"""The header that the relay adds to each call."""
PINGS: Final = frame(PING, bytes(8), stream=0) * 20_000
MUCH: Final = frame(DATA, bytes(1_000_000)) * (MANY_BYTES // 1_000_000)
CALL: Final = [
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b":path", b"/fudaba.v1.PlayService/SubmitMove"),
    (b"te", b"trailers"),
    (b"authorization", b"Bearer other"),
]
"""The headers of a bot's call."""


class Far:
    """The other side of a relay: what it heard, and what it says."""

    def __init__(self) -> None:
        self.heard = bytearray()
        self.ended = 0
        self.sent = 0
        self.listening = asyncio.Event()
        self.listening.set()
        self.says = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError):
                while self.sent < self.says:
                    writer.write(bytes(100_000))
                    await writer.drain()
                    self.sent += 100_000
                await self.listening.wait()
                while piece := await reader.read(65_536):
                    self.heard += piece
                    writer.write(piece)
                    await writer.drain()
        except asyncio.CancelledError:  # the test is over before the other side's end has come
            writer.transport.abort()
            raise
        self.ended += 1
        writer.close()


@contextlib.asynccontextmanager
async def relayed(folder: Path, far: Far, limits: Limits) -> AsyncIterator[Relay]:
    async with listening(far.serve, folder / "far"):
        relay = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "near", limits, TOKEN)
        try:
            yield relay
        finally:  # uvloop does not end while they are open
            await relay.close()
