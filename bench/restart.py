"""Measures how long bots wait for their next move when the service is killed and immediately restarted."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpc import aio

from bench.processes import free_port
from bench.service_process import lines_until, serve
from fudaba.codec import option_to_proto
from fudaba.v1 import bots_pb2, bots_pb2_grpc, matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc, record_pb2
from fudaba_games.registry import GAMES

_BOT_COUNT = 20
_THINKING_SECONDS = 0.2
_LOCAL = [("grpc.use_local_subchannel_pool", 1)]


@dataclass
class Restart:
    """A restart: seconds since the kill."""

    serving: float
    """The time until the new process served."""
    first_move: float
    """The time until a bot learned that a move was stored."""
    all_moved: float
    """The time until that had happened in every match."""


class Moves:
    """The times when a move of each match was first acknowledged since `forget`."""

    def __init__(self) -> None:
        self.first: dict[str, float] = {}

    def forget(self) -> None:
        """Starts over."""
        self.first.clear()


async def _bot(address: str, token: str, moves: Moves) -> None:
    """Plays first moves until cancelled, and reconnects as the kit does."""
    attempt = 0
    while True:
        async with aio.insecure_channel(address, options=_LOCAL) as channel:
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
                async for match_id in _playing(channel, token):
                    attempt = 0
                    moves.first.setdefault(match_id, time.monotonic())
        await asyncio.sleep(min(15.0, 0.2 * 1.7**attempt) * random.uniform(0.5, 1.0))
        attempt += 1


async def _playing(channel: aio.Channel, token: str) -> AsyncIterator[str]:
    """Plays over one stream. `moves` receives the matches with acknowledged moves."""
    call: Any = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))
    never, count = play_pb2.EVENT_DELIVERY_NEVER, play_pb2.LEGAL_MOVE_FORMAT_COUNT
    delivery = play_pb2.Delivery(legal_moves=count, events=never, acknowledge=True)
    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello(delivery=delivery)))
    answers: set[asyncio.Task[None]] = set()
    writing = asyncio.Lock()
    try:
        while (message := await call.read()) is not aio.EOF:
            kind = message.WhichOneof("message")
            if kind == "ping":
                async with writing:
                    await call.write(play_pb2.PlayRequest(pong=play_pb2.Pong(id=message.ping.id)))
            if kind != "update":
                continue
            if message.update.accepted:
                yield message.update.match_id
            if message.update.HasField("decision"):
                answers.add(asyncio.create_task(_answer(call, writing, message.update)))
                answers = {task for task in answers if not task.done()}
    finally:
        for task in answers:
            task.cancel()
        await asyncio.gather(*answers, return_exceptions=True)


async def _answer(call: Any, writing: asyncio.Lock, update: play_pb2.SeatUpdate) -> None:
    await asyncio.sleep(_THINKING_SECONDS)
    answer = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=0)
    with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):  # the reader gets the reason
        async with writing:
            await call.write(play_pb2.PlayRequest(answer=answer))


async def _wait(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  five milliseconds are near enough
            await asyncio.sleep(0.005)


async def measure_restarts(data: Path, matches: int, restarts: int) -> list[Restart]:
    """Repeatedly kills a service with this many live matches, of all games in turn, and restarts it at once each
    time.
    """
    address = f"127.0.0.1:{free_port()}"
    service = serve(data, address)
    found: list[Restart] = []
    players: list[asyncio.Task[None]] = []
    try:
        token = (await asyncio.to_thread(lines_until, service.stdout, "fudaba serves")).split("\n")[0].split()[-1]
        moves = Moves()
        tokens = await _matches(address, token, matches)
        players += [asyncio.create_task(_bot(address, bot, moves)) for bot in tokens]
        await _wait(lambda: len(moves.first) == matches)
        for _ in range(restarts):
            await asyncio.sleep(1)
            service.kill()
            killed = time.monotonic()
            await asyncio.to_thread(service.wait)
            moves.forget()
            service = serve(data, address)
            await asyncio.to_thread(lines_until, service.stdout, "fudaba serves")
            serving = time.monotonic()
            await _wait(lambda: len(moves.first) == matches)
            after = moves.first.values()
            found.append(Restart(serving - killed, min(after) - killed, max(after) - killed))
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        service.kill()
        service.wait()
    return found


async def _matches(address: str, token: str, count: int) -> list[str]:
    """Makes the matches and their bots. Returns the bots' tokens."""
    metadata = (("authorization", f"Bearer {token}"),)
    async with aio.insecure_channel(address, options=_LOCAL) as channel:
        bots: Any = bots_pb2_grpc.BotServiceStub(channel)
        tokens: list[str] = []
        for n in range(_BOT_COUNT):
            await bots.CreateBot(bots_pb2.CreateBotRequest(name=f"b{n}"), metadata=metadata)
            made = await bots.CreateToken(bots_pb2.CreateTokenRequest(bot=f"b{n}"), metadata=metadata)
            tokens.append(made.token)
        stub, games, seat = matches_pb2_grpc.MatchServiceStub(channel), list(GAMES.values()), 0
        for n in range(count):
            game = games[n % len(games)]
            request = matches_pb2.CreateMatchRequest(game=game.id, clock=record_pb2.Clock(move_ms=600_000))
            request.options["deals"].CopyFrom(option_to_proto(50))
            for _ in range(game.min_seats):
                request.players.add(bot=f"b{seat % _BOT_COUNT}")
                seat += 1
            await stub.CreateMatch(request, metadata=metadata)
    return tokens
