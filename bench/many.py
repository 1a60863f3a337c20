"""Measures a service with many live matches, some of them in play, before and after a kill. See scripts/bench many.

Most matches rest: their bots are connected, and think for longer than the measurement. In the matches in play each bot
thinks for two seconds. In some of these no bot answers, so clocks of two seconds make the moves, and the delay of these
moves is measured. At the end the service is killed and restarted at once.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click
from grpc import aio

from bench.generator import Generator, Taken, generator
from bench.play import UNTIMED, endless_matches
from bench.processes import cpu_seconds, free_port, own_bytes
from bench.rows import Skipped
from bench.service_process import lines_until, serve
from fudaba.v1 import matches_pb2, matches_pb2_grpc, record_pb2

__all__ = ["main"]

_BOT_COUNT: Final = 20
_MOVE_MS: Final = 2_000
_CLOCKED: Final = record_pb2.Clock(move_ms=_MOVE_MS, start_ms=UNTIMED.start_ms)
_MATCHES_PER_CLOCKED: Final = 20
"""The number of matches in play for each match that its clock plays."""
_WARM_UP_SECONDS: Final = 10.0
_TIMEOUT_SECONDS: Final = 120.0


@dataclass
class _Parts:
    """The generators of the resting matches, of those that bots play and of those that clocks play, with their
    numbers.
    """

    resting: Generator
    playing: Generator
    clocked: Generator
    rest: int
    play: int
    clock: int


@dataclass
class _Held:
    """The measurements during the hold."""

    playing: Taken
    clocked: Taken
    cpu: float
    """The cores that the service used."""
    memory: float
    """The service's own memory in MB at the end."""


@dataclass
class _Kill:
    """The seconds from the kill."""

    served: float
    """The time until a call was answered."""
    moved: float
    """The time until every match in play had gone on."""
    asked: float
    """The time until the bots of every resting match had their decisions again."""


async def _parts(stack: AsyncExitStack, port: str, token: str, matches: int, played: int) -> _Parts:
    """Creates the matches, and connects their bots."""
    made: list[Generator] = []
    clock = max(1, played // _MATCHES_PER_CLOCKED)
    counts = (matches - played, played - clock, clock)
    for number, clocks, settings in (
        (counts[0], UNTIMED, {"silent": True}),
        (counts[1], UNTIMED, {"thinkms": _MOVE_MS}),
        (counts[2], _CLOCKED, {"silent": True}),
    ):
        click.echo(f"creating {number:,} matches", err=True)
        tokens = await stack.enter_async_context(
            endless_matches(port, token, number, _BOT_COUNT, clock=clocks, abort=False)
        )
        running = stack.enter_context(generator(None, kind="play", port=port, tokens=tokens, batches=True, **settings))
        await _until(partial(_asked, running, number))
        made.append(running)
    return _Parts(made[0], made[1], made[2], *counts)


def _asked(running: Generator, matches: int) -> bool:
    """Returns whether bots were asked something in that many matches."""
    return running.looked().asked >= matches


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(_TIMEOUT_SECONDS):
        while not condition():  # noqa: ASYNC110  the generator only counts
            await asyncio.sleep(0.05)


async def _hold(parts: _Parts, pid: int, seconds: float) -> _Held:
    """Lets everything run for a time."""
    await asyncio.sleep(_WARM_UP_SECONDS)
    parts.playing.taken(), parts.clocked.taken()
    cpu, began, said = cpu_seconds(pid), time.monotonic(), time.monotonic()
    while time.monotonic() < began + seconds:
        await asyncio.sleep(min(1.0, seconds))
        if time.monotonic() > said + 60:
            said = time.monotonic()
            click.echo(f"held for {(said - began) / 60:.0f} min", err=True)
    spent = time.monotonic() - began
    cores = (cpu_seconds(pid) - cpu) / spent
    return _Held(parts.playing.taken(), parts.clocked.taken(), cores, own_bytes(pid) / 1e6)


async def _call(address: str, token: str) -> None:
    """Waits until a call is answered."""
    while True:
        async with aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            try:
                await matches_pb2_grpc.MatchServiceStub(channel).ListMatches(
                    matches_pb2.ListMatchesRequest(page_size=1),
                    metadata=(("authorization", f"Bearer {token}"),), timeout=5,
                )  # fmt: skip
            except aio.AioRpcError:
                await asyncio.sleep(0.02)
            else:
                return


async def _measure(folder: Path, matches: int, played: int, seconds: float) -> tuple[_Held, _Kill]:
    port = str(free_port())
    address = f"127.0.0.1:{port}"
    service = serve(folder, address)
    try:
        said = await asyncio.to_thread(lines_until, service.stdout, "fudaba serves")
        token = said.split("\n")[0].split()[-1]
        async with AsyncExitStack() as stack:
            parts = await _parts(stack, port, token, matches, played)
            held = await _hold(parts, service.pid, seconds)
            for part in (parts.resting, parts.playing, parts.clocked):
                part.taken()
            killed = time.monotonic()
            service.kill()
            service.wait()
            service = serve(folder, address)

            async def after(awaited: Awaitable[None]) -> float:
                await awaited
                return time.monotonic() - killed

            times = await asyncio.gather(
                after(_call(address, token)),
                after(_until(lambda: parts.playing.looked().moved + parts.clocked.looked().moved >= played)),
                after(_until(partial(_asked, parts.resting, parts.rest))),
            )
            return held, _Kill(*times)
    finally:
        service.kill()
        service.wait()


@click.command()
@click.option("--matches", type=click.IntRange(2), default=20_000, show_default=True, help="Live matches in all.")
@click.option("--playing", type=click.IntRange(1), default=2_000, show_default=True, help="Matches in which bots move.")
@click.option("--minutes", type=click.FloatRange(min=0.1), default=10.0, show_default=True, help="Length of the run.")
def main(matches: int, playing: int, minutes: float) -> None:
    """Hold many live matches of Naga, of which some make a move every two seconds; then kill the service.

    The goals: clocks are at most 100 ms late (p99), calls are served within 3 s of the kill, and every match in play
    continues within 15 s.

    Example: scripts/bench many --matches 1000 --playing 100 --minutes 0.2
    """
    if playing >= matches:
        raise click.UsageError("--playing must be less than --matches")
    try:
        with tempfile.TemporaryDirectory() as folder:
            held, kill = asyncio.run(_measure(Path(folder), matches, playing, minutes * 60))
    except Skipped as reason:
        raise click.ClickException(str(reason)) from reason
    for line in _lines(matches, playing, minutes, held, kill):
        click.echo(line)


def _lines(matches: int, playing: int, minutes: float, held: _Held, kill: _Kill) -> Iterator[str]:
    wait, late = held.playing.wait, held.clocked.late
    yield f"{matches:,} live matches, {playing:,} of them played, held for {minutes:g} min:"
    yield f"  matches that went on: {held.playing.moved + held.clocked.moved:,} of {playing:,}"
    yield f"  answers a second: {held.playing.rate:,.0f}"
    yield f"  answer → next decision: p50 {wait.p50:.1f} ms, p99 {wait.p99:.1f} ms"
    yield f"  clocks late: p50 {late.p50:.1f} ms, p99 {_marked(late.p99, 100)} ms, at most {late.longest:.1f} ms"
    yield f"  decisions that clocks closed: {late.count:,}"
    yield f"  the service used {held.cpu:.2f} cores and has {held.memory:,.0f} MB of its own"
    yield "after SIGKILL:"
    yield f"  a call was answered after {_marked(kill.served, 3)} s"
    yield f"  every match that is played had gone on after {_marked(kill.moved, 15)} s"
    yield f"  every bot of the others had its decision again after {kill.asked:.1f} s"
    yield f"load at the end {os.getloadavg()[0]:.0f}"


def _marked(value: float, most: float) -> str:
    return f"{value:.1f}{'' if value <= most else ' (missed)'}"


if __name__ == "__main__":
    main(prog_name="scripts/bench many")
