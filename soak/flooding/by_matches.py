"""Attacks by the attacker's own matches, and by streams that follow them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any, Final

from fudaba.v1 import matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc, record_pb2
from soak.flooding.attacking import ELSEWHERE, Attack, Attacker
from soak.flooding.deaf import Deaf
from tests.support.service.bots import bearer, messages

__all__ = ["BY_MATCHES"]

_QUICK: Final = record_pb2.Clock(move_ms=1, start_ms=1000)
_MAX_UNFINISHED_MATCHES: Final = 20
"""The number of unfinished matches that a bot may have created."""
_RETRY_SECONDS: Final = 0.2
"""The time after which creating a match is tried again."""


def _match(attacker: Attacker, game: str, house: int) -> matches_pb2.CreateMatchRequest:
    mine = matches_pb2.Seat()
    mine.bot.bot = attacker.target.bot
    seats = [mine, *[matches_pb2.Seat(house_bot="house-random")] * house]
    match_id = f"{attacker.target.bot}.{secrets.token_hex(6)}"
    return matches_pb2.CreateMatchRequest(game=game, seats=seats, match_id=match_id)


async def _quick_matches(attacker: Attacker, made: Callable[[str], None]) -> None:
    """Keeps as many matches going as a bot may have; the clock plays all of them."""
    async with attacker.channel() as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
        while True:
            request = _match(attacker, "napoleon", 4)
            request.clock.CopyFrom(_QUICK)
            request.options["deals"].number = 25
            await attacker.turn()
            if await attacker.once(lambda: stub.CreateMatch(request, metadata=bearer(attacker.target.token))):  # noqa: B023 - it is awaited here
                attacker.replies["matches"] += 1
                made(request.match_id)
            else:
                await asyncio.sleep(_RETRY_SECONDS)


async def quick_own(attacker: Attacker) -> None:
    """Attacks with its own matches, which the clock plays, a millisecond a move."""
    await _quick_matches(attacker, lambda _: None)


async def house_resigned(attacker: Attacker) -> None:
    """Attacks with matches against house bots: it creates them, and resigns as soon as they begin."""
    token = bearer(attacker.target.token)
    async with attacker.channel() as channel:
        stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
        playing = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=token)
        resigning = asyncio.ensure_future(attacker.once(lambda: _resign_all(attacker, playing)))

        async def make() -> None:
            await stub.CreateMatch(_match(attacker, "naga", 1), metadata=token)
            attacker.replies["matches"] += 1

        try:
            await attacker.at_once(8, make)
        finally:
            resigning.cancel()


async def _resign_all(attacker: Attacker, playing: Any) -> None:
    """Resigns each match that a stream reports as begun."""
    await playing.write(play_pb2.PlayRequest(hello=play_pb2.Hello()))
    async for message in messages(playing):
        for update in (message.update, *message.updates.updates):
            if update.HasField("started"):
                await playing.write(play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=update.match_id)))
                attacker.replies["resigned"] += 1


async def _follow(attacker: Attacker, count: int, follow: Callable[[str], None]) -> None:
    """Opens that many streams to follow matches in play, an equal share for each match."""
    matches: asyncio.Queue[str] = asyncio.Queue()
    making = asyncio.ensure_future(_quick_matches(attacker, matches.put_nowait))
    try:
        while True:
            match_id = await matches.get()
            for _ in range(count // _MAX_UNFINISHED_MATCHES):
                await attacker.turn()
                follow(match_id)
            attacker.replies["streams"] += count // _MAX_UNFINISHED_MATCHES
    finally:
        making.cancel()


def _own_seat(match_id: str) -> play_pb2.WatchSeatRequest:
    delivery = play_pb2.Delivery(events=play_pb2.EVENT_DELIVERY_AT_ONCE, views=True)
    return play_pb2.WatchSeatRequest(match_id=match_id, delivery=delivery)


async def seat_clock(attacker: Attacker) -> None:
    """Attacks with 900 calls of WatchSeat for its own matches, which the clock plays, and reads the answers."""
    async with attacker.channel() as channel:
        stub: Any = play_pb2_grpc.PlayServiceStub(channel)
        reading: set[asyncio.Task[Any]] = set()

        def follow(match_id: str) -> None:
            call = stub.WatchSeat(_own_seat(match_id), metadata=bearer(attacker.target.token))

            async def read() -> None:
                async for _ in messages(call):
                    attacker.replies["messages"] += 1

            task = asyncio.ensure_future(attacker.once(read))
            reading.add(task)
            task.add_done_callback(reading.discard)

        try:
            await _follow(attacker, 900, follow)
        finally:
            for task in list(reading):
                task.cancel()


async def _unread(attacker: Attacker, path: str, token: str, count: int, request: Callable[[str], Any]) -> None:
    deaf = await Deaf.connect(attacker.target.address, source=ELSEWHERE)
    try:
        await _follow(attacker, count, lambda match_id: deaf.call(path, token, request(match_id)))
    finally:
        attacker.replies.update(deaf.ended)
        deaf.close()


async def seat_unread(attacker: Attacker) -> None:
    """Attacks with at least 400 calls of WatchSeat for its own matches, and never reads the answers."""
    await _unread(attacker, "/fudaba.v1.PlayService/WatchSeat", attacker.target.token, 400, _own_seat)


async def watch_unread(attacker: Attacker) -> None:
    """Attacks with at least 900 calls of WatchMatch without a token, and never reads the answers."""

    def request(match_id: str) -> matches_pb2.WatchMatchRequest:
        return matches_pb2.WatchMatchRequest(match_id=match_id)

    await _unread(attacker, "/fudaba.v1.MatchService/WatchMatch", "", 900, request)


BY_MATCHES: Final[dict[str, Attack]] = {
    "quick-own": quick_own,
    "house-resigned": house_resigned,
    "seat-clock": seat_clock,
    "seat-unread": seat_unread,
    "watch-unread": watch_unread,
}
