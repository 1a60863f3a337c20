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
from hpack import Decoder, Encoder

from fudaba.client import Endpoint
from fudaba_arena.sandbox.cpu_share import CpuShare
from fudaba_arena.sandbox.frames import PREFACE, Frames, NotHttp2
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import Cause
from fudaba_arena.tournament.limits import Limits
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import until
from tests.support.stream_servers import listening

MANY_BYTES = 64_000_000
TOKEN = "fudaba-match-m-1.secret"
SEAT = (b"fudaba-seat", f"Bearer {TOKEN}".encode())
DATA, HEADERS, PING, PUSH_PROMISE, WINDOW_UPDATE, CONTINUATION = 0, 1, 6, 5, 8, 9
END_STREAM, END_HEADERS, PADDED, PRIORITY = 0x1, 0x4, 0x8, 0x20


def frame(kind: int, body: bytes, flags: int = 0, stream: int = 1) -> bytes:
    return len(body).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + body


PINGS = frame(PING, bytes(8), stream=0) * 20_000
MUCH = frame(DATA, bytes(1_000_000)) * (MANY_BYTES // 1_000_000)
CALL = [
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b":path", b"/fudaba.v1.PlayService/SubmitMove"),
    (b"te", b"trailers"),
    (b"authorization", b"Bearer other"),
]


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


def take_no_more(relay: Relay) -> list[float]:
    """Has a bot's share of processor time be used up with whatever it does next; returns what it was charged."""
    charged: list[float] = []

    def spend(seconds: float) -> float:
        charged.append(seconds)
        return 3_600.0

    relay._cpu_share.spend = spend  # type: ignore[method-assign]  # what is spent depends on the machine
    return charged


async def test_of_a_bot_that_has_used_up_its_share_of_time_little_is_read_on_any_connection(folder: Path) -> None:
    dear = frame(HEADERS, b"\x82" * 150, END_HEADERS)
    async with relayed(folder, Far(), Limits()) as relay:
        writers = [(await asyncio.open_unix_connection(str(relay.path)))[1] for _ in range(3)]
        await until(lambda: relay.connections == 3, "the connections")
        charged = take_no_more(relay)
        for writer in writers:
            writer.write(PREFACE + dear * 500)
        await until(lambda: len(charged) == 3, "what comes of each")
        assert charged == [0, 0, 0], "whether there is some left is asked before anything is read"
        assert relay.up == 0
        for writer in writers:
            writer.transport.abort()


async def test_a_bot_that_has_used_up_its_share_of_time_gets_no_further_connection(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits()) as relay:
        charged = take_no_more(relay)
        writers = [(await asyncio.open_unix_connection(str(relay.path)))[1] for _ in range(3)]
        for writer in writers:
            writer.write(PREFACE)
        await until(lambda: len(charged) == 2, "the first one, and what it says")
        assert (relay.connections, sorted(charged)) == (1, [0, 0.001])
        for writer in writers:
            writer.transport.abort()


async def test_a_bot_that_has_used_up_its_share_of_time_takes_none_of_another_s(folder: Path) -> None:
    async with relayed(folder, Far(), Limits()) as relay:
        other = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "other", Limits(), TOKEN)
        take_no_more(relay)
        _, waiting = await asyncio.open_unix_connection(str(relay.path))
        waiting.write(PREFACE + MUCH)
        reader, writer = await asyncio.open_unix_connection(str(other.path))
        writer.write(PREFACE + PINGS)
        assert await reader.readexactly(len(PREFACE + PINGS)) == PREFACE + PINGS
        await other.close()
        for end in (waiting, writer):
            end.transport.abort()


async def test_a_bot_pays_for_each_step_also_where_nothing_of_it_has_to_be_read(folder: Path) -> None:
    async with relayed(folder, Far(), Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        charged: list[float] = []
        spend = relay._cpu_share.spend

        def noted(seconds: float) -> float:
            charged.append(seconds)
            return spend(seconds)

        relay._cpu_share.spend = noted  # type: ignore[method-assign]  # it does the same, and notes what
        writer.write(PREFACE + frame(0xFA, bytes(1_000))[:9])
        assert await reader.readexactly(len(PREFACE) + 9)
        for _ in range(100):
            writer.write(b"x")
            assert await reader.readexactly(1) == b"x"
        steps = [seconds for seconds in charged if seconds >= 0.00004]
        assert len(steps) >= 200, "each byte there and back"
        writer.transport.abort()


def test_a_share_of_processor_time_is_earned_as_time_goes_by_and_little_is_saved_up() -> None:
    times = [0.0]
    share = CpuShare(lambda: times[0])
    times[0] = 1_000.0
    assert share.spend(0.05) == 0
    assert share.spend(0.01) == pytest.approx(0.2)
    times[0] += 0.1
    assert share.spend(0) == pytest.approx(0.1)
    times[0] += 0.1
    assert share.spend(0) == pytest.approx(0)


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


def heard_by_a_service(said: bytes, piece: int = 1_000_000) -> list[tuple[int, int, list[tuple[bytes, bytes]]]]:
    """What a service reads of what a bot says after the preface: flags, stream and headers of each call."""
    frames = Frames(TOKEN)
    whole = PREFACE + said
    carried = b"".join(frames.carried(whole[place : place + piece]) for place in range(0, len(whole), piece))
    assert carried.startswith(PREFACE)
    calls, place, decoder, block, begun = [], len(PREFACE), Decoder(), b"", (0, 0)
    while place < len(carried):
        size, kind, flags = int.from_bytes(carried[place : place + 3]), carried[place + 3], carried[place + 4]
        stream = int.from_bytes(carried[place + 5 : place + 9])
        assert size <= 16_384
        if kind in {HEADERS, CONTINUATION}:
            assert (kind == CONTINUATION) == bool(block)
            begun = (flags, stream) if kind == HEADERS else (begun[0] | flags, begun[1])
            block += carried[place + 9 : place + 9 + size]
            if flags & END_HEADERS:
                calls.append((*begun, [(bytes(name), bytes(value)) for name, value in decoder.decode(block, raw=True)]))
                block = b""
        place += 9 + size
    return calls


@pytest.mark.parametrize("piece", [1, 7, 1_000_000])
def test_every_call_of_a_bot_has_the_token_of_its_seat_however_it_is_framed(piece: int) -> None:
    encoder = Encoder()
    plain, again, padded, third = (encoder.encode(CALL) for _ in range(4))
    said = [
        frame(HEADERS, plain, END_HEADERS, 1),
        frame(DATA, b"a message", END_STREAM, 1),
        frame(HEADERS, again[:3], END_STREAM, 3) + frame(CONTINUATION, again[3:4], 0, 3),
        frame(CONTINUATION, b"", 0, 3) + frame(CONTINUATION, again[4:], END_HEADERS, 3),
        frame(HEADERS, bytes([4]) + bytes(5) + padded + bytes(4), END_HEADERS | PADDED | PRIORITY, 5),
        frame(HEADERS, bytes(5) + third, END_HEADERS | PRIORITY, 7),
    ]
    calls = heard_by_a_service(b"".join(said), piece)
    ends = [END_HEADERS, END_HEADERS | END_STREAM, END_HEADERS, END_HEADERS]
    assert calls == [(flags, 1 + 2 * at, [*CALL, SEAT]) for at, flags in enumerate(ends)]


def test_headers_that_come_again_mean_what_the_bot_means_by_then() -> None:
    never, remembered = Encoder(), Encoder()
    first = never.encode([(b"a", b"1"), (b"b", b"2")])  # two headers that are remembered
    again = b"\xbf"  # the older one of them
    third = remembered.encode([(b"c", b"3")])
    said = [first, again, again, third, again, again]
    calls = heard_by_a_service(b"".join(frame(HEADERS, block, END_HEADERS) for block in said))
    assert [headers[:-1] for _, _, headers in calls] == [
        [(b"a", b"1"), (b"b", b"2")],
        [(b"a", b"1")],
        [(b"a", b"1")],
        [(b"c", b"3")],
        [(b"b", b"2")],
        [(b"b", b"2")],
    ]


def test_no_call_leaves_the_token_out_that_another_one_has_moved_in_the_memory_of_headers() -> None:
    never = b"\x10\x01a\x011"
    moved = never + b"\x40\x01x\x01y"
    said = [frame(HEADERS, block, END_HEADERS, 1 + 2 * at) for at, block in enumerate([never, moved, b"", never])]
    calls = heard_by_a_service(b"".join(said[:2]))
    assert [headers[-1] for _, _, headers in calls] == [SEAT, SEAT]
    with pytest.raises(NotHttp2, match="without headers"):
        heard_by_a_service(b"".join(said))


def test_headers_that_need_several_frames_arrive_whole() -> None:
    long = [*CALL, *((f"x-{number}".encode(), bytes(range(33, 127)) * 20) for number in range(3))]
    block = Encoder().encode(long, huffman=True)
    assert 5_000 < len(block) < 8_192, len(block)
    said = frame(HEADERS, block[:2_000]) + frame(CONTINUATION, block[2_000:5_000])
    said += frame(CONTINUATION, block[5_000:], END_HEADERS)
    assert heard_by_a_service(said) == [(END_HEADERS, 1, [*long, SEAT])]


def test_the_worker_s_token_goes_with_the_seat_s_on_every_call_and_never_comes_from_the_bot() -> None:
    said = Encoder().encode([*CALL, (b"fudaba-forwarder", b"Bearer guessed")])
    frames = Frames(TOKEN, worker_token="fudaba-arena-token")
    carried = frames.carried(PREFACE + frame(HEADERS, said, END_HEADERS))
    headers = Decoder().decode(carried[len(PREFACE) + 9 :], raw=True)
    assert [*map(tuple, headers)][-2:] == [SEAT, (b"fudaba-forwarder", b"Bearer fudaba-arena-token")]
    assert sum(name == b"fudaba-forwarder" for name, _ in headers) == 1


@pytest.mark.parametrize("name", [b"fudaba-seat", b"Fudaba-Seat", b"fudaba-client-address", b"fudaba-forwarder"])
def test_nothing_that_a_bot_says_counts_as_a_word_between_services(name: bytes) -> None:
    said = Encoder().encode([*CALL, (name, b"Bearer mine")])
    assert heard_by_a_service(frame(HEADERS, said, END_HEADERS)) == [(END_HEADERS, 1, [*CALL, SEAT])]


def test_the_service_is_not_told_when_a_bot_gives_a_call_up() -> None:
    said = Encoder().encode([*CALL[:3], (b"grpc-timeout", b"1m"), *CALL[3:]])
    assert heard_by_a_service(frame(HEADERS, said, END_HEADERS)) == [(END_HEADERS, 1, [*CALL, SEAT])]


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
