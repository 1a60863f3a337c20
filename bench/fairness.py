"""Measures how long others wait while instant bots take all they can. See scripts/bench fairness.

The bots play as fast as possible over streams with and without batches, in separate processes, against one service.
Beside them one client at a time creates a match, lists matches, opens a Play stream, or answers like a slow bot. Each
is measured with and without that load in the same run, and the ratio counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from grpc import aio

from bench.play import channels_to
from bench.service_process import service
from fudaba.codec import option_to_proto
from fudaba.v1 import bots_pb2, bots_pb2_grpc, matches_pb2, matches_pb2_grpc, play_pb2, play_pb2_grpc, record_pb2

__all__ = ["Waits", "main", "measured"]

_UNTIMED = record_pb2.Clock(move_ms=600_000)
_MATCHES_PER_PAGE = 10
"""The number of matches in a page of ListMatches."""
_STREAM_COUNT = 2
"""The number of streams of the load with batches, and the number without."""
_PAUSE_SECONDS = 0.02
"""The seconds between two probes."""
_WARM_UP_SECONDS = 2.0

Metadata = tuple[tuple[str, str], ...]
_Decision = tuple[Any, play_pb2.SeatUpdate]
"""A decision, and the stream on which it came."""


@dataclass
class Waits:
    """The times of many probes of a kind, in seconds."""

    taken: list[float]

    def at(self, share: float) -> float:
        """Returns the quantile of this share, in milliseconds."""
        return sorted(self.taken)[int(share * (len(self.taken) - 1))] * 1000


class _Client:
    """A client of the organiser, and the slow bots with which it probes."""

    def __init__(self, port: str, token: str, channel: aio.Channel) -> None:
        self.port = port
        self.metadata = _metadata(token)
        self.bots = bots_pb2_grpc.BotServiceStub(channel)
        self.matches = matches_pb2_grpc.MatchServiceStub(channel)
        self.play = play_pb2_grpc.PlayServiceStub(channel)

    async def bot(self, name: str) -> str:
        """Returns the token of a new bot."""
        await self.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=self.metadata)
        made = await self.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=self.metadata)
        return str(made.token)

    async def match(self, *players: str) -> str:
        """Returns the id of a new match that does not end."""
        request = matches_pb2.CreateMatchRequest(game="naga", clock=_UNTIMED)
        request.options["deals"].CopyFrom(option_to_proto(99))
        for player in players:
            request.players.add(bot=player)
        return str((await self.matches.CreateMatch(request, metadata=self.metadata)).match.header.match_id)

    def stream(self, token: str) -> Any:
        """Returns a Play stream."""
        return self.play.Play(metadata=_metadata(token))


def _metadata(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


async def _greeted(client: _Client, token: str) -> Any:
    """Returns a new stream after its welcome."""
    call = client.stream(token)
    delivery = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, events=play_pb2.EVENT_DELIVERY_NEVER)
    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello(delivery=delivery)))
    while (await call.read()).WhichOneof("message") != "welcome":
        pass
    return call


class _SlowBots:
    """Two bots that play each other, each on its own stream, and think between moves."""

    def __init__(self, calls: list[Any]) -> None:
        self._decisions: asyncio.Queue[_Decision] = asyncio.Queue()
        self._open: _Decision | None = None
        self._writing = asyncio.Lock()
        self._reading = [asyncio.create_task(self._read(call)) for call in calls]

    async def _read(self, call: Any) -> None:
        while (message := await call.read()) is not aio.EOF:
            if message.WhichOneof("message") == "ping":
                await self._write(call, play_pb2.PlayRequest(pong=play_pb2.Pong(id=message.ping.id)))
            elif message.update.HasField("decision"):
                self._decisions.put_nowait((call, message.update))

    async def _write(self, call: Any, request: play_pb2.PlayRequest) -> None:
        async with self._writing:
            await call.write(request)

    async def move(self) -> None:
        """Answers the present decision, and waits for the next one."""
        call, update = self._open or await self._decisions.get()
        answer = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=0)
        await self._write(call, play_pb2.PlayRequest(answer=answer))
        self._open = await self._decisions.get()

    async def stop(self) -> None:
        """Stops reading."""
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)


async def _probe(operation: Callable[[], Awaitable[object]], seconds: float) -> Waits:
    """Repeats an operation."""
    taken, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        await operation()
        taken.append(time.perf_counter() - began)
        await asyncio.sleep(_PAUSE_SECONDS)
    return Waits(taken)


async def _probes(client: _Client, name: str, seconds: float) -> dict[str, Waits]:
    """Runs each probe for a number of seconds, one after another. Returns their times."""
    tokens = [await client.bot(f"{name}-{n}") for n in range(3)]
    slow = _SlowBots([await _greeted(client, token) for token in tokens[:2]])
    await client.match(f"{name}-0", f"{name}-1")
    await slow.move()

    async def create() -> None:
        await client.match(f"{name}-2", f"{name}-absent")

    async def listed() -> None:
        await client.matches.ListMatches(
            matches_pb2.ListMatchesRequest(page_size=_MATCHES_PER_PAGE), metadata=client.metadata
        )

    async def welcome() -> None:
        (await _greeted(client, tokens[2])).cancel()

    await client.bot(f"{name}-absent")
    found = {
        "CreateMatch": await _probe(create, seconds),
        "ListMatches": await _probe(listed, seconds),
        "Play → welcome": await _probe(welcome, seconds),
        "answer → next decision": await _probe(slow.move, seconds),
    }
    await slow.stop()
    return found


@contextmanager
def _playing(port: str, mode: str, tokens: list[str]) -> Iterator[None]:
    """Runs a process of instant bots until the context is left."""
    command = [sys.executable, "-m", "bench.instant_bots", port, mode]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the process has no input or output")
    try:
        with process.stdin:
            process.stdin.write("\n".join(tokens))
        process.stdout.readline()
        yield
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


async def measured(port: str, token: str, matches: int, seconds: float) -> tuple[dict[str, Waits], dict[str, Waits]]:
    """Runs the probes without load and with it: a number of matches with batches, and the same number without. Returns
    their times.
    """
    [channel] = await channels_to(port, 1)
    async with channel:
        client = _Client(port, token, channel)
        quiet = await _probes(client, "quiet", seconds)
        tokens: dict[str, list[str]] = {}
        for mode in ("single", "batches"):
            tokens[mode] = [await client.bot(f"{mode}-{n}") for n in range(_STREAM_COUNT)]
            for _ in range(matches):
                await client.match(*[f"{mode}-{n}" for n in range(_STREAM_COUNT)])
        with _playing(port, "single", tokens["single"]), _playing(port, "batches", tokens["batches"]):
            await asyncio.sleep(_WARM_UP_SECONDS)
            return quiet, await _probes(client, "loaded", seconds)


def _run(matches: int, seconds: float) -> tuple[dict[str, Waits], dict[str, Waits]]:
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as served:
        return asyncio.run(measured(served.port, served.token, matches, seconds))


@dataclass
class Row:
    """The times of a kind of probe in each run."""

    subject: str
    percentile: int
    ratios: list[float]
    """The ratios of the times with load to those without."""
    quiet_ms: list[float]
    loaded_ms: list[float]


def _rows(runs: list[tuple[dict[str, Waits], dict[str, Waits]]]) -> Iterator[Row]:
    for label in runs[0][0]:
        for share in (0.5, 0.99):
            quiet, loaded = ([side[label].at(share) for side in sides] for sides in zip(*runs, strict=True))
            ratios = [busy / other for busy, other in zip(loaded, quiet, strict=True)]
            yield Row(label, round(100 * share), ratios, quiet, loaded)


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


@click.command()
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True)
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=5.0, show_default=True, help="Length of each kind of run."
)
@click.option("--matches", type=click.IntRange(1), default=100, show_default=True,
              help="Matches of the load: this many with batches, and as many without.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(runs: int, seconds: float, matches: int, as_json: bool) -> None:
    """Measure how long others wait while instant bots take all they can, beside how long they wait without that.

    Example: scripts/bench fairness --runs 3
    """
    rows = list(_rows([_run(matches, seconds) for _ in range(runs)]))
    load = os.getloadavg()[0]
    if as_json:
        click.echo(json.dumps({"load": load, "rows": [asdict(row) for row in rows]}))
        return
    click.echo(
        f"{runs} runs, medians and ranges; {matches} matches over {_STREAM_COUNT} streams with batches"
        f" and as many without; {os.cpu_count()} cores, load {load:.0f}"
    )
    for row in rows:
        click.echo(
            f"{row.subject:24} p{row.percentile:<3} {_spread(row.ratios):>24} ×   "
            f"without load {_spread(row.quiet_ms)} ms, with it {_spread(row.loaded_ms)} ms"
        )


if __name__ == "__main__":
    main(prog_name="scripts/bench fairness")
