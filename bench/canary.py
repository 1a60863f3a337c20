"""Measures whether a worker's canary raises false alarms on an overloaded machine. See scripts/bench canary.

It runs the real canary of `fudaba arena worker`, judged as the worker judges it, beside processes each of which uses a
whole core whenever it can. A worker on such a machine should play on: a bot with a second for a move loses no time
there.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

from fudaba_arena.workers import canary
from fudaba_arena.workers.timekeeping import LATE_SECONDS, Timekeeping

__all__ = ["Seen", "main", "watched"]


@dataclass
class Seen:
    """The times of a canary's decisions."""

    took: list[float] = field(default_factory=list)
    """The seconds of each decision, sorted."""
    alarms: int = 0
    """How often a worker would have stopped."""


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


async def watched(seconds: float, late: float) -> Seen:
    """Watches a canary for a while from its first answer on, and judges it every second as a worker would."""
    kept, seen, answered = Timekeeping(late), Seen(), asyncio.Event()

    def noted(took: float) -> None:
        answered.set()
        seen.took.append(took)
        kept.note(time.monotonic(), took)

    with tempfile.TemporaryDirectory() as place:
        watching = asyncio.create_task(canary.watch(dict(os.environ), Path(place) / "log", noted, click.echo))
        await answered.wait()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(1)
            if kept.verdict(time.monotonic()).slow:
                seen.alarms += 1
                kept.forget()
        watching.cancel()
        await asyncio.wait([watching])
    seen.took.sort()
    return seen


@click.command()
@click.option(
    "--seconds", type=click.FloatRange(min=2), default=120.0, show_default=True, help="Length of each measurement."
)
@click.option("--busy", type=click.IntRange(0), multiple=True, metavar="NUMBER",
              help="Busy processes for each core; repeatable.  [default: 0 4 16]")  # fmt: skip
@click.option("--late", type=click.FloatRange(min=0.01), default=LATE_SECONDS, show_default=True, metavar="SECONDS",
              help="As for `fudaba arena worker`.")  # fmt: skip
def main(seconds: float, busy: tuple[int, ...], late: float) -> None:
    """Measure how late a worker's canary is on a busy machine, and how often the worker would stop for it."""
    cores = os.cpu_count() or 1
    for each in busy or (0, 4, 16):
        with _busy(each * cores):
            seen = asyncio.run(watched(seconds, late))
        ms = [1000 * took for took in seen.took]
        click.echo(
            f"{each} busy processes for each of {cores} cores, load {os.getloadavg()[0]:.0f}: {len(ms)} decisions,"
            f" median {ms[len(ms) // 2]:.0f} ms, 99th in 100 {ms[int(0.99 * len(ms))]:.0f} ms, longest {ms[-1]:.0f} ms;"
            f" {sum(took >= late for took in seen.took)} late, {seen.alarms} alarms"
        )


if __name__ == "__main__":
    main(prog_name="scripts/bench canary")
