"""Measures the memory of a waiting match in the service and in Redis. See scripts/bench memory.

Its bots are connected, and think. Matches come in waves: those of one wave are created, played until their logs are as
long as wanted, and left until they sleep; then comes the next wave. The first wave does not count: later matches are
played in memory that its matches used and gave back. Before the first wave, other matches are played until the caches
of rules and codec, which all matches share, have reached their bounds. The service's memory is its unique set size
(USS), and that of Redis is what Redis reports.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from contextlib import AsyncExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import click
import redis

from bench.generator import generator
from bench.play import endless_matches
from bench.processes import own_bytes
from bench.rows import Skipped, progress
from bench.service_process import service

__all__ = ["main"]

_BYTES_PER_KB: Final = 1000
_BOT_COUNT: Final = 2
"""The number of bots of each wave. Every bot has a connection, which also takes memory."""
_MAX_KB_PER_MATCH: Final = 10.0
"""The kB that a match may use, in the service and in Redis."""
_UNTIL_ASLEEP_SECONDS: Final = 25.0
_WARM_UP_MATCHES: Final = 100
"""The matches that are played before anything is measured, with this many answers in all:"""
_WARM_UP_ANSWERS: Final = 100_000


@dataclass
class Waiting:
    """The memory of a match, in kB."""

    matches: int
    entries: int
    service: float
    store: float
    first: float
    """The service's memory for a match of the first wave, including the room that it left to the next."""


@dataclass
class _Weight:
    """The memory of the service and of Redis, in bytes."""

    service: int
    store: int


async def _wave(stack: AsyncExitStack, port: str, token: str, matches: int, entries: int) -> None:
    """Plays matches until they have a number of entries, and waits until they sleep. Their bots stay until the stack is
    closed.
    """
    answers = entries - 2  # both bots are ready
    tokens = await stack.enter_async_context(endless_matches(port, token, matches, _BOT_COUNT, abort=False))
    playing = stack.enter_context(
        generator(None, kind="play", port=port, tokens=tokens, batches=True, silent=not answers, most=answers)
    )
    wanted, done = matches * max(answers, 1), 0
    while done < wanted:
        await asyncio.sleep(0.5)
        taken = playing.taken()
        done += taken.units if answers else taken.asked
    await asyncio.sleep(_UNTIL_ASLEEP_SECONDS)


async def _warm_up(port: str, token: str) -> None:
    async with endless_matches(port, token, _WARM_UP_MATCHES, _BOT_COUNT) as tokens:
        with generator(None, kind="play", port=port, tokens=tokens, batches=True) as playing:
            while playing.looked().units < _WARM_UP_ANSWERS:  # noqa: ASYNC110  # the generator only counts
                await asyncio.sleep(0.5)


async def _measured(matches: int, entries: int, waves: int) -> Waiting:
    """Returns the memory of a match in a service that does nothing else."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        served = stack.enter_context(service(Path(folder)))
        port, token = served.port, served.token
        store = stack.enter_context(closing(redis.Redis.from_url(served.redis_url)))

        def weighed() -> _Weight:
            used: Any = store.info("memory")
            return _Weight(own_bytes(served.pid), used["used_memory"])

        await _warm_up(port, token)
        empty, size = weighed(), matches // waves
        await _wave(stack, port, token, size, entries)
        before = weighed()
        for wave in range(waves):
            progress(f"{matches:,} matches of {entries} entries", wave, waves)
            await _wave(stack, port, token, size, entries)
        after = weighed()
        return Waiting(
            matches,
            entries,
            (after.service - before.service) / (size * waves) / _BYTES_PER_KB,
            (after.store - before.store) / (size * waves) / _BYTES_PER_KB,
            (before.service - empty.service) / size / _BYTES_PER_KB,
        )


def _spread(values: list[float]) -> str:
    mark = "" if statistics.median(values) <= _MAX_KB_PER_MATCH else " missed"
    return f"{statistics.median(values):.1f} kB ({min(values):.1f} to {max(values):.1f}){mark}"


@click.command()
@click.option(
    "--matches",
    default="1000,20000",
    show_default=True,
    help="Numbers of matches, each in turn; separate them by commas.",
)
@click.option("--entries", default="2,100", show_default=True, help="Entries in each match's log, each number in turn.")
@click.option(
    "--waves", type=click.IntRange(1), default=5, show_default=True, help="Waves in which the matches are created."
)
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(matches: str, entries: str, waves: int, runs: int, as_json: bool) -> None:
    """Measure the memory of a match of Naga that waits for its bots to move. The goal is at most 10 kB each for service
    and Redis.

    Example: scripts/bench memory --matches 1000 --runs 1
    """
    if min(int(number) for number in entries.split(",")) < 2:
        raise click.UsageError("a log has at least two entries here: both bots are ready")
    began = time.monotonic()
    found: list[Waiting] = []
    try:
        for number in map(int, matches.split(",")):
            for length in map(int, entries.split(",")):
                found += [asyncio.run(_measured(number, length, waves)) for _ in range(runs)]
    except Skipped as reason:
        raise click.ClickException(str(reason)) from reason
    if as_json:
        click.echo(json.dumps([asdict(sample) for sample in found]))
        return
    for key in dict.fromkeys((sample.matches, sample.entries) for sample in found):
        these = [sample for sample in found if (sample.matches, sample.entries) == key]
        service, store = _spread([sample.service for sample in these]), _spread([sample.store for sample in these])
        first = statistics.median(sample.first for sample in these)
        click.echo(
            f"{key[0]:6,} matches, {key[1]:3} entries: service {service}, Redis {store};"
            f" of the first wave, with room for the next: {first:.1f} kB"
        )
    load = os.getloadavg()[0]
    click.echo(f"{runs} runs, medians and ranges, in {time.monotonic() - began:.0f} s; load at the end {load:.0f}")


if __name__ == "__main__":
    main(prog_name="scripts/bench memory")
