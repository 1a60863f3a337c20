"""Measures how a program in a sandbox slows another one through shared caches and memory.

The victim repeatedly copies a few megabytes: alone, then beside a neighbour that computes, then beside one that goes
through more memory than the caches hold. `bench/channels.py` measures what programs can tell each other in this way.
"""

from __future__ import annotations

import asyncio
import shutil
from statistics import median
from typing import Any

import click

from fudaba_arena.programs.installed_runtimes import found
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.sandbox import Job, RunningProgram

_VICTIM = """
import sys, time
own, until, copies = bytes(4_000_000), time.perf_counter() + float(sys.argv[1]), 0
while time.perf_counter() < until:
    bytearray(own)
    copies += 1
print(copies)
"""
_COMPUTES = "while True: pass"
_THRASHES = """
far = bytes(64_000_000)
while True: bytearray(far)
"""


class Host:
    """A sandbox on this host, with a Python for it."""

    def __init__(self) -> None:
        self.sandbox = Bubblewrap.open()
        self._runtime = next(found(["python"]))

    def start(self, code: str, *arguments: float | str, **more: Any) -> RunningProgram:
        """Starts a Python program in a sandbox. `more` are further fields of its job."""
        command = ["python3", "-c", code, *map(str, arguments)]
        return self.sandbox.start(Job(command=command, read_only=self._runtime.shown, env=self._runtime.env, **more))

    async def said(self, running: RunningProgram) -> str:
        """Returns a program's output once it has ended."""
        ending = await running.wait()
        if ending.code != 0:
            raise RuntimeError(f"a program failed: {ending}, {running.stderr.decode()}")
        return running.stdout.decode()


async def copies(host: Host, neighbour: str, seconds: float) -> float:
    """Returns the victim's copies per second beside a neighbour, or none."""
    beside = host.start(neighbour) if neighbour else None
    await asyncio.sleep(0.5)
    found = int(await host.said(host.start(_VICTIM, seconds))) / seconds
    if beside is not None:
        await beside.kill()
    return found


async def measure(runs: int, seconds: float) -> None:
    """Prints all results."""
    host = Host()
    try:
        alone, computing, thrashing = [], [], []
        for _ in range(runs):
            alone.append(await copies(host, "", seconds))
            computing.append(await copies(host, _COMPUTES, seconds))
            thrashing.append(await copies(host, _THRASHES, seconds))
        for neighbour, found in (("one that computes", computing), ("one that goes through much memory", thrashing)):
            shares = [slowed / bare for slowed, bare in zip(found, alone, strict=True)]
            click.echo(
                f"beside {neighbour}: {median(shares):.2f} of the speed alone ({min(shares):.2f}-{max(shares):.2f})"
            )
    finally:
        await host.sandbox.close()


@click.command()
@click.option("--runs", default=5, show_default=True, type=click.IntRange(1))
@click.option("--seconds", default=3.0, show_default=True, help="How long the victim copies each time.")
def main(runs: int, seconds: float) -> None:
    """Measure how much sandboxes slow each other down through what they share: as root, with nothing else running."""
    if shutil.which("bwrap") is None:
        raise click.ClickException("this needs bubblewrap")
    asyncio.run(measure(runs, seconds))


if __name__ == "__main__":
    main()
