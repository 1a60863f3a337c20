"""What a match that waits takes of the service's memory and of Redis's. See scripts/bench memory.

Its bots are connected, and think. Measured before there is any such match, and when all have waited so long that they
sleep: the service's memory is what the kernel counts as its own (USS), Redis's what it says that it uses.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import click
import redis

from bench.generator import generator
from bench.play import endless_matches
from bench.processes import started
from bench.rows import Skipped

__all__ = ["main"]

_KILO: Final = 1000
_BOTS: Final = 20
_WARM: Final = 200
"""Matches that were played before anything is measured."""
_WANTED: Final = 10.0
"""At most so many kB of a match, in the service and in Redis."""
_UNTIL_ASLEEP: Final = 25.0


@dataclass
class Waiting:
    """What a match takes, in kB."""

    matches: int
    entries: int
    service: float
    store: float


def _own(pid: int) -> int:
    """The memory that a process shares with nobody, in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


async def _waiting(port: str, token: str, matches: int, entries: int, pids: tuple[int, Any]) -> Waiting:
    """Has matches get this many entries, and wait; then weighs them."""
    service, store = pids
    own, used = _own(service), store.info("memory")["used_memory"]
    answers = entries - 2  # both bots are ready
    async with endless_matches(port, token, matches, _BOTS, abort=False) as tokens:
        with generator(
            None, kind="play", port=port, tokens=tokens, batches=True, silent=not answers, most=answers
        ) as playing:
            given = 0
            while given < matches * answers or (not answers and given < matches):
                await asyncio.sleep(0.5)
                taken = playing.taken()
                given += taken.units if answers else taken.asked
            await asyncio.sleep(_UNTIL_ASLEEP)
            return Waiting(
                matches,
                entries,
                (_own(service) - own) / matches / _KILO,
                (store.info("memory")["used_memory"] - used) / matches / _KILO,
            )


async def _measured(matches: int, entries: int) -> Waiting:
    """What a match takes of a service that has nothing else to do."""
    with (
        tempfile.TemporaryDirectory() as folder,
        started("-m", "bench.service_process", folder) as (service, line),
    ):
        port, token, url = line.split()
        async with endless_matches(port, token, _WARM, _BOTS) as tokens:
            with generator(None, kind="play", port=port, tokens=tokens, batches=True):
                await asyncio.sleep(3)
        with closing(redis.Redis.from_url(url)) as store:
            return await _waiting(port, token, matches, entries, (service.pid, store))


def _spread(values: list[float]) -> str:
    mark = "" if statistics.median(values) <= _WANTED else " missed"
    return f"{statistics.median(values):.1f} kB ({min(values):.1f} to {max(values):.1f}){mark}"


@click.command()
@click.option("--matches", default="1000,20000", show_default=True, help="How many, in turn; commas between them.")
@click.option("--entries", default="2,100", show_default=True, help="Of each match's log, in turn.")
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def main(matches: str, entries: str, runs: int, as_json: bool) -> None:
    """Measure what a match of Naga takes in memory that waits for its bots. At most 10 kB are wanted of each.

    Example: scripts/bench memory --matches 1000 --runs 1
    """
    began = time.monotonic()
    found: list[Waiting] = []
    try:
        for number in map(int, matches.split(",")):
            for length in map(int, entries.split(",")):
                found += [asyncio.run(_measured(number, length)) for _ in range(runs)]
    except Skipped as reason:
        raise click.ClickException(str(reason)) from reason
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found]))
        return
    for key in dict.fromkeys((one.matches, one.entries) for one in found):
        these = [one for one in found if (one.matches, one.entries) == key]
        service, store = _spread([one.service for one in these]), _spread([one.store for one in these])
        click.echo(f"{key[0]:6,} matches, {key[1]:3} entries: service {service}, Redis {store}")
    load = os.getloadavg()[0]
    click.echo(f"{runs} runs, medians and ranges, in {time.monotonic() - began:.0f} s; load at the end {load:.0f}")


if __name__ == "__main__":
    main(prog_name="scripts/bench memory")
