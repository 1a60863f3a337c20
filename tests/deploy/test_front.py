"""The front of deploy/: bots play through it, callers keep their address, and floods are cut."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc, matches_pb2, play_pb2
from tests.support.deploy.front import Front
from tests.support.folders import short_folder
from tests.support.hostile.wire import (
    ACK,
    DATA,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    RESET,
    SETTINGS,
    WINDOW,
    Breaker,
    frame,
)
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import CHANNEL, Bot, Stream, by_chance, messages, play_match
from tests.support.service.journal import Journal
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.processes import Service, free_port
from tests.support.service.rate_limits import check_cut

T = TypeVar("T")

PINGS = frame(PING, 0, 0, b"a ping -") * 1_000
SETTING = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)) * 1_000
UPDATES = frame(WINDOW, 0, 0, struct.pack(">I", 1)) * 1_000
MAX_SENT_BYTES = 64 * 1024 * 1024
"""More than a flood may send before it is cut, what lies in sockets included."""


@pytest.fixture
async def front(need_tool: Callable[[str], Path]) -> AsyncIterator[tuple[Front, Organiser]]:
    """Yields a front before a service, and the organiser who calls through it."""
    with short_folder() as folder, Service(folder, "--behind", "127.0.0.1", "--calls-per-second", "4") as service:
        service.start()
        # So fast that floods soon come to where they are cut.
        with Front(folder, need_tool("nginx"), service.address, pace="64m").start() as before:
            async with Organiser(before.address, service.token) as organiser:
                yield before, organiser
        assert "Traceback" not in service.log, service.log


def resets() -> Iterator[bytes]:
    headers = Breaker(random.Random(0), "/fudaba.v1.CatalogService/ListGames", "").headers()
    cancel = struct.pack(">I", 8)
    for first in itertools.count(1, 1_000):
        numbers = range(first, first + 1_000, 2)
        yield b"".join(frame(HEADERS, 4, number, headers) + frame(RESET, 0, number, cancel) for number in numbers)


async def sent_until_cut(address: str, flood: Iterable[bytes], *, reads: bool) -> int:
    """Returns how many bytes of a flood a connection takes before it is cut."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    if not reads:
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # asyncio reads ahead of who reads
    reading = asyncio.ensure_future(drained(reader)) if reads else None
    sent = 0
    try:
        writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))
        for some in flood:
            writer.write(some)
            async with asyncio.timeout(PATIENCE):
                await writer.drain()
            sent += len(some)
            assert sent < MAX_SENT_BYTES, "nobody cuts it"
    except ConnectionError:
        return sent
    finally:
        if reading is not None:
            reading.cancel()
        writer.transport.abort()
    raise AssertionError("the flood has an end")


async def drained(reader: asyncio.StreamReader) -> None:
    while await reader.read(65_536):
        pass


async def test_bots_play_through_the_front_and_strangers_watch(front: tuple[Front, Organiser]) -> None:
    _, organiser = front
    pair = [await organiser.entrant() for _ in range(2)]
    match_id = await organiser.match(*pair)
    watching = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))

    async def watched() -> Any:
        return [message async for message in messages(watching)][-1]

    last = asyncio.ensure_future(watched())
    await play_match(*organiser.by_chance(*pair))
    assert (await last).match.HasField("end")


@pytest.mark.parametrize(
    "reads", [pytest.param(True, id="read"), pytest.param(False, id="unread", marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize(
    "kind", ["pings", *(pytest.param(kind, marks=pytest.mark.exhaustive) for kind in ("settings", "windows", "resets"))]
)
async def test_a_flood_of_frames_is_cut_and_streams_of_others_live(
    front: tuple[Front, Organiser], kind: str, reads: bool
) -> None:
    before, organiser = front
    floods: dict[str, Iterable[bytes]] = {
        "pings": itertools.repeat(PINGS),
        "settings": itertools.repeat(SETTING),
        "windows": itertools.repeat(UPDATES),
        "resets": resets(),
    }
    bot = await organiser.entrant()
    async with Stream(before.address, bot.token) as stream:
        await stream.hello()
        for _ in range(2):
            assert await sent_until_cut(before.address, floods[kind], reads=reads) < MAX_SENT_BYTES
        match_id = await organiser.match(bot, await organiser.entrant())
        assert (await stream.update()).match_id == match_id


@pytest.mark.exhaustive
async def test_a_connection_that_floods_is_slow(need_tool: Callable[[str], Path]) -> None:
    with short_folder() as folder, Front(folder, need_tool("nginx"), f"127.0.0.1:{free_port()}").start() as before:
        began = time.monotonic()
        sent = await sent_until_cut(before.address, itertools.repeat(UPDATES), reads=True)
        taken = time.monotonic() - began
    # A MiB a second, that of the first one at once, and what lies in sockets.
    assert sent < 2**20 * (taken + 1) + 6 * 2**20


@pytest.mark.exhaustive
async def test_pings_at_any_honest_rate_are_answered_and_never_cut(front: tuple[Front, Organiser]) -> None:
    before, _ = front
    host, _, port = before.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))
    answered = 0
    # As many as the kits send in a day, which look every ten seconds.
    for _ in range(9):
        writer.write(PINGS)
        wanted = answered + 1_000
        while answered < wanted:
            head = await reader.readexactly(9)
            await reader.readexactly(int.from_bytes(head[:3], "big"))
            assert head[3] != GOAWAY
            answered += head[3] == PING and head[4] & ACK
    assert answered == 9_000
    writer.close()


async def answered(address: str, host: str) -> bool:
    """Returns whether a call from this host is answered, and not refused."""
    to, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(to, int(port), local_addr=(host, 0))
    call = Breaker(random.Random(0), "/fudaba.v1.CatalogService/ListGames", "").good(1, b"")
    writer.write(PREFACE + frame(SETTINGS, 0, 0, b"") + call)
    message = False
    while True:
        head = await reader.readexactly(9)
        await reader.readexactly(int.from_bytes(head[:3], "big"))
        message |= head[3] == DATA
        if head[3] in {HEADERS, DATA} and head[4] & END_STREAM:
            writer.close()
            return message


async def test_strangers_pay_by_the_address_from_which_they_come_whatever_they_say(
    front: tuple[Front, Organiser],
) -> None:
    before, organiser = front
    async with aio.insecure_channel(before.address, options=CHANNEL) as channel:
        catalogue: Any = catalog_pb2_grpc.CatalogServiceStub(channel)

        async def ask(number: int) -> None:
            host = f"10.1.{number}.1"
            said = [(name, host) for name in ("fudaba-client-address", "x-forwarded-for", "x-real-ip")]
            said += [("forwarded", f"for={host}"), ("fudaba-client-address", f"10.2.{number}.1")]
            await catalogue.ListGames(catalog_pb2.ListGamesRequest(), metadata=said)

        answers = await asyncio.gather(*[ask(number) for number in range(80)], return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, aio.AioRpcError)]
        assert refused
        for error in refused:
            check_cut(error)
    assert await answered(before.address, "127.0.0.2")
    # Whoever has a token pays for himself.
    assert (await organiser.entrant()).token


@pytest.mark.parametrize("restarted", ["front", pytest.param("service", marks=pytest.mark.exhaustive)])
async def test_a_match_goes_on_in_whose_middle_the_front_or_the_service_is_started_again(
    restarted: str, need_tool: Callable[[str], Path]
) -> None:
    half, again = asyncio.Event(), asyncio.Event()

    async def held_up(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        if len(journal.accepted) == 2:
            half.set()
            await again.wait()
        await by_chance(bot, journal, decision)

    with short_folder() as folder, Service(folder, "--behind", "127.0.0.1") as service:
        service.start()
        with Front(folder, need_tool("nginx"), service.address).start() as before:
            struck = before if restarted == "front" else service
            async with Organiser(before.address, service.token) as organiser:
                pair = [await organiser.entrant() for _ in range(2)]
                bots = [
                    Bot(before.address, entrant.token, held_up, chance=number) for number, entrant in enumerate(pair)
                ]
                match_id = await organiser.match(*pair)
                playing = asyncio.gather(*[bot.play() for bot in bots])
                await half.wait()
                struck.terminate()
                again.set()
                # Both have noticed that it is gone.
                await until(lambda: all(bot.ended for bot in bots), "the loss of the connections")
                struck.start()
                await playing
                assert all(bot.connections > 1 for bot in bots)
                assert "timeout" not in kinds(await organiser.record(match_id))


async def unless_unavailable(call: Callable[[], Awaitable[T]]) -> T:
    """Returns what a call answers, made again as long as nobody is there: who calls in the moment of a reload is told
    so.
    """
    while True:
        try:
            return await call()
        except aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(0.1)


@pytest.mark.exhaustive
async def test_streams_go_on_when_the_front_is_reloaded(front: tuple[Front, Organiser]) -> None:
    before, organiser = front
    bot = await organiser.entrant()
    processes = set(before.pids)
    async with Stream(before.address, bot.token) as stream:
        await stream.hello()
        before.reload()
        # The master stays, the worker that has the connection, and the one that has the stream.
        await until(lambda: len(processes & set(before.pids)) <= 3, "the end of the workers without streams")
        opponent = await unless_unavailable(organiser.entrant)  # its connection may be that of a worker that ends
        match_id = await unless_unavailable(lambda: organiser.match(bot, opponent))
        assert (await stream.update()).match_id == match_id


@pytest.mark.exhaustive
async def test_an_address_that_calls_without_end_is_refused_in_the_service_s_words(
    need_tool: Callable[[str], Path],
) -> None:
    with short_folder() as folder, Service(folder, "--behind", "127.0.0.1") as service:
        service.start()
        with Front(folder, need_tool("nginx"), service.address, calls=40).start() as before:
            async with Organiser(before.address, service.token) as organiser:
                catalogue: Any = catalog_pb2_grpc.CatalogServiceStub(organiser.channel)
                request = catalog_pb2.ListGamesRequest()
                # The organiser has no limits in the service. Of a connection a hundred calls are open.
                channels = [aio.insecure_channel(before.address, options=CHANNEL) for _ in range(8)]
                stubs: list[Any] = [catalog_pb2_grpc.CatalogServiceStub(channel) for channel in channels]
                calls = [stub.ListGames(request, metadata=organiser.metadata) for stub in stubs for _ in range(100)]
                answers = await asyncio.gather(*calls, return_exceptions=True)
                await asyncio.gather(*[channel.close() for channel in channels])
                refused = [answer for answer in answers if isinstance(answer, aio.AioRpcError)]
                assert 0 < len(refused) <= 200
                for error in refused:
                    check_cut(error)
                assert (await catalogue.ListGames(request, metadata=organiser.metadata)).games


@pytest.mark.exhaustive
async def test_an_address_has_so_many_streams_open_and_one_more_is_refused_in_the_service_s_words(
    need_tool: Callable[[str], Path],
) -> None:
    with short_folder() as folder, Service(folder, "--behind", "127.0.0.1") as service:
        service.start()
        with Front(folder, need_tool("nginx"), service.address, streams=5).start() as before:
            async with aio.insecure_channel(before.address, options=CHANNEL) as channel:
                health: Any = health_pb2_grpc.HealthStub(channel)
                request = health_pb2.HealthCheckRequest()
                following = [health.Watch(request) for _ in range(5)]
                for call in following:
                    assert (await call.read()).status == health_pb2.HealthCheckResponse.SERVING
                with pytest.raises(aio.AioRpcError) as info:
                    await health.Check(request)
                check_cut(info.value)
                following[0].cancel()
                async with asyncio.timeout(PATIENCE):
                    while not await is_served(health, request):  # until the front has noticed that it is gone
                        pass


async def is_served(health: Any, request: health_pb2.HealthCheckRequest) -> bool:
    with contextlib.suppress(aio.AioRpcError):
        return bool(await health.Check(request))
    return False
