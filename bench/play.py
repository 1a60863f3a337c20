"""Measures moves over `Play` beside a bare echo: server CPU per unit of work, and rate, with the same streams and
sizes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from grpc import aio

from bench.processes import cpu_seconds
from fudaba.codec import option_to_proto
from fudaba.v1 import bots_pb2, bots_pb2_grpc, matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc, record_pb2

UNTIMED: Final = record_pb2.Clock(move_ms=3_600_000, start_ms=3_600_000)
"""A clock that does not run out during a measurement."""
_MATCHES_PER_CALL: Final = 100
"""The number of matches that are created in one call."""
_MIN_ANSWERS_PER_MATCH: Final = 3
"""The number of answers for each match before the measurement, by which all matches have begun."""


@dataclass
class Reading:
    """A measurement."""

    units: int
    seconds: float
    cpu: float
    up: float
    """The mean number of bytes sent to the server for one unit."""
    down: float
    messages: int
    """The number of messages that carried the units."""

    @property
    def rate(self) -> float:
        """The units of work per second."""
        return self.units / self.seconds

    @property
    def cpu_us(self) -> float:
        """The server's CPU for one unit, in microseconds."""
        return self.cpu / self.units * 1e6


class Counts:
    """The work of all instant bots together."""

    def __init__(self) -> None:
        self.answers = self.up = self.down = self.messages = 0


async def instant_bot(
    channel: aio.Channel, token: str, counts: Counts, legal: play_pb2.LegalMoveFormat.ValueType, *, batches: bool
) -> None:
    """Runs an instant bot. It answers each decision with the first legal move, and those of a batch in one message."""
    stub = play_pb2_grpc.PlayServiceStub(channel)
    call: Any = stub.Play(metadata=(("authorization", f"Bearer {token}"),))
    delivery = play_pb2.Delivery(legal_moves=legal, events=play_pb2.EVENT_DELIVERY_NEVER)
    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello(delivery=delivery, batches=batches)))
    while (message := await call.read()) is not aio.EOF:
        kind = message.WhichOneof("message")
        if kind == "ping":
            await call.write(play_pb2.PlayRequest(pong=play_pb2.Pong(id=message.ping.id)))
            continue
        updates = message.updates.updates if kind == "updates" else [message.update] if kind == "update" else ()
        answers = [
            play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=0)
            for update in updates
            if update.HasField("decision")
        ]
        if not answers:
            continue
        if kind == "updates":
            request = play_pb2.PlayRequest(answers=play_pb2.Answers(answers=answers))
        else:
            request = play_pb2.PlayRequest(answer=answers[0])
        counts.answers += len(answers)
        counts.messages += 1
        counts.up += request.ByteSize()
        counts.down += message.ByteSize()
        await call.write(request)


async def channels_to(ports: str, count: int) -> list[aio.Channel]:
    """Returns `count` channels, to each of the ports in turn."""
    addresses = [f"127.0.0.1:{port}" for port in ports.split(",")]
    options = [("grpc.use_local_subchannel_pool", 1)]
    return [aio.insecure_channel(addresses[n % len(addresses)], options=options) for n in range(count)]


@asynccontextmanager
async def endless_matches(
    port: str, token: str, matches: int, bots: int, game: str = "naga", seats: int = 2,
    clock: record_pb2.Clock = UNTIMED, *, abort: bool = True,
) -> AsyncIterator[list[str]]:  # fmt: skip
    """Creates matches of 99 deals between new bots, which sit in them in turn. Yields the bots' tokens. Aborts the
    matches at the end.
    """
    metadata = (("authorization", f"Bearer {token}"),)
    [admin] = await channels_to(port, 1)
    async with admin:
        service, run = bots_pb2_grpc.BotServiceStub(admin), time.monotonic_ns()
        tokens: list[str] = []
        for n in range(bots):
            name = f"b{run}-{n}"
            await service.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=metadata)
            tokens.append((await service.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=metadata)).token)
        stub = matches_pb2_grpc.MatchServiceStub(admin)
        ids: list[str] = []
        for first in range(0, matches, _MATCHES_PER_CALL):
            asked = matches_pb2.CreateMatchesRequest()
            for n in range(first, min(first + _MATCHES_PER_CALL, matches)):
                request = asked.requests.add(game=game, clock=clock)
                request.options["deals"].CopyFrom(option_to_proto(99))
                for seat in range(seats):
                    request.players.add(bot=f"b{run}-{(seats * n + seat) % bots}")
            results = (await stub.CreateMatches(asked, metadata=metadata)).results
            ids += [result.created.match.header.match_id for result in results]
        if "" in ids:
            raise RuntimeError("a match was refused")
        yield tokens
        if abort:
            for match_id in ids:
                await stub.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), metadata=metadata)


async def measure_play(
    ports: str, token: str, pids: Sequence[int], matches: int, streams: int, seconds: float,
    game: str = "naga", seats: int = 2,
    legal: play_pb2.LegalMoveFormat.ValueType = play_pb2.LEGAL_MOVE_FORMAT_COUNT, *, batches: bool = False,
) -> Reading:  # fmt: skip
    """Plays `matches` endless matches over `streams` streams, one bot each, and measures the middle of the run.

    With several ports, separated by commas, the streams go to each in turn; `pids` are the processes behind them.
    """
    async with endless_matches(ports, token, matches, streams, game, seats) as tokens:
        counts = Counts()
        channels = await channels_to(ports, streams)
        players = [
            asyncio.create_task(instant_bot(channel, token, counts, legal, batches=batches))
            for channel, token in zip(channels, tokens, strict=True)
        ]
        while counts.answers < _MIN_ANSWERS_PER_MATCH * matches:  # noqa: ASYNC110  # the bots only count
            await asyncio.sleep(0.05)
        reading = await _window(counts, pids, seconds)
        await _stop(players, channels)
    return reading


async def _echoing(channel: aio.Channel, counts: Counts, up: int, down: int) -> None:
    call: Any = channel.stream_stream("/bench.Echo/Echo")()
    message = down.to_bytes(2, "big") + bytes(up - 2)
    while True:
        await call.write(message)
        await call.read()
        counts.answers += 1


async def measure_echo(port: str, pid: int, streams: int, up: int, down: int, seconds: float) -> Reading:
    """Measures echo round trips over `streams` streams, one message in flight on each."""
    counts = Counts()
    channels = await channels_to(port, streams)
    players = [asyncio.create_task(_echoing(c, counts, up, down)) for c in channels]
    reading = await _window(counts, [pid], seconds)
    await _stop(players, channels)
    return reading


async def _window(counts: Counts, pids: Sequence[int], seconds: float) -> Reading:
    await asyncio.sleep(min(1.0, seconds / 2))
    first, cpu, began = counts.answers, sum(map(cpu_seconds, pids)), time.perf_counter()
    up, down, messages = counts.up, counts.down, counts.messages
    await asyncio.sleep(seconds)
    spent = time.perf_counter() - began
    units = max(1, counts.answers - first)
    return Reading(
        counts.answers - first,
        spent,
        sum(map(cpu_seconds, pids)) - cpu,
        (counts.up - up) / units,
        (counts.down - down) / units,
        counts.messages - messages,
    )


async def _stop(tasks: list[asyncio.Task[None]], channels: list[aio.Channel]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for channel in channels:
        await channel.close()
