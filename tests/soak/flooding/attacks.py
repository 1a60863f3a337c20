"""The attacks of one client, each in a process of its own: `python -m tests.soak.flooding.attacks NAME TARGET SECONDS`.

It prints what it was told, and how often.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, cast, final

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from fudaba.v1 import matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc, record_pb2
from tests.hostile.wire import PING, SETTINGS, frame
from tests.service.bots import CHANNEL, bearer, reason_of
from tests.soak.flooding.deaf import Deaf, flooded

_AT_ONCE: Final = 8
_WATCHED: Final = 20
_QUICK: Final = record_pb2.Clock(move_ms=1, start_ms=1000)


@final
@dataclass(frozen=True)
class Target:
    """Whom an attack strikes, and with what."""

    address: str
    token: str
    """The attacker's."""
    bot: str
    others: str
    """A long archived match of others."""
    own: list[str]
    """Archived matches of the attacker."""


Told = Counter[str]
Attack = Callable[[Target, Told], Awaitable[None]]


async def _forever(told: Told, call: Callable[[], Awaitable[object]]) -> None:
    """Makes a call again and again."""
    while True:
        try:
            await call()
            told["OK"] += 1
        except aio.AioRpcError as error:
            told[reason_of(error) or error.code().name] += 1


def _channel(target: Target) -> aio.Channel:
    return aio.insecure_channel(target.address, options=CHANNEL)


async def _at_once(count: int, told: Told, call: Callable[[], Awaitable[object]]) -> None:
    await asyncio.gather(*[_forever(told, call) for _ in range(count)])


async def submit_archived(target: Target, told: Told) -> None:
    """SubmitMove to a long archived match of others."""
    async with _channel(target) as channel:
        stub: Any = play_pb2_grpc.PlayServiceStub(channel)
        request = play_pb2.SubmitMoveRequest(answer=play_pb2.Answer(match_id=target.others, decision_id="0.0", index=0))
        await _at_once(_AT_ONCE, told, lambda: stub.SubmitMove(request, metadata=bearer(target.token)))


async def watch_archived(target: Target, told: Told) -> None:
    """WatchMatch of a long archived match, without a token."""
    async with _channel(target) as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)

        async def watch() -> None:
            async for _ in stub.WatchMatch(matches_pb2.WatchMatchRequest(match_id=target.others)):
                pass

        await _at_once(_AT_ONCE, told, watch)


async def hello_archived(target: Target, told: Told) -> None:
    """Play with a hello that names twenty archived matches, again and again."""
    async with _channel(target) as channel:
        stub: Any = play_pb2_grpc.PlayServiceStub(channel)
        seen = [play_pb2.Seen(match_id=match_id) for match_id in target.own]

        async def play() -> None:
            call = stub.Play(metadata=bearer(target.token))
            await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello(seen=seen)))
            ends = 0
            while ends < len(seen):
                message = await call.read()
                if message is aio.EOF:
                    return
                ends += message.update.HasField("over")
            call.cancel()

        await _forever(told, play)


async def _quick_matches(target: Target, matches: asyncio.Queue[str]) -> None:
    """Keeps as many matches going as a bot may have, all of them played by the clock."""
    async with _channel(target) as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
        mine = matches_pb2.Seat()
        mine.bot.bot = target.bot
        house = matches_pb2.Seat(house_bot="house-random")
        while True:
            match_id = f"{target.bot}.{secrets.token_hex(6)}"
            request = matches_pb2.CreateMatchRequest(
                game="napoleon", seats=[mine, house, house, house, house], clock=_QUICK, match_id=match_id
            )
            request.options["deals"].number = 25
            try:
                await stub.CreateMatch(request, metadata=bearer(target.token))
            except aio.AioRpcError:
                await asyncio.sleep(0.2)
            else:
                await matches.put(match_id)


async def _unread(target: Target, told: Told, path: str, token: str, count: int, request: Any) -> None:
    """Opens streams to follow matches in play, and reads none of them."""
    matches: asyncio.Queue[str] = asyncio.Queue()
    making = asyncio.ensure_future(_quick_matches(target, matches))
    deaf = await Deaf.connect(target.address)
    try:
        while True:
            match_id = await matches.get()
            told["matches"] += 1
            for _ in range(count // _WATCHED):
                deaf.call(path, token, request(match_id))
            told["streams"] += count // _WATCHED
            await deaf.drain()
    finally:
        making.cancel()
        told.update(deaf.ended)
        deaf.close()


async def seat_unread(target: Target, told: Told) -> None:
    """400 and more WatchSeat of own matches, which never read."""
    await _unread(
        target, told, "/fudaba.v1.PlayService/WatchSeat", target.token, 400,
        lambda match_id: play_pb2.WatchSeatRequest(
            match_id=match_id, delivery=play_pb2.Delivery(events=play_pb2.EVENT_DELIVERY_AT_ONCE, views=True)
        ),
    )  # fmt: skip


async def watch_unread(target: Target, told: Told) -> None:
    """900 and more WatchMatch without a token, which never read."""
    await _unread(
        target, told, "/fudaba.v1.MatchService/WatchMatch", "", 900,
        lambda match_id: matches_pb2.WatchMatchRequest(match_id=match_id),
    )  # fmt: skip


async def health(target: Target, told: Told) -> None:
    """Health.Check, 64 at once."""
    async with _channel(target) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        await _at_once(64, told, lambda: stub.Check(health_pb2.HealthCheckRequest()))


async def reflection(target: Target, told: Told) -> None:
    """Reflection on 16 streams."""
    async with _channel(target) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(cast("grpc.Channel", channel))
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="fudaba.v1.MatchService")

        async def ask() -> None:
            call = stub.ServerReflectionInfo()
            while True:
                await call.write(request)
                if await call.read() is aio.EOF:
                    raise aio.AioRpcError(
                        await call.code(), await call.initial_metadata(), await call.trailing_metadata(),
                        await call.details(),
                    )  # fmt: skip
                told["answers"] += 1

        await _at_once(16, told, ask)


async def unknown(target: Target, told: Told) -> None:
    """Methods that there are not, 64 at once."""
    async with _channel(target) as channel:
        call: Any = channel.unary_unary("/fudaba.v1.MatchService/Nothing")
        await _at_once(64, told, lambda: call(b""))


async def pings(target: Target, told: Told) -> None:
    """HTTP/2 pings over 8 connections, whose answers are not read."""
    ping = frame(PING, 0, 0, b"12345678") * 1000
    await asyncio.gather(*[flooded(target.address, ping, told) for _ in range(8)])


async def settings(target: Target, told: Told) -> None:
    """HTTP/2 settings over 8 connections, whose answers are not read."""
    change = frame(SETTINGS, 0, 0, b"\0\x04\0\0\xff\xff") * 1000
    await asyncio.gather(*[flooded(target.address, change, told) for _ in range(8)])


ATTACKS: Final[dict[str, Attack]] = {
    "submit-archived": submit_archived,
    "watch-archived": watch_archived,
    "hello-archived": hello_archived,
    "seat-unread": seat_unread,
    "watch-unread": watch_unread,
    "health": health,
    "reflection": reflection,
    "unknown": unknown,
    "pings": pings,
    "settings": settings,
}


async def _attack(name: str, target: Target, seconds: float) -> Told:
    told: Told = Counter()
    try:
        async with asyncio.timeout(seconds):
            await ATTACKS[name](target, told)
    except TimeoutError:
        pass
    return told


if __name__ == "__main__":
    name, target, seconds = sys.argv[1:]
    sys.stdout.write(json.dumps(asyncio.run(_attack(name, Target(**json.loads(target)), float(seconds)))))
