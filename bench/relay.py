"""Measures the cost of a move in a sandbox's relay, beside a relay that only copies bytes. See scripts/bench relay.

A bot with the Python kit sends its moves as messages of one call, `Play`; others make a call for each, `SubmitMove`.
Both go to a bare echo, which does not count: the processor time is that of the caller and the relay, which are one
process here.
"""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from typing import Any, Final

import click
import grpc

from bench.processes import started
from fudaba.client import Endpoint
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.tournament.limits import Limits

_TOKEN: Final = f"fudaba-match-m-{'1' * 20}.{'x' * 43}"
_METHOD: Final = "/bench.Echo/Echo"
_METADATA: Final = (("authorization", f"Bearer {_TOKEN}"),)
_ANSWER: Final = (300).to_bytes(2, "big") + bytes(60)
"""An answer of the size of a move. The reply has the size of a decision."""
_UNLIMITED: Final = Limits(traffic=1_000_000_000_000, messages=1_000_000_000)
_BUFFER_BYTES: Final = 65_536

Measured = Callable[[grpc.Channel, int], None]


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_BUFFER_BYTES):
        writer.write(piece)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def _bytes_alone(port: int, path: Path) -> AsyncIterator[None]:
    """Runs the yardstick, a relay that ignores the content, until the context is left."""
    carried: list[asyncio.Task[Any] | None] = []

    async def carry(from_bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        carried.append(asyncio.current_task())
        from_service, to_service = await asyncio.open_connection("127.0.0.1", port, limit=_BUFFER_BYTES)
        await asyncio.gather(_pump(from_bot, to_service), _pump(from_service, to_bot))

    server = await asyncio.start_unix_server(carry, str(path), limit=_BUFFER_BYTES)
    yield
    server.close()
    await asyncio.gather(*(task for task in carried if task is not None))


@asynccontextmanager
async def _ours(port: int, path: Path) -> AsyncIterator[None]:
    relay = await Relay.open(Endpoint(f"127.0.0.1:{port}"), path, _UNLIMITED, _TOKEN)
    yield
    await relay.close()


def messages(channel: grpc.Channel, count: int) -> None:
    """Sends a number of moves, one after another, over one call."""
    queue: SimpleQueue[bytes | None] = SimpleQueue()
    requests: Iterator[Any] = iter(queue.get, None)
    answers: Iterator[bytes] = channel.stream_stream(_METHOD)(requests, metadata=_METADATA)
    for _ in range(count):
        queue.put(_ANSWER)
        next(answers)
    queue.put(None)


def calls(channel: grpc.Channel, count: int) -> None:
    """Sends a number of moves, each as a call."""
    call: Any = channel.unary_unary(_METHOD)
    for _ in range(count):
        call(_ANSWER, metadata=_METADATA)


async def _cpu(way: Any, port: int, path: Path, measured: Measured, count: int) -> float:
    """Returns the processor time for a move, in seconds."""
    async with way(port, path):
        with grpc.insecure_channel(f"unix:{path}") as channel:
            await asyncio.to_thread(measured, channel, count // 10)  # it connects
            before = time.process_time()
            await asyncio.to_thread(measured, channel, count)
            return (time.process_time() - before) / count


async def measure(runs: int, count: int) -> None:
    """Prints all results."""
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as place, started("-m", "bench.echo_server") as (_, port):
        for name, measured in (("a message of one call", messages), ("a call of its own", calls)):
            pairs = []
            for _ in range(runs):
                ours, bare = [
                    await _cpu(way, int(port), Path(place) / str(next(numbers)), measured, count)
                    for way in (_ours, _bytes_alone)
                ]
                pairs.append((ours, bare))
            ratios = [ours / bare for ours, bare in pairs]
            times = " and ".join(f"{1e6 * median(side):.0f} µs" for side in zip(*pairs, strict=True))
            added = 1e6 * median(ours - bare for ours, bare in pairs)
            spread = f"{median(ratios):.2f} times ({min(ratios):.2f}-{max(ratios):.2f})"
            click.echo(f"a move as {name}: {times} with bytes alone: {added:+.0f} µs, {spread}")


@click.command()
@click.option("--runs", default=9, show_default=True, type=click.IntRange(1))
@click.option("--count", default=2_000, show_default=True, type=click.IntRange(10), help="Moves in a run.")
def main(runs: int, count: int) -> None:
    """Measure the CPU time that the relay adds to a move, beside a relay that only carries bytes."""
    asyncio.run(measure(runs, count))


if __name__ == "__main__":
    main()
