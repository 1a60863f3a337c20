"""Measures the cost of sealing programs during play, beside the same programs in unsealed sandboxes.

It measures the start and end of a program; a move, by the processor time of a match of two bots that answer at once,
including its relays; and the number of blocks of two such matches, one after the other, in an hour. The cases take
turns in one run.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final, final

import click

from bench.sandbox import Setting, sandboxed_match, setting
from fudaba_arena.sandbox.sandbox import Job, RunningProgram, Sandbox

_SITTINGS_PER_BLOCK: Final = 2
_GAME: Final = "naga"


@final
class Unsealed(Sandbox):
    """A sandbox that seals nothing."""

    isolated = True

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.enforces = sandbox.enforces

    def new_socket(self) -> Path:
        """See `Sandbox`."""
        return self._sandbox.new_socket()

    def start(self, job: Job) -> RunningProgram:
        """See `Sandbox`."""
        return self._sandbox.start(replace(job, sealed=False))

    async def close(self) -> None:
        """Does nothing: the other sandbox closes itself."""


async def _start(sandbox: Sandbox) -> float:
    """Returns the seconds from the start to the end of a program that does nothing."""
    begin = time.perf_counter()
    ending = await sandbox.start(Job(command=["/bin/true"], sealed=True)).wait()
    if ending.code != 0:
        raise RuntimeError(f"a program failed: {ending}")
    return time.perf_counter() - begin


async def _block(setup: Setting, first: int, deal: bytes) -> tuple[float, float]:
    """Returns the processor time and the wall time, in seconds, of a block's matches together, of which `first` is
    one.
    """
    begin = time.perf_counter()
    cpu = [await sandboxed_match(setup, _GAME, first + sitting, deal) for sitting in range(_SITTINGS_PER_BLOCK)]
    return sum(cpu), time.perf_counter() - begin


def _row(name: str, pairs: Sequence[tuple[float, float]], scale: float = 1, unit: str = "") -> str:
    """Returns a line of the table: medians, and the median ratio of the pairs with the smallest and the largest."""
    ratios = [sealed / bare for sealed, bare in pairs]
    sealed, bare = (f"{median(series) * scale:,.0f}{unit}" for series in zip(*pairs, strict=True))
    return f"| {name} | {bare} | {sealed} | {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}) |"


async def measure(runs: int, blocks: int) -> None:
    """Prints all results."""
    click.echo("| what | not sealed | sealed | ratio |\n| --- | --- | --- | --- |")
    async with setting() as setup:
        ways = setup.sandbox, Unsealed(setup.sandbox)
        starts: list[tuple[float, float]] = []
        cpu, wall = [], []
        while len(starts) < runs:
            starts.append((await _start(ways[0]), await _start(ways[1])))
        click.echo(_row("a start of a program and its end", starts, 1000, " ms"))
        for number in range(blocks):
            first, deal = 2 * _SITTINGS_PER_BLOCK * number, number.to_bytes(32, "big")
            sealed = await _block(setup, first, deal)
            bare = await _block(replace(setup, sandbox=ways[1]), first + _SITTINGS_PER_BLOCK, deal)
            cpu.append((sealed[0], bare[0]))
            wall.append((3600 / sealed[1], 3600 / bare[1]))
        click.echo(_row("the processor time of a block, so of a move", cpu, 1000, " ms"))
        click.echo(_row("blocks an hour, one after the other", wall))
    load = os.getloadavg()[0]
    click.echo(
        f"\nMedians of {runs} starts and {blocks} blocks of {_GAME} of each, in turn; load at the end: {load:.0f}."
    )


@click.command()
@click.option("--runs", default=30, show_default=True, type=click.IntRange(1), help="Starts of each kind.")
@click.option("--blocks", default=10, show_default=True, type=click.IntRange(1), help="Blocks of each kind.")
def main(runs: int, blocks: int) -> None:
    """Measure what it costs to seal programs: as root, with nothing else running.

    Takes about two minutes on a quiet machine.
    """
    if shutil.which("bwrap") is None:
        raise click.ClickException("this needs bubblewrap")
    asyncio.run(measure(runs, blocks))


if __name__ == "__main__":
    main()
