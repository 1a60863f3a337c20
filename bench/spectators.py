"""Measures the cost of many spectators of a match for a gateway and the service. See scripts/bench spectators.

Two bots play at an even pace. In turn, many spectators watch the match through the gateway; one does; and as many
listeners receive server-sent events of the same size and number from a server that is built like the gateway
(`told_to_many.py`).
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
import httpx

from bench.processes import cpu_seconds, started
from bench.service_process import service
from fudaba.client import Client
from fudaba.codec import option_to_proto
from fudaba.v1 import bots_pb2, matches_pb2, record_pb2

__all__ = ["Costs", "main", "measured"]

_WATCH = "/fudaba.v1.MatchService/WatchMatch"
_STREAM = "application/connect+proto"
_PREFIX_BYTES = 5
"""The number of bytes before each message of a Connect stream."""
_SETTLING_SECONDS = 2.0
"""The seconds after the last spectator's arrival until its CPU is no longer counted."""


@dataclass
class Costs:
    """The microseconds of CPU of each run."""

    gateway: list[float] = field(default_factory=list)
    """The time for each message to each of many spectators."""
    bare: list[float] = field(default_factory=list)
    """The time for each event to each of as many listeners."""
    service_of_many: list[float] = field(default_factory=list)
    """The service's time for each message with many spectators."""
    service_of_one: list[float] = field(default_factory=list)


class _Stack:
    """A service with a gateway and two playing bots, with one move in a number of seconds."""

    def __init__(self, folder: Path, stack: ExitStack, pace: float) -> None:
        served = stack.enter_context(service(folder))
        address = f"127.0.0.1:{served.port}"
        command = ("-m", "fudaba", "web", "--listen", "127.0.0.1:0", "--server", address, "--arena", "")
        gateway, line = stack.enter_context(started(*command))
        self.service, self.gateway = served.pid, gateway.pid
        self.port = line.rpartition(":")[2]
        with Client(address, served.token) as client:
            request = matches_pb2.CreateMatchRequest(game="naga", clock=record_pb2.Clock(move_ms=600_000))
            request.options["deals"].CopyFrom(option_to_proto(99))
            for name in ("one", "two"):
                client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name))
                made = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name))
                request.players.add(bot=name)
                stack.enter_context(_bot(address, made.token, pace))
            self.match_id = client.matches.CreateMatch(request).match.header.match_id

    @property
    def request(self) -> bytes:
        """Returns the request of a spectator."""
        message = matches_pb2.WatchMatchRequest(match_id=self.match_id).SerializeToString()
        return b"\0" + len(message).to_bytes(4, "big") + message


@contextmanager
def _bot(address: str, token: str, pace: float) -> Iterator[None]:
    command = [sys.executable, "-m", "fudaba", "bot", "run", "bench/sleeping.py:Sleeping", "--server", address]
    environment = os.environ | {"FUDABA_TOKEN": token, "SLEEP": str(pace)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _listening(port: str, count: int, request: bytes, *words: str) -> Iterator[None]:
    """Runs many listeners in a separate process, from the time when all receive something until the context is left."""
    command = [sys.executable, "-m", "bench.listeners", port, str(count), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(request.hex().encode() + b"\n")
        process.stdin.flush()
        if process.stdout.readline() != b"%d\n" % count:
            raise RuntimeError("the listeners have ended")
        try:
            yield
        finally:
            process.terminate()


class _Told:
    """Counts what one spectator receives."""

    def __init__(self) -> None:
        self.messages = self.bytes = 0


@asynccontextmanager
async def _follower(stack: _Stack) -> AsyncIterator[_Told]:
    """Yields the messages that a further spectator of the match receives from now on."""
    tally = _Told()

    async def read(answer: httpx.Response) -> None:
        left = b""
        async for piece in answer.aiter_raw():
            left += piece
            while len(left) >= _PREFIX_BYTES:
                size = _PREFIX_BYTES + int.from_bytes(left[1:_PREFIX_BYTES], "big")
                if len(left) < size:
                    break
                tally.messages, tally.bytes, left = tally.messages + 1, tally.bytes + size, left[size:]

    headers = {"content-type": _STREAM, "connect-protocol-version": "1"}
    async with (
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{stack.port}", timeout=None) as client,
        client.stream("POST", _WATCH, content=stack.request, headers=headers) as answer,
    ):
        reading = asyncio.create_task(read(answer))
        try:
            yield tally
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _watched(stack: _Stack, spectators: int, seconds: float) -> tuple[float, float, _Told]:
    """Returns the CPU seconds of gateway and service while a number of spectators watch, and what each received."""
    with _listening(stack.port, spectators, stack.request, _WATCH, _STREAM):
        async with _follower(stack) as tally:
            await asyncio.sleep(_SETTLING_SECONDS)
            before = tally.messages, tally.bytes
            began = cpu_seconds(stack.gateway), cpu_seconds(stack.service)
            await asyncio.sleep(seconds)
            gateway, service = cpu_seconds(stack.gateway) - began[0], cpu_seconds(stack.service) - began[1]
            tally.messages, tally.bytes = tally.messages - before[0], tally.bytes - before[1]
    return gateway, service, tally


async def _bare(listeners: int, seconds: float, tally: _Told) -> float:
    """Returns the yardstick's CPU seconds for as many events of the same size in the same time."""
    event = b"x" * max(1, tally.bytes // tally.messages - len(b"data: \n\n"))
    with started("-m", "bench.told_to_many") as (process, port):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            with _listening(port, listeners, b"", "/events"):
                await asyncio.sleep(_SETTLING_SECONDS)
                began = cpu_seconds(process.pid)
                for _ in range(tally.messages):
                    await client.post("/tell", content=event)
                    await asyncio.sleep(seconds / tally.messages)
                return cpu_seconds(process.pid) - began


async def measured(spectators: int, runs: int, seconds: float, pace: float) -> Costs:
    """Measures all three in turn in each run."""
    costs = Costs()
    with ExitStack() as ends:
        stack = _Stack(Path(ends.enter_context(tempfile.TemporaryDirectory())), ends, pace)
        for run in range(runs):
            if sys.stderr.isatty():
                click.echo(f"\rrun {run + 1} of {runs}\033[K", err=True, nl=False)
            gateway, service, tally = await _watched(stack, spectators, seconds)
            costs.gateway.append(gateway / tally.messages / (spectators + 1) * 1e6)
            costs.service_of_many.append(service / tally.messages * 1e6)
            bare = await _bare(spectators, seconds, tally)
            costs.bare.append(bare / tally.messages / spectators * 1e6)
            _, service, tally = await _watched(stack, 1, seconds)
            costs.service_of_one.append(service / tally.messages * 1e6)
    return costs


def _row(label: str, ours: list[float], theirs: list[float], wanted: float) -> str:
    ratios = [our / other for our, other in zip(ours, theirs, strict=True)]
    ratio = statistics.median(ratios)
    mark = "" if ratio <= wanted else " **missed**"
    spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
    return (
        f"| {label} | ≤ {wanted} | {ratio:.2f}{mark} ({spread}) "
        f"| {statistics.median(ours):.1f} | {statistics.median(theirs):.1f} |"
    )


@click.command()
@click.option("--spectators", type=click.IntRange(min=1), default=1_000, show_default=True)
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True, help="Runs; the median counts.")
@click.option(
    "--seconds", type=float, default=10.0, show_default=True, help="Length of each of the three measurements in a run."
)
@click.option("--pace", type=float, default=0.2, show_default=True, help="Seconds that a bot takes for a move.")
def main(spectators: int, runs: int, seconds: float, pace: float) -> None:
    """Measure what many spectators of one match cost the gateway and the service."""
    costs = asyncio.run(measured(spectators, runs, seconds, pace))
    if sys.stderr.isatty():
        click.echo("\r\033[K", err=True, nl=False)
    print(
        f"| CPU with {spectators:,} spectators | goal | ratio | µs | yardstick's µs |\n| --- | --- | --- | --- | --- |"
    )
    label = "the gateway's, an event to a spectator, beside a bare server-sent event"
    print(_row(label, costs.gateway, costs.bare, 1.5))
    print(_row("the service's, an event, beside one spectator", costs.service_of_many, costs.service_of_one, 1.2))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"\nMedian of {runs} runs of {seconds:g} s. Load of the machine at the end: {load}.")


if __name__ == "__main__":
    main()
