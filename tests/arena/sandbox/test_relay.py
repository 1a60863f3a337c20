"""The relay carries the bytes of one bot, keeps little of them, and ends with the match."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvloop
from hpack import Encoder

from fudaba.client import Endpoint
from fudaba_arena.sandbox.frames import PREFACE
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import Cause
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.http2 import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    HEADERS,
    PADDED,
    PRIORITY,
    PUSH_PROMISE,
    WINDOW_UPDATE,
    frame,
)
from tests.support.arena.sandbox.relayed import CALL, MANY_BYTES, MUCH, PINGS, TOKEN, Far, relayed
from tests.support.loop_turns import closed
from tests.support.patience import PATIENCE, until


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
        said = PREFACE + PINGS + frame(DATA, bytes(range(256)) * 1_000)
        writer.write(said)
        writer.write_eof()
        assert await reader.read() == said
        assert far.heard == said
        assert (relay.up, relay.down) == (len(said), len(said))
        writer.close()
        await until(lambda: relay.connections == 0 and far.ended == 1, "the end of both")


async def test_a_connection_that_has_just_been_taken_ends_with_its_relay(folder: Path) -> None:
    bot, taken = socket.socketpair()
    with bot:
        async with relayed(folder, Far(), Limits()) as relay:
            await relay._begin(taken)
            # Its task has not had a turn yet when that is cancelled.
        assert await asyncio.to_thread(bot.recv, 1) == b""


async def test_a_relay_that_is_closed_at_once_leaves_no_socket_open(folder: Path) -> None:
    with nothing_left_open():
        relay = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "near", Limits(), TOKEN)
        await relay.close()  # its task has not had a turn yet


async def test_a_connection_that_comes_as_its_relay_closes_is_not_left_open(folder: Path) -> None:
    for turns in range(12):  # of the event loop: from before the connection is taken to after it is served
        with nothing_left_open(), socket.socket(socket.AF_UNIX) as bot:
            relay = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / f"near-{turns}", Limits(), TOKEN)
            await asyncio.sleep(0)  # its task waits for connections
            bot.connect(str(relay.path))
            for _ in range(turns):
                await asyncio.sleep(0)
            await relay.close()
            await closed()
            bot.setblocking(False)
            with contextlib.suppress(ConnectionError):
                assert bot.recv(1) == b"", turns


@contextlib.contextmanager
def nothing_left_open() -> Iterator[None]:
    """Checks that the garbage collector closes no file of the block."""
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always", ResourceWarning)
        yield
        gc.collect()
    assert not [str(warning.message) for warning in left]


async def test_what_one_side_does_not_take_is_held_back_at_the_other(folder: Path) -> None:
    far = Far()
    far.listening.clear()
    async with relayed(folder, far, Limits()) as relay:
        _, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(PREFACE + MUCH)
        await until_nothing_moves(lambda: relay.up)
        assert 0 < relay.up < MANY_BYTES // 10
        far.listening.set()
        writer.close()


async def test_a_bot_that_does_not_read_holds_the_service_back(folder: Path) -> None:
    far = Far()
    far.says = MANY_BYTES
    async with relayed(folder, far, Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path), limit=1_000)
        await until_nothing_moves(lambda: relay.down)
        assert 0 < relay.down < MANY_BYTES // 10
        assert reader is not None
        writer.close()
        await until(lambda: far.ended == 1, "the end of the other side")


async def test_the_relay_knows_whether_a_bot_has_read_all_that_came_for_it(folder: Path) -> None:
    far = Far()
    far.says = 4_000_000
    async with relayed(folder, far, Limits()) as relay:
        assert not relay.unread()
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        await until(relay.unread, "something that waits")
        await until_nothing_moves(lambda: relay.down)
        assert relay.unread()
        await reader.readexactly(far.says)
        await until(lambda: not relay.unread(), "the end of that")
        writer.close()
        await until(lambda: relay.connections == 0, "the end of the connection")
        assert not relay.unread()


async def test_there_are_no_more_connections_than_allowed(folder: Path) -> None:
    async with relayed(folder, Far(), Limits(connections=2)) as relay:
        open_ones = [await asyncio.open_unix_connection(str(relay.path)) for _ in range(2)]
        for reader, writer in open_ones:
            writer.write(PREFACE)
            assert await reader.read(len(PREFACE)) == PREFACE
        reader, third = await asyncio.open_unix_connection(str(relay.path))
        assert await reader.read() == b""
        third.close()
        open_ones[0][1].close()
        await until(lambda: relay.connections == 1, "room for another one")
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(PREFACE)
        assert await reader.read(len(PREFACE)) == PREFACE
        for _, open_writer in [*open_ones, (reader, writer)]:
            open_writer.close()


async def test_too_much_traffic_is_told_once_and_ends_all_connections(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits(traffic=1_000_000)) as relay:
        totals: list[int] = []
        relay.over = lambda: totals.append(relay.up + relay.down)
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(PREFACE + MUCH)
        with contextlib.suppress(ConnectionError):
            await reader.read()
        await until(lambda: far.ended == 1 and relay.connections == 0, "the end of both sides")
        assert len(totals) == 1
        assert totals[0] > 1_000_000
        writer.close()


async def test_the_relay_ends_with_the_match(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(PREFACE)
        assert await reader.read(len(PREFACE)) == PREFACE
        await relay.close()
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
        await until(lambda: far.ended == 1, "the end of the other side")
        with pytest.raises(OSError, match=r"No such file|refused"):
            await asyncio.open_unix_connection(str(relay.path))
        writer.close()


async def test_where_there_is_no_service_the_bot_is_told(folder: Path) -> None:
    relay = await Relay.open(Endpoint(f"unix:{folder}/nobody"), folder / "near", Limits(), TOKEN)
    reader, writer = await asyncio.open_unix_connection(str(relay.path))
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    await until(lambda: relay.connections == 0, "the end of the connection")
    await relay.close()


@pytest.mark.parametrize("piece", [1, 7, 9, 1_000_000])
async def test_messages_are_counted_however_they_are_cut_and_end_the_match_beyond_the_limit(
    folder: Path, piece: int
) -> None:
    far = Far()
    call = frame(HEADERS, Encoder().encode(CALL), END_HEADERS)
    frames = [frame(4, b"", stream=0), frame(DATA, bytes(25)), frame(WINDOW_UPDATE, bytes(4)), frame(DATA, b"")]
    async with relayed(folder, far, Limits(messages=10)) as relay:
        over = asyncio.Event()
        relay.over = over.set
        _, writer = await asyncio.open_unix_connection(str(relay.path))
        said = PREFACE + (call + b"".join(frames) * 4) * 2
        for place in range(0, len(said), piece):
            writer.write(said[place : place + piece])
            await writer.drain()
        await until(lambda: relay.up == len(said), "all of it has come")
        assert (relay.messages, over.is_set()) == (10, False)  # a call and four messages, twice
        writer.write(frame(DATA, b"x"))
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
        asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
        server = await asyncio.start_unix_server(telling, str(folder / "far"))
        relay = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "near", Limits(), TOKEN)
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


@pytest.mark.parametrize(
    "said",
    {
        "another protocol": b"GET / HTTP/1.1\r\n\r\n",
        "a preface that is almost right": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r" + PINGS,
        "headers that nothing began": PREFACE + frame(CONTINUATION, b"\x82", END_HEADERS),
        "a frame between those of headers": PREFACE + frame(HEADERS, b"\x82") + frame(DATA, b"x"),
        "headers that begin twice": PREFACE + frame(HEADERS, b"\x82") * 2,
        "a call without headers": PREFACE + frame(HEADERS, b"", END_HEADERS),
        "more headers than a call has": PREFACE + frame(HEADERS, b"\x82" * 300, END_HEADERS),
        "a call of padding alone": PREFACE + frame(HEADERS, b"\x02\0\0", END_HEADERS | PADDED),
        "a promise": PREFACE + frame(PUSH_PROMISE, bytes(4) + b"\x82", END_HEADERS),
        "headers that cannot be read": PREFACE + frame(HEADERS, b"\xff\xff\xff\xff\xff\x7f", END_HEADERS),
        "more padding than there is": PREFACE + frame(HEADERS, b"\x09\x82", END_HEADERS | PADDED),
        "no priority where there is one": PREFACE + frame(HEADERS, b"\x82", END_HEADERS | PRIORITY),
        "headers without end": PREFACE + frame(HEADERS, b"\x82") + frame(CONTINUATION, bytes(16_000)) * 3,
        "headers that grow": PREFACE + frame(HEADERS, b"\x40\x01a\x7f\x81\x1f" + b"b" * 4_000 + b"\xbe" * 9_000, 4),
    }.items(),
    ids=lambda named: named[0].replace(" ", "-"),
)
async def test_what_is_no_http_2_goes_no_further(folder: Path, said: tuple[str, bytes]) -> None:
    far = Far()
    async with relayed(folder, far, Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        writer.write(said[1])
        with contextlib.suppress(ConnectionError):
            await reader.read()
        await until(lambda: far.ended == 1 and relay.connections == 0, "the end of both sides")
        assert PREFACE.startswith(far.heard[: len(PREFACE)])
        writer.close()
