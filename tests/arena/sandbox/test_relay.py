"""The relay carries the bytes of one bot, keeps little of them, and ends with the match."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import uvloop

from fudaba.client import Endpoint
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import Cause
from fudaba_arena.tournament.limits import Limits
from tests.support.patience import PATIENCE
from tests.support.service.processes import short_folder, until

MANY = 64_000_000


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as place:
        yield place


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
        self.ended += 1
        writer.close()


@contextlib.asynccontextmanager
async def relayed(folder: Path, far: Far, limits: Limits) -> AsyncIterator[Relay]:
    server = await asyncio.start_unix_server(far.serve, str(folder / "far"))
    relay = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "near", limits)
    try:
        yield relay
    finally:  # uvloop does not end while they are open
        await relay.close()
        server.close()


async def until_nothing_moves(moved: Callable[[], int]) -> None:
    """Returns when something was moved, and then nothing more for a while."""
    before = 0
    while not moved():  # noqa: ASYNC110 - the relay tells nobody of it
        await asyncio.sleep(0.01)
    while before != moved():
        before = moved()
        await asyncio.sleep(0.2)


async def test_what_is_said_arrives_both_ways_and_the_end_of_it_too(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        said = bytes(range(256)) * 10_000
        writer.write(said)
        writer.write_eof()
        assert await reader.read() == said
        assert far.heard == said
        assert (relay.up, relay.down) == (len(said), len(said))
        writer.close()
        await until(lambda: relay.connections == 0 and far.ended == 1, "the end of both")


async def test_what_one_side_does_not_take_is_held_back_at_the_other(folder: Path) -> None:
    far = Far()
    far.listening.clear()
    async with relayed(folder, far, Limits()) as relay:
        _, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(bytes(MANY))
        await until_nothing_moves(lambda: relay.up)
        assert 0 < relay.up < MANY // 10
        far.listening.set()
        writer.close()


async def test_a_bot_that_does_not_read_holds_the_service_back(folder: Path) -> None:
    far = Far()
    far.says = MANY
    async with relayed(folder, far, Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path), limit=1_000)
        await until_nothing_moves(lambda: relay.down)
        assert 0 < relay.down < MANY // 10
        assert reader is not None
        writer.close()
        await until(lambda: far.ended == 1, "the end of the other side")


async def test_there_are_no_more_connections_than_allowed(folder: Path) -> None:
    async with relayed(folder, Far(), Limits(connections=2)) as relay:
        open_ones = [await asyncio.open_unix_connection(str(relay.path)) for _ in range(2)]
        for reader, writer in open_ones:
            writer.write(b"x")
            assert await reader.read(1) == b"x"
        reader, third = await asyncio.open_unix_connection(str(relay.path))
        assert await reader.read() == b""
        third.close()
        open_ones[0][1].close()
        await until(lambda: relay.connections == 1, "room for another one")
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(b"x")
        assert await reader.read(1) == b"x"
        for _, one in [*open_ones, (reader, writer)]:
            one.close()


async def test_too_much_traffic_is_told_once_and_ends_all_connections(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits(traffic=1_000_000)) as relay:
        told: list[int] = []
        relay.over = lambda: told.append(relay.up + relay.down)
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(bytes(5_000_000))
        with contextlib.suppress(ConnectionError):
            await reader.read()
        await until(lambda: far.ended == 1 and relay.connections == 0, "the end of both sides")
        assert len(told) == 1
        assert told[0] > 1_000_000
        writer.close()


async def test_the_relay_ends_with_the_match(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(b"x")
        assert await reader.read(1) == b"x"
        await relay.close()
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
        await until(lambda: far.ended == 1, "the end of the other side")
        with pytest.raises(OSError, match=r"No such file|refused"):
            await asyncio.open_unix_connection(str(relay.path))
        writer.close()


async def test_where_there_is_no_service_the_bot_is_told(folder: Path) -> None:
    relay = await Relay.open(Endpoint(f"unix:{folder}/nobody"), folder / "near", Limits())
    reader, writer = await asyncio.open_unix_connection(str(relay.path))
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    await until(lambda: relay.connections == 0, "the end of the connection")
    await relay.close()


def frame(kind: int, size: int) -> bytes:
    return size.to_bytes(3) + bytes([kind, 0, 0, 0, 0, 1]) + bytes(size)


@pytest.mark.parametrize("piece", [1, 7, 9, 1_000_000])
async def test_messages_are_counted_however_they_are_cut_and_end_the_match_beyond_the_limit(
    folder: Path, piece: int
) -> None:
    far = Far()
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    frames = frame(4, 0) + frame(1, 40) + frame(0, 25) + frame(8, 4) + frame(0, 0) + frame(0, 300)
    async with relayed(folder, far, Limits(messages=10)) as relay:
        over = asyncio.Event()
        relay.over = over.set
        _, writer = await asyncio.open_unix_connection(str(relay.path))
        said = preface + frames * 5
        for place in range(0, len(said), piece):
            writer.write(said[place : place + piece])
            await writer.drain()
        await until(lambda: len(far.heard) == len(said), "all of it has arrived")
        assert (relay.messages, over.is_set()) == (10, False)  # two of each six have data
        writer.write(frame(0, 1))
        async with asyncio.timeout(PATIENCE):
            await over.wait()
        assert relay.cause is Cause.MESSAGES
        await until(lambda: relay.connections == 0, "its connections are closed")
        writer.close()


def test_a_bot_that_dies_while_it_is_told_much_ends_its_connection_without_a_fault(folder: Path) -> None:
    faults: list[object] = []

    async def telling(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, RuntimeError):  # it is cut, too: uvloop has no other error for that
            while True:
                writer.write(bytes(200_000))
                await writer.drain()
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    def die(path: Path, pieces: int) -> None:
        with socket.socket(socket.AF_UNIX) as bot:
            bot.connect(str(path))
            for _ in range(pieces):
                bot.recv(65_536)

    async def again_and_again() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: faults.append(told))
        server = await asyncio.start_unix_server(telling, str(folder / "far"))
        relay = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "near", Limits())
        for pieces in range(40):
            await asyncio.gather(*(asyncio.to_thread(die, relay.path, pieces) for _ in range(4)))
        await until(lambda: relay.connections == 0, "the end of all connections")
        await relay.close()
        server.close()
        gc.collect()  # a task whose error nobody has seen tells it when it goes
        await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as a worker runs
        runner.run(again_and_again())
    assert faults == []
