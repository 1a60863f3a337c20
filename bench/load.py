"""Measures moves beside a bare echo with one compiled client for both: CPU, rate and latency of a server on its own
core.

The client, `bench/load_generator`, and the service's Redis share another core.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Final

from bench.generator import Generator, Taken, generator
from bench.loads import ECHO_STREAMS, Load
from bench.play import endless_matches
from bench.processes import children, cpu_seconds, pin, started
from bench.rows import Row, Skipped, progress, row
from bench.rules import COMPILED
from bench.service_process import Service, service

__all__ = ["FULL", "Servers", "measure_durable", "measure_latency", "measure_load", "servers"]

_SERVER, _CLIENT = 0, 1
"""The cores of the server and of the client."""
_WARM_UP_SECONDS: Final = 1.0
_MAX_MISSED_SHARE: Final = 0.1


FULL: Final = Load("naga", 2, 100, 2, "≤ 0.8" if COMPILED else "≤ 1.2", "≥ 1.1", batches=True)
_LOADS: Final = (
    FULL,
    Load("naga", 2, 20, 20, "≤ 2.2"),
    Load("napoleon", 5, 20, 5, "≤ 1.2", batches=True),
)


@dataclass
class Servers:
    """Both servers, on their core."""

    service: Service
    echo: Popen[str]
    echo_port: str

    @asynccontextmanager
    async def play(self, load: Load, rate: float = 0.0) -> AsyncIterator[Generator]:
        """The playing bots."""
        async with endless_matches(
            self.service.port, self.service.token, load.matches, load.streams, load.game, load.seats
        ) as tokens:
            with generator(
                _CLIENT, kind="play", port=self.service.port, tokens=tokens, batches=load.batches, rate=rate
            ) as playing:
                yield playing

    async def played(self, load: Load, seconds: float, rate: float = 0.0) -> tuple[Taken, float]:
        """Returns the bots' work in a number of seconds, and the service's CPU for each answer, in microseconds."""
        async with self.play(load, rate) as playing:
            return await _window(playing, self.service.pid, seconds)

    async def echoed(self, like: Taken, seconds: float, rate: float = 0.0) -> tuple[Taken, float]:
        """Returns the same for round trips with messages of the same sizes."""
        with generator(
            _CLIENT,
            kind="echo",
            port=self.echo_port,
            streams=ECHO_STREAMS,
            up=int(like.up),
            down=int(like.down),
            rate=rate,
        ) as tripping:
            return await _window(tripping, self.echo.pid, seconds)


@asynccontextmanager
async def servers(appendfsync: str = "everysec") -> AsyncIterator[Servers]:
    """Yields a running service and a running echo. Raises `Skipped`."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Skipped("it needs two cores, one for the server alone")
    with (
        tempfile.TemporaryDirectory() as data,
        service(Path(data), "--appendfsync", appendfsync) as served,
        started("-m", "bench.echo_server") as (echo, echo_port),
    ):
        for server in (served, echo):
            pin(server.pid, _SERVER)
        for redis in children(served.pid):
            pin(redis, _CLIENT)
        yield Servers(served, echo, echo_port)


async def _window(generator: Generator, pid: int, seconds: float) -> tuple[Taken, float]:
    await asyncio.sleep(_WARM_UP_SECONDS)
    generator.taken()
    cpu = cpu_seconds(pid)
    await asyncio.sleep(seconds)
    taken, spent = generator.taken(), cpu_seconds(pid) - cpu
    if not taken.units or taken.refused or taken.ended:
        raise RuntimeError(f"{taken.units} units, {taken.refused} refused; {taken.ended} streams have ended")
    return taken, spent / taken.units * 1e6


async def measure_load(runs: int, seconds: float) -> Iterator[Row]:
    """Measures the CPU and rate of moves, in turn with the echo. Raises `Skipped`."""
    rows: list[Row] = []
    async with servers() as both:
        for load in _LOADS:
            cpu, rates = [], []
            for run in range(runs):
                progress(f"compiled client, {load.game}, {load}", run, runs)
                played, cost = await both.played(load, seconds)
                echoed, echo_cost = await both.echoed(played, seconds)
                cpu.append((cost, echo_cost))
                rates.append((played.rate, echoed.rate))
            move, echo = f"{load.game.capitalize()} move", f"{ECHO_STREAMS} streams, compiled client"
            rows.append(row(f"server CPU per {move}, {load}", f"echo round trip, {echo}", load.cpu, cpu, "us"))
            if load.rate is not None:
                label = f"{move}s a second, {load}"
                rows.append(row(label, f"echo round trips a second, {echo}", load.rate, rates, "1/s"))
    return iter(rows)


async def measure_latency(runs: int, seconds: float) -> Iterator[Row]:
    """Measures the time from an answer to the next decision, at half of the peak rate. Raises `Skipped`."""
    pairs = []
    async with servers() as both:
        for run in range(runs):
            progress("latency at half of peak", run, runs)
            peak, _ = await both.played(FULL, seconds)
            half = peak.rate / 2
            played, _ = await both.played(FULL, seconds, half)
            echoed, _ = await both.echoed(peak, seconds, half)
            for label, taken in (("moves", played), ("round trips", echoed)):
                if taken.rate < (1 - _MAX_MISSED_SHARE) * half:
                    raise Skipped(
                        f"only {taken.rate:,.0f} of {half:,.0f} {label} a second came about; is it quiet here?"
                    )
            pairs.append((played.wait.p99, echoed.wait.p99))
    label = f"p99 of answer → next decision at half of peak, {FULL}"
    return iter([row(label, f"echo's p99 at that rate, {ECHO_STREAMS} streams", "≤ 3", pairs, "ms")])


async def measure_durable(runs: int, seconds: float) -> Iterator[Row]:
    """Measures moves that are on disk before they are announced, in turn with moves that reach the disk soon after.
    Raises `Skipped`.
    """
    rates = []
    async with servers("always") as always, servers() as soon:
        for run in range(runs):
            progress("appendfsync always and everysec", run, runs)
            strict, _ = await always.played(FULL, seconds)
            usual, _ = await soon.played(FULL, seconds)
            rates.append((strict.rate, usual.rate))
    label = f"Naga moves a second with appendfsync always, {FULL}"
    return iter([row(label, "the same with everysec", "≥ 0.85", rates, "1/s")])
