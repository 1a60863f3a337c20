"""Measures the effect of busy neighbours on the time of a submitted bot's decisions. See scripts/bench decisions.

A bot in a sandbox waits and then does the same computation, a hundred times. The duration of each by wall clock is what
a match would charge the bot. It runs alone, beside neighbours that compute, and beside neighbours that go through more
memory than caches hold; on shared cores, and on a core of its own. Every figure is the ratio to the bot alone in the
same round.

With --clock, a bot that needs 0.3 s of processor time for each decision plays on a clock of 2 s, beside bots that
compute all the time: any number of them if seats share cores, and as many as a worker plays at once if each seat has
its own core. The output says how often the bot's time ran out, and how often that made a block void.

With --matches it does so in real matches, in which bots either ponder or are frozen while they owe nothing; see
`pondering.py`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import click

from bench import pondering
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.sandbox.sandbox import Job, RunningProgram
from fudaba_arena.sandbox.waits import Waits
from fudaba_arena.tournament.limits import Limits
from fudaba_arena.workers.starved import MAX_LOST_SHARE

_BOT = """
import sys, time
def decide():
    total = 0
    for number in range(200_000):
        total += number * number % 7
    return total
decide()
for _ in range(int(sys.argv[1])):
    time.sleep(0.01)
    begin = time.perf_counter()
    decide()
    print(time.perf_counter() - begin)
"""
_BUSY = """
while True:
    pass
"""
_MEMORY = """
size = 64 * 1024 * 1024
one, other = bytearray(size), bytearray(size)
while True:
    one[:] = other
    other[:] = one
"""
_THINKS = """
import sys, time
for _ in range(int(sys.argv[1])):
    time.sleep(0.01)
    begin, used = time.monotonic(), time.process_time()
    while time.process_time() < used + 0.3:
        pass
    print(begin, time.monotonic())
"""
_CLOCK_SECONDS = 2.0
_BURNERS = (1, 4, 8)
_NEIGHBOURS = {"that compute": _BUSY, "that go through memory": _MEMORY}


def _job(code: str, *arguments: str, cores: Sequence[int] = ()) -> Job:
    command = [sys.executable, "-I", "-S", "-c", code, *arguments]
    return Job(command=command, read_only=own_python(), limits=Limits(), cores=cores)


async def _decisions(sandbox: Bubblewrap, count: int, cores: Sequence[int]) -> tuple[float, float]:
    """Returns the median time of a decision and the 95th percentile, in seconds."""
    running = sandbox.start(_job(_BOT, str(count), cores=cores))
    ending = await running.wait()
    if ending.code != 0:
        raise RuntimeError(f"the bot failed: {ending}")
    times = [float(line) for line in running.stdout.split()]
    return median(times), quantiles(times, n=20)[-1]


async def _beside(
    sandbox: Bubblewrap, neighbours: Sequence[tuple[str, Sequence[int]]], count: int, cores: Sequence[int]
) -> tuple[float, float]:
    """Returns the same times beside neighbours."""
    others: list[RunningProgram] = [sandbox.start(_job(code, cores=own)) for code, own in neighbours]
    try:
        return await _decisions(sandbox, count, cores)
    finally:
        for other in others:
            await other.kill()


async def _thinks(sandbox: Bubblewrap, count: int, burners: int) -> tuple[list[float], int, int]:
    """Returns the time of each decision beside a number of burners, in seconds, and how many decisions ran out of time
    and how many of these were void.
    """
    others = [sandbox.start(_job(_BUSY)) for _ in range(burners)]
    waits = Waits()
    try:
        running = sandbox.start(replace(_job(_THINKS, str(count)), waits=waits))
        ending = await running.wait()
    finally:
        for other in others:
            await other.kill()
    if ending.code != 0:
        raise RuntimeError(f"the bot failed: {ending}")
    spans = [tuple(map(float, line.split())) for line in running.stdout.decode().splitlines()]
    late = [(begin, begin + _CLOCK_SECONDS) for begin, end in spans if end - begin > _CLOCK_SECONDS]
    void = sum(waits.lost(begin, end) >= MAX_LOST_SHARE * _CLOCK_SECONDS for begin, end in late)
    return [end - begin for begin, end in spans], len(late), void


async def clock(decisions: int, place: Path) -> None:
    """Prints how often the thinking bot runs out of time. `place` is a folder for sandboxes."""
    cores = len(os.sched_getaffinity(0))
    sandbox = Bubblewrap.open(place)
    click.echo(
        "| neighbours | cores | at once | load | out of time | of these void | lost | median, alone = 1 |"
        f" 99th percentile, alone = 1 |\n{'| --- ' * 9}|"
    )
    try:
        for burners in _BURNERS:
            alone, *_ = await _thinks(sandbox, decisions, 0)
            for way, at_once in (("shared", burners), ("one for each seat", min(burners, cores - 1))):
                took, late, void = await _thinks(sandbox, decisions, at_once)
                ratios = (median(took) / median(alone), quantiles(took, n=100)[-1] / quantiles(alone, n=100)[-1])
                click.echo(
                    f"| {burners} | {way} | {at_once} | {os.getloadavg()[0]:.0f} | {late} | {void} | {late - void} |"
                    f" {ratios[0]:.2f} | {ratios[1]:.2f} |"
                )
    finally:
        await sandbox.close()
    click.echo(f"\n{cores} cores, {decisions} decisions in each case.")


async def measure(rounds: int, decisions: int, place: Path) -> None:
    """Prints all results. `place` is a folder for sandboxes."""
    cores = sorted(os.sched_getaffinity(0))
    own, others = cores[-1:], cores[:-1]
    found: dict[str, list[tuple[float, float]]] = {}
    sandbox = Bubblewrap.open(place)
    try:
        for _ in range(rounds):
            for label, ratios in (await _round(sandbox, decisions, own, others)).items():
                found.setdefault(label, []).append(ratios)
    finally:
        await sandbox.close()
    click.echo(f"{len(cores)} cores; the time of a decision beside what it takes alone, median of {rounds} rounds:")
    for label, each in found.items():
        middle, slowest = (median(series) for series in zip(*each, strict=True))
        click.echo(f"{label}: {middle:.2f} times, the slowest twentieth {slowest:.2f} times")


async def _round(
    sandbox: Bubblewrap, decisions: int, own: Sequence[int], others: Sequence[int]
) -> Mapping[str, tuple[float, float]]:
    """Measures every case once. Returns each as a ratio to the bot alone."""
    found = {}
    count = len(own) + len(others)
    for where, its, theirs in (("shared cores", (), ()), ("a core of its own", own, others)):
        if where != "shared cores" and not (others and sandbox.cgroups.pins):
            continue
        for kind, code in _NEIGHBOURS.items():
            for number in (1, count, 4 * count):
                alone = await _decisions(sandbox, decisions, its)
                beside = await _beside(sandbox, [(code, theirs)] * number, decisions, its)
                label = f"{where}, beside {number} {kind}"
                found[label] = (beside[0] / alone[0], beside[1] / alone[1])
    return found


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Rounds of each case.")
@click.option(
    "--decisions", type=click.IntRange(min=4), default=100, show_default=True, help="Decisions in each round."
)
@click.option("--clock", "on_clock", is_flag=True, help="Measure instead how often a bot that thinks runs out of time.")
@click.option("--matches", type=click.IntRange(min=1), help="Measure instead in this many real matches of each kind.")
def main(rounds: int, decisions: int, matches: int | None, *, on_clock: bool) -> None:
    """Measure what busy neighbours do to a submitted bot's decisions. As root, with bubblewrap.

    Takes about two minutes on a quiet machine, with --clock about four; each of --matches takes one and a half.
    """
    if matches is not None:
        asyncio.run(pondering.measure(matches))
        return
    with TemporaryDirectory(prefix="fudaba-sandbox-") as place:
        Path(place).chmod(0o711)
        asyncio.run(clock(decisions, Path(place)) if on_clock else measure(rounds, decisions, Path(place)))


if __name__ == "__main__":
    main()
